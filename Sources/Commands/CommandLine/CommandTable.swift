import Platform

/// One command: its name, what it takes, and what it does.
///
/// The table is what the parser reads, and what the usage texts are made from.
struct CommandSpec: Sendable {
  let name: String
  let set: CommandSet
  /// What follows the name on a command line.
  let synopsis: String
  /// What it does, as a sentence or two.
  let summary: String
  /// How many words may follow the name.
  let words: ClosedRange<Int>
  /// What is told who gives another number of them, behind "wants".
  let wants: String
  /// A command line to try, for the help.
  let example: String
  /// Runs it with the words behind its name.
  let run: @Sendable ([[UInt8]], Settings) throws(Complaint) -> ExitCode

  init(
    _ name: String, _ set: CommandSet, _ synopsis: String, _ words: ClosedRange<Int>,
    wants: String, _ summary: String, example: String,
    run: @escaping @Sendable ([[UInt8]], Settings) throws(Complaint) -> ExitCode
  ) {
    self.name = name
    self.set = set
    self.synopsis = synopsis
    self.words = words
    self.wants = wants
    self.summary = summary
    self.example = example
    self.run = run
  }

  /// All commands in the order in which the help lists them; mounting, which has no name, is none.
  static let all = onMounts + onFiles + onEntries + handingOver

  static func named(_ name: String) -> CommandSpec? { all.first { $0.name == name } }

  /// A command that succeeds unless it throws.
  static func command(
    _ name: String, _ set: CommandSet, _ synopsis: String, _ words: ClosedRange<Int>,
    wants: String, _ summary: String, example: String,
    run: @escaping @Sendable ([[UInt8]], Settings) throws(Complaint) -> Void
  ) -> CommandSpec {
    CommandSpec(name, set, synopsis, words, wants: wants, summary, example: example) {
      (words, settings) throws(Complaint) in
      try run(words, settings)
      return .success
    }
  }

  // MARK: - Mounts

  private static let onMounts: [CommandSpec] = [
    command(
      "mount", .mount, "[options] NAME", 1...2,
      wants: "the name of a vault, or a vault and a mount point",
      "Mounts a vault that ~/.config/kdbxfs/NAME.conf names, or as 'kdbxfs VAULT MOUNTPOINT' does.",
      example: "kdbxfs mount main"
    ) { (_, _) throws(Complaint) in
      // The parser makes other invocations of it.
      throw .usage("no vault and no command given")
    },
    command(
      "umount", .unmount, "[--lazy] [--rescue] MOUNTPOINT", 1...1, wants: "a mount point",
      "Saves, unmounts, and returns when the vault is saved.", example: "kdbxfs umount ~/vault"
    ) { (words, settings) throws(Complaint) in
      try ControlCommands.unmount(Path(words[0]), settings)
    },
    command(
      "lock", .lock, "MOUNTPOINT", 1...1, wants: "a mount point",
      "Saves and forgets all secrets; the mount stays.", example: "kdbxfs lock ~/vault"
    ) { (words, settings) throws(Complaint) in try ControlCommands.lock(Path(words[0]), settings) },
    command(
      "unlock", .unlock, "[options] MOUNTPOINT", 1...1, wants: "a mount point",
      "Asks for the password, and brings the same files back.", example: "kdbxfs unlock ~/vault"
    ) { (words, settings) throws(Complaint) in
      try ControlCommands.unlock(Path(words[0]), settings.keys)
    },
    command(
      "save", .save, "MOUNTPOINT", 1...1, wants: "a mount point", "Saves now.",
      example: "kdbxfs save ~/vault"
    ) { (words, settings) throws(Complaint) in try ControlCommands.save(Path(words[0]), settings) },
    command(
      "status", .status, "[--json] MOUNTPOINT", 1...1, wants: "a mount point",
      "Tells how the mount is doing.", example: "kdbxfs status ~/vault"
    ) { (words, settings) throws(Complaint) in
      try ControlCommands.status(Path(words[0]), asJSON: settings.printsJSON)
    },
    command(
      "log", .log, "[--json] MOUNTPOINT", 1...1, wants: "a mount point",
      "Prints who read or wrote which field when: the process, its parents, the user; never a value.",
      example: "kdbxfs log ~/vault"
    ) { (words, settings) throws(Complaint) in
      try LogCommand.run(Path(words[0]), asJSON: settings.printsJSON)
    },
  ]

