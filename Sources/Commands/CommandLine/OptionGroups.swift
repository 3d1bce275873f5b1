import DesktopBus
import Generation
import Platform

/// Options that the usage text lists together.
struct OptionGroup: Sendable {
  let title: String
  let options: [OptionSpec]
  /// What is said behind them.
  let note: String?

  private init(_ title: String, _ options: [OptionSpec], note: String? = nil) {
    self.title = title
    self.options = options
    self.note = note
  }

  static let all = [
    key, mount, which, asking, merging, newKeys, generating, entries, handing, everywhere,
  ]

  static let key = OptionGroup(
    "The key:",
    [
      OptionSpec(
        "passfile", for: .keyed, "the password is what FILE holds",
        .value("FILE") { $0.keys.passwordFile = Path($1) }),
      OptionSpec(
        "extpass", for: .keyed,
        "the password is what CMD prints; each further one is an argument of CMD, and no shell is asked",
        .value("CMD") { $0.keys.passwordProgram.append($1) }),
      OptionSpec(
        "keyfile", for: .keyed, "the vault needs this key file",
        .value("FILE") { $0.keys.keyFile = Path($1) }),
      OptionSpec(
        "no-password", for: .keyed,
        "the vault has no password (which differs from an empty one)",
        .flag { $0.keys.hasNoPassword = true }),
      OptionSpec(
        // A mount knows its program when it is unlocked.
        "challenge-response", for: .keyed.subtracting(.unlock),
        "a hardware key has a part in the key, and CMD answers for it: it reads the challenge as hex and prints the answer as hex; each further one is an argument of CMD, and no shell is asked",
        .value("CMD") { $0.keys.challengeProgram.append($1) }),
      OptionSpec(
        // A mount knows its limits too.
        "max-memory", for: .opening.subtracting(.unlock),
        "refuse a vault whose key or content takes more (2G)", .value("SIZE", setMemoryLimit)),
    ],
    note:
      "Without these the password comes from a systemd credential, from standard input if that is a pipe or a file, from the terminal, or from pinentry. One line end after it is dropped."
  )

  static let mount = OptionGroup(
    "The mount:",
    [
      OptionSpec("ro", for: .mount, "read-only", .flag { $0.isReadOnly = true }),
      OptionSpec(
        "autosave", for: .mount,
        "save this long after the last change (5s); 0: only at fsync, 'kdbxfs save' and the end",
        .time(\.autosaveAfter)),
      OptionSpec(
        "idle", for: .mount, "lock when nothing has used the vault this long (15m); 0: never",
        .time(\.idleAfter)),
      OptionSpec(
        "on-idle", for: .mount, "what happens then: lock, or unmount",
        .value("ACTION", setIdleAction)),
      OptionSpec(
        "lock-after", for: .mount, "lock this long after each unlock, used or not (0: never)",
        .time(\.lockAfter)),
      OptionSpec(
        "remember", for: .mount,
        "after a lock, unlock without the key this long: the kernel keeps what opens the vault, never the password (0: never)",
        .time(\.rememberFor)),
      OptionSpec(
        "unlock-with", for: .mount,
        "when something in the locked vault is looked at, unlock it with the password that CMD prints; each further one is an argument of CMD. Without it the answer is \"Required key not available\"",
        .value("CMD") { $0.unlockProgram.append($1) }),
      OptionSpec(
        "unlock-within", for: .mount, "how long CMD may take (60s)", .time(\.unlockWithin)),
      OptionSpec(
        "keep-on-suspend", for: .mount, "don't lock when the machine sleeps",
        .flag { $0.lockingEvents.remove(.sleep) }),
      OptionSpec(
        "keep-on-screenlock", for: .mount, "don't lock when the screen is locked",
        .flag { $0.lockingEvents.remove(.screenLock) }),
      OptionSpec(
        "keep-on-logout", for: .mount, "don't lock when the session ends",
        .flag { $0.lockingEvents.remove(.logout) }),
      OptionSpec(
        "exact", for: .mount, "what is written is the value, a final line feed too",
        .flag { $0.isExact = true }),
      OptionSpec(
        "show-hidden", for: [.mount, .list],
        "list .history, .json and other names that are only reachable",
        .flag { $0.showsHidden = true }),
      OptionSpec(
        "purge", for: .mount, "let what this mount removed be removed from the recycle bin",
        .flag { $0.allowsPurge = true }),
      OptionSpec(
        "allow-other", for: .mount, "let root, and users the file modes admit, look in",
        .flag { $0.allowsOthers = true }),
      OptionSpec(
        "fsname", for: .mount, "the source that the mount table shows",
        .value("NAME") { $0.sourceName = $1 }),
      OptionSpec(
        "nonempty", for: .mount, "mount over a directory that holds files",
        .flag { $0.takesNonEmpty = true }),
      OptionSpec(
        "notifypid", for: .mount, "send SIGUSR1 to PID when the mount answers",
        .value("PID", setNotifiedProcess)),
      OptionSpec(
        "foreground", "f", for: .mount, "stay in front", .flag { $0.staysInFront = true }),
    ])

