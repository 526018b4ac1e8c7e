#!/bin/sh
# links_lead_somewhere.sh ROOT: every relative link in the Markdown below ROOT leads to a file there, and to a heading of
# it if it names one.
cd "$1" || exit 1

# The anchors of the headings in a file.
anchors() {
  sed -n 's/^##* //p' "$1" | tr '[:upper:]' '[:lower:]' | sed 's/[^a-z0-9 _-]//g; s/ /-/g'
}

dead=$(find . \( -path './build*' -o -path './install*' -o -name '.?*' \) -prune -o -name '*.md' -print |
  while read -r file; do
    grep -oE '\]\([^)]+\)' "$file" | sed 's/^](//; s/)$//' | grep -vE '^[a-z]+:' | sort -u | while read -r link; do
      target=${link%%#*}
      path=$(dirname "$file")/$target
      [ -n "$target" ] || path=$file
      [ -e "$path" ] || { echo "$file: $link leads nowhere"; continue; }
      case $link in *'#'*) anchors "$path" | grep -qxF -- "${link#*#}" || echo "$file: $link names no heading" ;; esac
    done
  done)
[ -z "$dead" ] || { echo "$dead"; exit 1; }
