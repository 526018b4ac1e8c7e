#!/bin/sh
# pages_are_clean.sh FOLDER: mandoc, or else man, has no warning about any page in the folder.
status=0
checked=no
for page in "$1"/*.1; do
  if command -v mandoc >/dev/null; then
    mandoc -T lint -W warning "$page" || status=1
    checked=yes
  fi
  if command -v man >/dev/null; then
    said=$(LC_ALL=C.UTF-8 MANWIDTH=80 man --warnings -E UTF-8 -l -Tutf8 "$page" 2>&1 >/dev/null)
    [ -z "$said" ] || { echo "$page: $said"; status=1; }
    checked=yes
  fi
done
[ "$checked" = yes ] || { echo "there is neither mandoc nor man here"; exit 77; }
exit $status
