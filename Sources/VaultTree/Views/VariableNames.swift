/// What the fields of an entry are called as variables of a shell (`docs/tree.md`).
enum VariableNames {
  /// The names for fields with these keys, in their order, each once.
  ///
  /// A key that is a name keeps it; else each character that no name may have becomes `_`. Of several
  /// that come to one name the one whose key it is keeps it, or the first; the others get `_2`, `_3` ….
  static func names(for keys: [[UInt8]]) -> [[UInt8]] {
    let wishes = keys.map { name(for: $0) }
    var taken: Set<[UInt8]> = []
    var names = [[UInt8]?](repeating: nil, count: keys.count)
    for i in keys.indices where wishes[i] == keys[i] {
      if taken.insert(wishes[i]).inserted { names[i] = wishes[i] }
    }
    for i in keys.indices where names[i] == nil {
      var candidate = wishes[i]
      var number = 2
      while !taken.insert(candidate).inserted {
        candidate = wishes[i] + Array("_\(number)".utf8)
        number += 1
      }
      names[i] = candidate
    }
    return names.map { $0 ?? [] }
  }

  /// The name for a key, whatever others are called.
  ///
  /// Names that a shell, or the loader of programs, takes for its own get `_` in front: an entry that
  /// somebody else wrote mustn't change how the commands after it run.
  static func name(for key: [UInt8]) -> [UInt8] {
    var name: [UInt8] = []
    var i = 0
    while i < key.count {
      let length = max(1, UTF8Sequence.length(in: key.span, at: i))
      name.append(isLetter(key[i]) || isDigit(key[i]) ? key[i] : underscore)
      i += length
    }
    if name.isEmpty || isDigit(name[0]) { name.insert(underscore, at: 0) }
    return isTheShells(name) ? [underscore] + name : name
  }

  private static let underscore = UInt8(ascii: "_")

  private static func isLetter(_ byte: UInt8) -> Bool {
    byte == underscore || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte)
      || (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte)
  }

  private static func isDigit(_ byte: UInt8) -> Bool {
    (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
  }

  private static let own: Set<[UInt8]> = Set(
    """
    _ CDPATH COMP_WORDBREAKS DIRSTACK EGID ENV EUID EXECIGNORE FIGNORE FPATH FUNCNAME GID GLOBIGNORE \
    GROUPS HISTFILE HOME HOSTFILE IFS INPUTRC LINENO LOCPATH MAILPATH MANPATH MODULE_PATH NLSPATH \
    OLDPWD OPTARG OPTERR OPTIND PATH PIPESTATUS POSIXLY_CORRECT PPID PROMPT_COMMAND PS0 PS1 PS2 PS3 \
    PS4 PWD RANDOM SECONDS SHELL SHELLOPTS SHLVL TERMINFO TMPDIR TMOUT UID USERNAME ZDOTDIR
    """.split(separator: " ").map { Array($0.utf8) })

  private static let ownPrefixes = ["BASH", "GLIBC_", "LD_"].map { Array($0.utf8) }

  private static func isTheShells(_ name: [UInt8]) -> Bool {
    own.contains(name) || ownPrefixes.contains { name.starts(with: $0) }
  }
}