  // MARK: - Vault files

  private static let onFiles: [CommandSpec] = [
    command(
      "ls", .list, "[options] VAULT [PATH]", 1...2,
      wants: "a vault, and a path in it if you like",
      "Lists what is in the vault, without a mount.", example: "kdbxfs ls passwords.kdbx Internet"
    ) { (words, settings) throws(Complaint) in
      try VaultCommands.list(Path(words[0]), path: words.count == 2 ? words[1] : [], settings)
    },
    command(
      "cat", .concatenate, "[options] VAULT PATH...", 2...Int.max,
      wants: "a vault and paths in it", "Prints fields, without a mount.",
      example: "kdbxfs cat passwords.kdbx Internet/GitHub/password"
    ) { (words, settings) throws(Complaint) in
      try VaultCommands.concatenate(
        Path(words[0]), paths: Array(words.dropFirst()), settings)
    },
    command(
      "info", .information, "[--json] VAULT", 1...1, wants: "a vault",
      "Prints what the header of the file says; no password is asked.",
      example: "kdbxfs info passwords.kdbx"
    ) { (words, settings) throws(Complaint) in
      try VaultCommands.information(Path(words[0]), asJSON: settings.printsJSON)
    },
    CommandSpec(
      "check", .check, "[--repair] [--json] VAULT", 1...1, wants: "a vault",
      "Says what other programs refuse, garble or lose of the vault; ends with 26 if there is a fault.",
      example: "kdbxfs check passwords.kdbx"
    ) { (words, settings) throws(Complaint) in
      try CheckCommand(Path(words[0]), settings).run()
    },
    command(
      "merge", .merge, "[options] VAULT OTHER", 2...2, wants: "a vault and another file of it",
      "Takes into VAULT what OTHER, another file of the same vault, has more or newer, and prints what changes.",
      example: "kdbxfs merge -n passwords.kdbx 'passwords (conflict).kdbx'"
    ) { (words, settings) throws(Complaint) in
      try MergeCommand(vault: Path(words[0]), other: Path(words[1]), settings: settings).run()
    },
    command(
      "create", .create, "[options] VAULT", 1...1, wants: "a vault",
      "Makes a new, empty vault of KDBX 4.1; asks for its password twice, and overwrites no file.",
      example: "kdbxfs create work.kdbx --keyfile work.keyx --make-keyfile"
    ) { (words, settings) throws(Complaint) in
      try CreateCommand(vault: Path(words[0]), settings: settings).run()
    },
    command(
      "passwd", .changeKey, "[options] VAULT", 1...1, wants: "a vault",
      "Gives a vault another password, key file or key derivation; the old file is there until the new one has been opened.",
      example: "kdbxfs passwd work.kdbx"
    ) { (words, settings) throws(Complaint) in
      try PasswdCommand(vault: Path(words[0]), settings: settings).run()
    },
    command(
      "generate", .generate, "[options] [LENGTH | words [COUNT]]", 0...2,
      wants: "a length, or 'words' and their number",
      "Prints a new password, and says its strength in bits on standard error.",
      example: "kdbxfs generate words 5"
    ) { (words, settings) throws(Complaint) in
      try GenerateCommand(words: words, settings: settings).run()
    },
  ]

  // MARK: - Entries

