#!/bin/sh
# include.sh found|refused HEADER SOURCE COMPILER [option...]: preprocesses SOURCE, which includes HEADER. Succeeds
# if that works, or if the compiler refuses it because it does not find HEADER.
expected=$1
header=$2
source=$3
shift 3
messages=$("$@" -std=c++20 -E -o /dev/null -x c++ "-DINCLUDED=\"$header\"" "$source" 2>&1)
status=$?
printf '%s\n' "$messages"
case $expected in
  found) exit $status ;;
  refused) [ $status -ne 0 ] && printf '%s\n' "$messages" | grep -F "$header" | grep -qE 'No such file|file not found' ;;
  *) exit 2 ;;
esac
