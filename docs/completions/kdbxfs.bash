# Completion of kdbxfs for bash: commands, options, mounted vaults, and names inside them.

# Of the lines of standard input those that begin with what is typed. (compgen -W would run what stands
# in a name.)
_kdbxfs_fits() {
  local line start=${1//\\/}
  while IFS= read -r line; do
    [[ $line == "$start"* ]] && printf '%s\n' "$line"
  done
}

_kdbxfs_mounts() {
  local place
  while IFS=' ' read -r _ _ _ _ place _ rest; do
    [[ " $rest" == *" - fuse.kdbxfs "* ]] && printf '%b\n' "${place//\\/\\0}"
  done </proc/self/mountinfo
}

# The vaults that have a name.
_kdbxfs_names() {
  local file
  for file in "${XDG_CONFIG_HOME:-$HOME/.config}"/kdbxfs/*.conf; do
    file=${file##*/}
    [[ $file == '*.conf' ]] || printf '%s\n' "${file%.conf}"
  done
}

# Paths into a mount, and those from the root of the only one.
_kdbxfs_paths() {
  local places
  compgen -f -- "$1"
  mapfile -t places < <(_kdbxfs_mounts)
  [ ${#places[@]} -eq 1 ] && cd "${places[0]}" 2>/dev/null && compgen -f -- "$1"
}

# The long options that the help of a command names, without their dashes.
_kdbxfs_options() {
  "${COMP_WORDS[0]}" "$1" --help 2>/dev/null | grep -oE -- '--[a-z][a-z-]+' | sed 's/^--//' | sort -u
}

# One more of a list with commas: what is typed, and the words to choose from.
_kdbxfs_list() {
  local before=
  [[ $1 == *,* ]] && before=${1%,*},
  local choices=("${@:2}")
  printf '%s\n' "${choices[@]/#/$before}" | _kdbxfs_fits "$1"
}

_kdbxfs() {
  local word=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
  local help before=
  # bash takes NAME=PATH for three words, unless COMP_WORDBREAKS has no =.
  if [[ $word == '=' ]]; then
    word=
    [[ ${COMP_WORDS[COMP_CWORD - 2]} == --env ]] && previous=--env
  elif [[ $previous == '=' ]]; then
    previous=${COMP_WORDS[COMP_CWORD - 2]}
    [[ $COMP_CWORD -gt 3 && ${COMP_WORDS[COMP_CWORD - 3]} == --env ]] && previous=--env
  elif [[ $previous == --env && $word == *=* ]]; then
    before=${word%%=*}= word=${word#*=}
  elif [[ $previous == --env ]]; then
    return
  fi
  case $previous in
    --passfile | --keyfile | --new-passfile | --new-keyfile | --other-passfile | --base | --wordlist | --output | --vault | -v)
      mapfile -t COMPREPLY < <(compgen -f -- "$word"); return ;;
    --mount | -m)
      mapfile -t COMPREPLY < <({ _kdbxfs_mounts; _kdbxfs_names; } | _kdbxfs_fits "$word"); return ;;
    --env | --field | --to)
      mapfile -t COMPREPLY < <(_kdbxfs_paths "$word"); COMPREPLY=("${COMPREPLY[@]/#/$before}"); return ;;
    --extpass | --challenge-response | --unlock-with) mapfile -t COMPREPLY < <(compgen -c -- "$word"); return ;;
    --kdf) mapfile -t COMPREPLY < <(compgen -W "argon2id argon2d aes" -- "$word"); return ;;
    --on-idle) mapfile -t COMPREPLY < <(compgen -W "lock unmount" -- "$word"); return ;;
    --classes) mapfile -t COMPREPLY < <(_kdbxfs_list "$word" lower upper digits symbols); return ;;
    -o) mapfile -t COMPREPLY < <(_kdbxfs_list "$word" $(_kdbxfs_options mount)); return ;;
  esac
  if [[ $word == -* ]]; then
    # A command's own options; of a vault or a file that stands there, all.
    [[ $command == -* ]] && command=--help
    mapfile -t COMPREPLY < <(_kdbxfs_options "$command" | sed 's/^/--/' | _kdbxfs_fits "$word")
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
    *:mount) mapfile -t COMPREPLY < <(_kdbxfs_names | _kdbxfs_fits "$word"; compgen -f -- "$word") ;;
    *:umount | *:save | *:status | *:log | *:diff | *:lock | *:unlock)
      mapfile -t COMPREPLY < <({ _kdbxfs_mounts; _kdbxfs_names; } | _kdbxfs_fits "$word")
      ;;
    *:restore | *:purge)
      # What lies in the bin, whose own name may be left out.
      mapfile -t COMPREPLY < <(
        "${COMP_WORDS[0]}" purge -n 2>/dev/null | sed 's|.*/||' | _kdbxfs_fits "$word"
        compgen -f -- "$word"
      )
      ;;
    *:totp | *:set | *:edit | *:new | *:rm | *:mv | *:revert | *:clip)
      mapfile -t COMPREPLY < <(_kdbxfs_paths "$word")
      ;;
    *:generate) mapfile -t COMPREPLY < <(compgen -W "words" -- "$word") ;;
    *:git-credential) mapfile -t COMPREPLY < <(compgen -W "get store erase" -- "$word") ;;
    *:run) mapfile -t COMPREPLY < <(compgen -c -- "$word") ;;
    *) mapfile -t COMPREPLY < <(compgen -f -- "$word") ;;
  esac
}

complete -o filenames -F _kdbxfs kdbxfs