  static let which = OptionGroup(
    "Which vault:",
    [
      OptionSpec(
        "mount", "m", for: [.onEither, .onMount],
        "the vault that is mounted there, or has this name",
        .value("MOUNTPOINT") { $0.mount = $1 }),
      OptionSpec(
        "vault", "v", for: .onEither,
        "the vault's file, without a mount; asks for its key",
        .value("VAULT") { $0.vaultFile = Path($1) }),
    ],
    note:
      "Without: a path into a mount, or one from the root of the only mounted vault."
  )

  static let asking = OptionGroup(
    "Ending and asking:",
    [
      OptionSpec(
        "lazy", for: .unmount, "also when something uses the mount",
        .flag { $0.detachesLazily = true }),
      OptionSpec(
        "rescue", for: .unmount,
        "also when the vault can't be saved: the edits are kept in the state folder, and the next"
          + " mount takes them up",
        .flag { $0.leavesUnsaved = true }),
      OptionSpec(
        "json",
        for: [
          .status, .log, .list, .information, .check, .merge, .find, .match, .purge, .difference,
        ],
        "print the answer as JSON",
        .flag { $0.printsJSON = true }),
      OptionSpec(
        "repair", for: .check,
        "mend what another program refuses or loses data by, and keep the old file beside the vault",
        .flag { $0.repairs = true }),
    ])

  static let merging = OptionGroup(
    "Merging takes what OTHER, another file of the same vault, has more into VAULT:",
    [
      OptionSpec(
        "base", for: .merge,
        "the state that both come from: what only one side changed is taken from it, field by field",
        .value("FILE") { $0.mergeBase = Path($1) }),
      OptionSpec(
        "dry-run", "n", for: [.merge, .purge], "print what would change, and write nothing",
        .flag { $0.isDryRun = true }),
      OptionSpec(
        "other-passfile", for: .merge, "holds the password of OTHER and the base, if it is another",
        .value("FILE") { $0.otherPasswordFile = Path($1) }),
      OptionSpec(
        "force", for: .merge, "merge vaults whose root groups differ",
        .flag { $0.isForced = true }),
    ])

  static let newKeys = OptionGroup(
    "New keys (the key options above are those of a new vault, or the old key):",
    [
      OptionSpec(
        "make-keyfile", for: [.create, .changeKey],
        "make the key file, which must not be there yet", .flag { $0.newKeys.makesKeyFile = true }),
      OptionSpec(
        "kdf", for: [.create, .changeKey],
        "argon2id (create's own), argon2d or aes, set to about a second here",
        .value("KIND", setDerivation)),
      OptionSpec(
        "new-passfile", for: .changeKey, "the new password is what FILE holds",
        .value("FILE") { $0.newKeys.passwordFile = Path($1) }),
      OptionSpec(
        "keep-password", for: .changeKey, "only change something else",
        .flag { $0.newKeys.keepsPassword = true }),
      OptionSpec(
        "drop-password", for: .changeKey, "no password from now on",
        .flag { $0.newKeys.dropsPassword = true }),
      OptionSpec(
        "new-keyfile", for: .changeKey, "another key file",
        .value("FILE") { $0.newKeys.keyFile = Path($1) }),
      OptionSpec(
        "drop-keyfile", for: .changeKey, "no key file from now on",
        .flag { $0.newKeys.dropsKeyFile = true }),
    ])

