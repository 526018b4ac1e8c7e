#!/bin/sh
# words_are_few.sh ROOT LIMIT: the hand-written Markdown below ROOT has at most LIMIT words. Pages that benches write do
# not count; each says so at its top, and here.
root=$1
limit=$2
words=$(cd "$root" && find . \( -path './build*' -o -path './install*' -o -name '.?*' \) -prune -o -name '*.md' -print |
  grep -vE '^\./tests/bench/(papers/[a-z-]+-20[0-9]{2}|(calibration|thresholds)/rates|(doubt|fleet|mdm)/results)\.md$' |
  xargs cat | wc -w)
[ "$words" -le "$limit" ] || { echo "$words words of hand-written Markdown are more than $limit"; exit 1; }
