#compdef kdbxfs
# Completion of kdbxfs for zsh: commands, options, mounted vaults, files.

_kdbxfs_mounts() {
  local -a mounts
  mounts=(${(f)"$(sed -nE 's/^([^ ]+ ){4}([^ ]+) .* - fuse\.kdbxfs .*/\2/p' /proc/self/mountinfo)"})
  compadd -- ${(g::)mounts}
}

# The vaults that have a name.
_kdbxfs_names() {
  compadd -- ${XDG_CONFIG_HOME:-$HOME/.config}/kdbxfs/*.conf(N:t:r)
}

# Paths into a mount, and those from the root of the only one.
_kdbxfs_paths() {
  local -a places
  places=(${(f)"$(sed -nE 's/^([^ ]+ ){4}([^ ]+) .* - fuse\.kdbxfs .*/\2/p' /proc/self/mountinfo)"})
  _files
  (( $#places == 1 )) && _files -W "${(g::)places[1]}"
}

# What lies in the bin, whose own name may be left out.
_kdbxfs_binned() {
  local -a binned
  binned=(${(f)"$(kdbxfs purge -n 2>/dev/null)"})
  compadd -- ${binned##*/}
}

# One more of a list with commas.
_kdbxfs_list() {
  compset -P '*,'
  compadd -S '' -- "$@"
}

# The long options that the help of a command names, without their dashes.
_kdbxfs_options() {
  kdbxfs $1 --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sed 's/^--//' | sort -u
}

_kdbxfs() {
  case ${words[CURRENT-1]} in
    --passfile|--keyfile|--new-passfile|--new-keyfile|--other-passfile|--base|--wordlist|--output|--vault|-v)
      _files; return ;;
    --mount|-m) _kdbxfs_mounts; _kdbxfs_names; return ;;
    --env) compset -P '*=' && _kdbxfs_paths; return ;;
    --field|--to) _kdbxfs_paths; return ;;
    --extpass|--challenge-response|--unlock-with) _command_names -e; return ;;
    --kdf) compadd argon2id argon2d aes; return ;;
    --on-idle) compadd lock unmount; return ;;
    --classes) _kdbxfs_list lower upper digits symbols; return ;;
    -o) _kdbxfs_list ${(f)"$(_kdbxfs_options mount)"}; return ;;
  esac
  if [[ ${words[CURRENT]} == -* ]]; then
    # A command's own options; of a vault or a file that stands there, all.
    compadd -- --${^${(f)"$(_kdbxfs_options ${${(Q)words[2]}/#-*/--help})"}}
  elif (( CURRENT == 2 )); then
    local help=$(kdbxfs --help 2>/dev/null)
    compadd -- ${(u)${(f)"$(print -r -- $help | sed -nE 's/^ +kdbxfs ([a-z-]+).*/\1/p')"}}
    _files
  else
    case ${words[2]} in
      mount) _kdbxfs_names; _files ;;
      umount|save|status|log|diff|lock|unlock) _kdbxfs_mounts; _kdbxfs_names ;;
      restore|purge) _kdbxfs_binned; _files ;;
      totp|set|edit|new|rm|mv|revert|clip) _kdbxfs_paths ;;
      generate) compadd words ;;
      git-credential) compadd get store erase ;;
      run) _command_names -e ;;
      *) _files ;;
    esac
  fi
}

_kdbxfs "$@"
