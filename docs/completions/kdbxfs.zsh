#compdef kdbxfs
# Completion of kdbxfs for zsh: commands, options, mounted vaults, files.

_kdbxfs_mounts() {
  local -a mounts
  mounts=(${(f)"$(sed -nE 's/^([^ ]+ ){4}([^ ]+) .* - fuse\.kdbxfs .*/\2/p' /proc/self/mountinfo)"})
  compadd -- ${(g::)mounts}
}

_kdbxfs() {
  local help=$(kdbxfs --help 2>/dev/null)
  case ${words[CURRENT-1]} in
    --passfile|--keyfile|--new-passfile|--new-keyfile|--wordlist|--output|--vault|-v) _files; return ;;
    --mount|-m) _kdbxfs_mounts; return ;;
    --extpass|--challenge-response) _command_names -e; return ;;
  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    # A command's own options; of a vault or a file that stands there, all.
    help=$(kdbxfs ${${(Q)words[2]}/#-*/--help} --help 2>/dev/null)
    compadd -- ${(u)${(f)"$(print -r -- $help | grep -oE -- '--[a-z][a-z-]+')"}}
  elif (( CURRENT == 2 )); then
    compadd -- ${(u)${(f)"$(print -r -- $help | sed -nE 's/^ +kdbxfs ([a-z-]+).*/\1/p')"}}
    _files
  elif [[ ${words[2]} == (umount|save|status|log|diff|lock|unlock) ]]; then
    _kdbxfs_mounts
  elif [[ ${words[2]} == (totp|set|edit|new|rm|mv|restore|purge|revert|clip) ]]; then
    # Paths into a mount, and those from the root of the only one.
    local -a places
    places=(${(f)"$(sed -nE 's/^([^ ]+ ){4}([^ ]+) .* - fuse\.kdbxfs .*/\2/p' /proc/self/mountinfo)"})
    _files
    (( $#places == 1 )) && _files -W "${(g::)places[1]}"
  elif [[ ${words[2]} == git-credential ]]; then
    compadd get store erase
  elif [[ ${words[2]} == run ]]; then
    _command_names -e
  else
    _files
  fi
}

_kdbxfs "$@"
