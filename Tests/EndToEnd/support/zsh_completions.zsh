# Prints what zsh offers for a command line, a line each: zsh -f THIS FUNCTIONS LINE
#
# Another zsh runs on a terminal (zpty); what it is about to list is taken from compadd.
zmodload zsh/zpty
zpty -b shell zsh -f
{
  zpty -w shell "PS1= PROMPT= RPROMPT=; stty -echo; fpath=(${(q)1} \$fpath)"
  zpty -w shell "autoload -Uz compinit && compinit -u -D; autoload -Uz _kdbxfs; compdef _kdbxfs kdbxfs"
  zpty -w shell 'zstyle ":completion:*" list-grouped false'
  # Everything that is offered goes through compadd: -O takes what fits into an array.
  zpty -w shell 'compadd() {
      local -a fits; builtin compadd -O fits "$@" 2>/dev/null
      local prefix; local -a words; words=("$@")
      (( ${words[(I)-p]} )) && prefix=${words[${words[(I)-p]}+1]}
      (( $#fits )) && print -rl -- ${${fits/#/$prefix}/#/<offer>} >&3
      builtin compadd "$@"
    }'
  zpty -w shell "exec 3>${(q)TMPDIR:-/tmp}/zsh-offers.$$"
  zpty -w shell 'compile() { zle complete-word; exec 3>&-; print -n "<do""ne>"; zle send-break }'
  zpty -w shell 'zle -N compile; bindkey "^I" compile; print "<rea""dy>"'
  zpty -r shell _ '*<ready>*'
  zpty -n -w shell "$2"$'\t'
  zpty -r shell _ '*<done>*'
  sed -n 's/^<offer>//p' "${TMPDIR:-/tmp}/zsh-offers.$$" | sort -u
} always {
  zpty -d shell
  rm -f "${TMPDIR:-/tmp}/zsh-offers.$$"
}
