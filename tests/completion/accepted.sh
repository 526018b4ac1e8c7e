#!/bin/sh
# accepted.sh SHELL OPTION FILE: the shell, if it is here, accepts the file and says nothing.
command -v "$1" >/dev/null || { echo "there is no $1 here"; exit 77; }
[ -s "$3" ] || { echo "$3 is missing or empty"; exit 1; }
said=$("$1" "$2" "$3" 2>&1) && [ -z "$said" ] || { echo "$said"; exit 1; }