  private static let onEntries: [CommandSpec] = [
    command(
      "find", .find, "[options] WORD...", 1...Int.max, wants: "words to look for",
      "Prints the entries that hold each word, or one a slip or two away, in title, user name, URL, tags or notes; the best first.",
      example: "kdbxfs find githib alice",
      run: { (words, settings) throws(Complaint) in try FindCommand.run(words, settings) }),
    command(
      "match", .match, "[options] URL", 1...1, wants: "a URL or host",
      "Prints the entries for a site: of the same host first, then of its registrable domain. A host that looks like one of the vault's is warned of.",
      example: "kdbxfs match https://gist.github.com/",
      run: { (words, settings) throws(Complaint) in try MatchCommand.run(words[0], settings) }),
    command(
      "totp", .totp, "[options] ENTRY", 1...1, wants: "an entry",
      "Prints the one-time code of an entry.", example: "kdbxfs totp ~/vault/Internet/GitHub",
      run: { (words, settings) throws(Complaint) in try CodeCommand.run(words[0], settings) }),
    command(
      "set", .set, "[options] ENTRY/FIELD", 1...1, wants: "a field of an entry",
      "Sets a field to what standard input holds, or to what is typed, which isn't shown.",
      example: "openssl rand -base64 18 | kdbxfs set ~/vault/Internet/GitHub/password",
      run: { (words, settings) throws(Complaint) in try SetCommand.run(words[0], settings) }),
    command(
      "edit", .edit, "[options] ENTRY[/FIELD]", 1...1, wants: "an entry, or a field of one",
      "Opens a field, or all fields as one text, in $VISUAL or $EDITOR, on a copy in memory, and writes back what was changed.",
      example: "kdbxfs edit ~/vault/Internet/GitHub",
      run: { (words, settings) throws(Complaint) in try EditCommand.run(words[0], settings) }),
    command(
      "new", .new, "[options] ENTRY", 1...1, wants: "an entry",
      "Makes an entry; the group that it is to lie in must be there.",
      example: "kdbxfs new --username alice ~/vault/Internet/Wiki",
      run: { (words, settings) throws(Complaint) in try NewCommand.run(words[0], settings) }),
    command(
      "rm", .remove, "[options] ENTRY...", 1...Int.max, wants: "entries or groups",
      "Puts entries and groups into the recycle bin; for good only where the vault has none.",
      example: "kdbxfs rm ~/vault/Internet/Wiki",
      run: { (words, settings) throws(Complaint) in try RemoveCommand.remove(words, settings) }),
    command(
      "mv", .move, "[options] ENTRY TARGET", 2...2, wants: "an entry or group, and where it goes",
      "Moves an entry or group into the group TARGET; where there is none, TARGET is its new path and title.",
      example: "kdbxfs mv ~/vault/Internet/Wiki ~/vault/Work/",
      run: { (words, settings) throws(Complaint) in
        try MoveCommand.run(words[0], words[1], settings)
      }),
    command(
      "restore", .restore, "[options] ENTRY", 1...1, wants: "an entry or group in the recycle bin",
      "Takes an entry or group out of the recycle bin, to where it lay, and prints its path.",
      example: "kdbxfs restore Wiki",
      run: { (words, settings) throws(Complaint) in
        try RemoveCommand.restore(words[0], settings)
      }),
    command(
      "purge", .purge, "[options] [ENTRY...]", 0...Int.max, wants: "entries or groups",
      "Removes for good what lies in the recycle bin, or only some of it, and prints what went.",
      example: "kdbxfs purge --older 30d",
      run: { (words, settings) throws(Complaint) in try RemoveCommand.purge(words, settings) }),
    command(
      "diff", .difference, "[options] [MOUNTPOINT]", 0...1, wants: "a mount point at most",
      "Prints what waits to be saved in a mount, by entry and field, never a value.",
      example: "kdbxfs diff ~/vault",
      run: { (words, settings) throws(Complaint) in
        try PendingCommands.difference(words.first, settings)
      }),
    command(
      "revert", .revert, "[options] ENTRY...", 1...Int.max, wants: "entries",
      "Gives entries of a mount the fields back that they had at the last save.",
      example: "kdbxfs revert ~/vault/Internet/GitHub",
      run: { (words, settings) throws(Complaint) in try PendingCommands.revert(words, settings) }),
  ]
}