  static let generating = OptionGroup(
    "A new password: so many characters (24) of each class, or words (6):",
    [
      OptionSpec(
        "generate", for: .new, "the entry gets a new password, which isn't shown",
        .flag { $0.generation.isWanted = true }),
      OptionSpec(
        "length", for: .new, "of so many characters",
        .value("COUNT") { (settings, value) throws(Complaint) in
          settings.generation.length = try PasswordRecipe.number(
            value, atMost: CharacterRecipe.mostCharacters)
        }),
      OptionSpec(
        "words", for: .new, "of so many words",
        .value("COUNT") { (settings, value) throws(Complaint) in
          settings.generation.wordCount = try PasswordRecipe.number(
            value, atMost: WordRecipe.mostWords)
        }),
      OptionSpec(
        "show", for: .new, "print it", .flag { $0.generation.isShown = true }),
      OptionSpec(
        "classes", for: [.generate, .new],
        "of these, with commas: lower,upper,digits,symbols",
        .value("LIST", setClasses)),
      OptionSpec(
        "no-lookalikes", for: [.generate, .new],
        "without what looks like something else: 0O1Il|8B6G5S2Z",
        .flag { $0.generation.avoidsLookAlikes = true }),
      OptionSpec(
        "separator", for: .generate, "between words (a dash)",
        .value("TEXT") { $0.generation.separator = $1 }),
      OptionSpec(
        "wordlist", for: .generate, "words of your own, one a line",
        .value("FILE") { $0.generation.wordList = Path($1) }),
    ])

  static let entries = OptionGroup(
    "Entries:",
    [
      OptionSpec(
        "next", for: .totp, "the code that follows the current one",
        .flag { $0.wantsNextCode = true }),
      OptionSpec(
        "min-left", for: .totp, "wait for a new code if this one is good for less",
        .time(\.leastTimeLeft)),
      OptionSpec(
        "username", for: .new, "the user name", .value("NAME") { $0.newUserName = $1 }),
      OptionSpec("url", for: .new, "the URL", .value("URL") { $0.newURL = $1 }),
      OptionSpec(
        "to", for: .restore, "the group that it goes to, where the vault doesn't tell",
        .value("GROUP") { $0.restoreTarget = $1 }),
      OptionSpec(
        "older", for: .purge, "only what came into the bin so long ago: 12h, 30d",
        .value("TIME", setLeastAge)),
    ])

  static let handing = OptionGroup(
    "Values for other programs:",
    [
      OptionSpec(
        "for", for: .clip, "how long it stays on the clipboard (30s); 0: for ever",
        .time(\.clipFor)),
      OptionSpec(
        "env", for: .run, "a variable and the field that it holds; may stand several times",
        .value("NAME=FIELD") { $0.variables.append($1) }),
      OptionSpec(
        "output", for: .inject, "a file to write, whole or not at all; a new one with mode 0600",
        .value("FILE") { $0.outputFile = $1.elementsEqual("-".utf8) ? nil : Path($1) }),
      OptionSpec(
        "field", for: .askpass, "what answers other questions than those of ssh's",
        .value("FIELD") { $0.field = $1 }),
    ])

  static let everywhere = OptionGroup(
    "Everywhere:",
    [
      OptionSpec("quiet", "q", for: .every, "no warnings", .flag { $0.isQuiet = true }),
      OptionSpec(
        "debug", "d", for: .every,
        "say what is done; a mount in front also each request and the names in it, but never what is in a file",
        .flag { $0.isVerbose = true }),
    ])
}
