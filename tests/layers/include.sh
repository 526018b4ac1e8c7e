#!/bin/sh
# include.sh compiles|refused HEADER SOURCE COMPILER [option...]: compiles SOURCE, which includes HEADER. Succeeds if it
# compiles, or if the compiler refuses it because it does not find HEADER.
expected=$1
header=$2
source=$3
shift 3
messages=$("$@" -std=c++20 -fsyntax-only -x c++ "-DINCLUDED=\"$header\"" "$source" 2>&1)
status=$?
printf '%s\n' "$messages"
case $expected in
  compiles) exit $status ;;
  refused) [ $status -ne 0 ] && printf '%s\n' "$messages" | grep -F "$header" | grep -qE 'No such file|file not found' ;;
  *) exit 2 ;;
esac
