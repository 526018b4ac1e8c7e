# complete.bash FILE FOLDER: what bash offers for some beginnings of commands; the program lies in the folder.
source "$1" || exit 1
PATH=$2:$PATH
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
offers 'l1_data.size l1_data.latency' explain l1_data.
offers 'mine.toml' explain l1_data.size mi
offers 'mine.toml' diff mi
offers 'mine.toml' diff --only 'l2.*' mine.toml mi
rm -r "$PWD"
exit $status
