# Completion of kdbxfs for bash: commands, options, mounted vaults, and names inside them.

_kdbxfs_mounts() {
  local place
  while IFS=' ' read -r _ _ _ _ place _ rest; do
    [[ " $rest" == *" - fuse.kdbxfs "* ]] && printf '%b\n' "${place//\\/\\0}"
  done </proc/self/mountinfo
}

_kdbxfs() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local help
  case $previous in
    --passfile | --keyfile | --new-passfile | --new-keyfile | --wordlist | --output | --vault | -v) mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --mount | -m)
      local IFS=$'\n'
      mapfile -t COMPREPLY < <(compgen -W "$(_kdbxfs_mounts)" -- "$word")
      return
      ;;
    --extpass | --challenge-response) mapfile -t COMPREPLY < <(compgen -c -- "$word"); return ;;
  esac
  if [[ $previous == --kdf ]]; then
    mapfile -t COMPREPLY < <(compgen -W "argon2id argon2d aes" -- "$word")
    return
  fi
  if [[ $word == -* ]]; then
    # A command's own options; of a vault or a file that stands there, all.
    [[ $command == -* ]] && command=--help
    help=$("${COMP_WORDS[0]}" "$command" --help 2>/dev/null)
    mapfile -t COMPREPLY < <(compgen -W "$(grep -oE -- '--[a-z][a-z-]+' <<<"$help" | sort -u)" -- "$word")
    return
  fi
  case $COMP_CWORD:$command in
    1:*)
      help=$("${COMP_WORDS[0]}" --help 2>/dev/null)
      mapfile -t COMPREPLY < <(
        compgen -W "$(sed -nE 's/^ +kdbxfs ([a-z-]+).*/\1/p' <<<"$help" | sort -u)" -- "$word"
        compgen -f -- "$word"
      )
      ;;
    *:umount | *:save | *:status | *:log | *:diff | *:lock | *:unlock)
      local IFS=$'\n'
      mapfile -t COMPREPLY < <(compgen -W "$(_kdbxfs_mounts)" -- "$word")
      ;;
    *:totp | *:set | *:edit | *:new | *:rm | *:mv | *:restore | *:purge | *:revert | *:clip)
      # Paths into a mount, and those from the root of the only one.
      mapfile -t COMPREPLY < <(
        compgen -f -- "$word"
        mapfile -t places < <(_kdbxfs_mounts)
        [ ${#places[@]} -eq 1 ] && cd "${places[0]}" 2>/dev/null && compgen -f -- "$word"
      )
      ;;
    *:git-credential) mapfile -t COMPREPLY < <(compgen -W "get store erase" -- "$word") ;;
    *:run) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

complete -o filenames -F _kdbxfs kdbxfs
