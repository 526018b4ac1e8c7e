# complete.bash FILE: what bash offers for some beginnings of commands.
source "$1" || exit 1
cd "$(mktemp -d)" || exit 1
touch mine.toml
status=0

# offers EXPECTED WORD...: completing the last of the words offers all of EXPECTED.
offers() {
  local expected=$1 word
  shift
  COMP_WORDS=(tomograph "$@")
  COMP_CWORD=$#
  COMPREPLY=()
  _tomograph
  for word in $expected; do
    [[ " ${COMPREPLY[*]} " == *" $word "* ]] || { echo "tomograph $*: no $word among ${COMPREPLY[*]}"; status=1; }
  done
}

offers 'run plan list show explain diff validate new completion' ''
offers 'show' sh
offers '--device --only --require --resume' run --
offers '--require' run --resume --req
offers 'devices gallery' list ''
offers '--json' list devices --j
offers 'auto always never' show --color ''
offers 'bash zsh fish' completion ''
offers 'mine.toml' diff mi
offers 'mine.toml' diff --only 'l2.*' mine.toml mi
rm -r "$PWD"
exit $status
