import Generation
import Platform
import Session
import Testing

@testable import Commands

@Suite struct ArgumentParserTests {
  static func parse(_ arguments: [String]) -> Result<Invocation, Complaint> {
    Result { () throws(Complaint) in
      try ArgumentParser.parse(arguments.map { Array($0.utf8) })
    }
  }

  static func words(_ words: String...) -> [[UInt8]] { words.map { Array($0.utf8) } }

  static func settings(_ change: (inout Settings) -> Void) -> Settings {
    var settings = Settings()
    change(&settings)
    return settings
  }

  /// A command line and what it means.
  struct Line: Sendable, CustomTestStringConvertible {
    var arguments: [String]
    var means: Invocation
    var testDescription: String { arguments.joined(separator: " ") }

    init(_ line: String, _ means: Invocation) {
      arguments = line.split(separator: " ").map(String.init)
      self.means = means
    }
  }

  static let lines = [
    Line("v.kdbx m", .mount(vault: "v.kdbx", mountPoint: "m", Settings())),
    Line("-- v.kdbx -m", .mount(vault: "v.kdbx", mountPoint: "-m", Settings())),
    Line("./ls m", .mount(vault: "./ls", mountPoint: "m", Settings())),
    Line(
      "v m --ro -f -q -d",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.isReadOnly = true
          $0.staysInFront = true
          $0.isQuiet = true
          $0.isVerbose = true
        })),
    Line(
      "-fqd v m",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.staysInFront = true
          $0.isQuiet = true
          $0.isVerbose = true
        })),
    Line(
      "v m -o rw,dev,suid,_netdev,x-systemd.automount,user=me,comment=x",
      .mount(vault: "v", mountPoint: "m", Settings())),
    Line(
      "v m -oro,nonempty,allow_other,show_hidden,exact,purge",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.isReadOnly = true
          $0.takesNonEmpty = true
          $0.allowsOthers = true
          $0.showsHidden = true
          $0.isExact = true
          $0.allowsPurge = true
        })),
    Line(
      "v m --extpass pass --extpass show --extpass=vault",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.keys.passwordProgram = ["pass", "show", "vault"].map { Array($0.utf8) }
        })),
    Line(
      "v m -o passfile=/a\\,b,keyfile=/k=1,fsname=c\\\\d",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.keys.passwordFile = "/a,b"
          $0.keys.keyFile = "/k=1"
          $0.sourceName = Array("c\\d".utf8)
        })),
    Line(
      "v m -o no_password --notifypid 77 --autosave 2m",
      .mount(
        vault: "v", mountPoint: "m",
        settings {
          $0.keys.hasNoPassword = true
          $0.notifiedProcess = 77
          $0.autosaveAfter = 120_000_000_000
        })),
    Line("umount m", .command("umount", words("m"), Settings())),
    Line("umount --lazy m", .command("umount", words("m"), settings { $0.detachesLazily = true })),
    Line("save m", .command("save", words("m"), Settings())),
    Line("status m --json", .command("status", words("m"), settings { $0.printsJSON = true })),
    Line("ls v", .command("ls", words("v"), Settings())),
    Line(
      "--keyfile k ls v a/b",
      .command("ls", words("v", "a/b"), settings { $0.keys.keyFile = "k" })),
    Line(
      "cat v a/password -- -b",
      .command("cat", words("v", "a/password", "-b"), Settings())),
    Line("info v", .command("info", words("v"), Settings())),
    Line(
      "--max-memory 512M ls v", .command("ls", words("v"), settings { $0.memoryLimit = 512 << 20 })
    ),
    Line("check v", .command("check", words("v"), Settings())),
    Line(
      "check --repair --json v",
      .command(
        "check", words("v"),
        settings {
          $0.repairs = true
          $0.printsJSON = true
        })),
    Line(
      "merge -n v o --base b --json --other-passfile p --force",
      .command(
        "merge", words("v", "o"),
        settings {
          $0.isDryRun = true
          $0.mergeBase = "b"
          $0.printsJSON = true
          $0.otherPasswordFile = "p"
          $0.isForced = true
        })),
    Line(
      "create v --keyfile k --make-keyfile --kdf argon2d",
      .command(
        "create", words("v"),
        settings {
          $0.keys.keyFile = "k"
          $0.newKeys.makesKeyFile = true
          $0.newKeys.derivation = .argon2d
        })),
    Line(
      "passwd v --keyfile k --new-passfile p --new-keyfile n --drop-keyfile --keep-password"
        + " --drop-password",
      .command(
        "passwd", words("v"),
        settings {
          $0.keys.keyFile = "k"
          $0.newKeys.passwordFile = "p"
          $0.newKeys.keyFile = "n"
          $0.newKeys.dropsKeyFile = true
          $0.newKeys.keepsPassword = true
          $0.newKeys.dropsPassword = true
        })),
    Line(
      "mount main -o ro,idle=5m --extpass a -f",
      .mountNamed(
        Array("main".utf8),
        options: ["--ro", "--idle=5m", "--extpass=a", "--foreground"].map { Array($0.utf8) })),
    Line("mount v m", .mount(vault: "v", mountPoint: "m", Settings())),
    Line("generate", .command("generate", [], Settings())),
    Line(
      "generate words 8 --separator _ --wordlist w",
      .command(
        "generate", words("words", "8"),
        settings {
          $0.generation.separator = Array("_".utf8)
          $0.generation.wordList = "w"
        })),
    Line(
      "generate 12 --classes lower,digits --no-lookalikes",
      .command(
        "generate", words("12"),
        settings {
          $0.generation.classes = [.lower, .digits]
          $0.generation.avoidsLookAlikes = true
        })),
    Line(
      "run -v v --env A=x/y --env=B=z -- c -v --env",
      .command(
        "run", words("c", "-v", "--env"),
        settings {
          $0.vaultFile = "v"
          $0.variables = ["A=x/y", "B=z"].map { Array($0.utf8) }
        })),
    Line("clip x --for 5s", .command("clip", words("x"), settings { $0.clipFor = 5_000_000_000 })),
    Line("inject - --output f", .command("inject", words("-"), settings { $0.outputFile = "f" })),
    Line(
      "askpass --field x -- -q", .command("askpass", words("-q"), settings { $0.field = [0x78] })),
    Line("--help", .help(command: nil)),
    Line("v m -h", .help(command: nil)),
    Line("ls --help", .help(command: "ls")),
    Line("--help merge x", .help(command: "merge")),
    Line("ls --version", .version),
    Line("-V", .version),
    Line("--version --help", .version),
  ]

  @Test(arguments: lines)
  func `a command line means`(line: Line) {
    #expect(Self.parse(line.arguments) == .success(line.means))
  }

  /// A command line and what is wrong with it.
  struct Fault: Sendable, CustomTestStringConvertible {
    var line: String
    var message: String
    var testDescription: String { line }
  }

  static let faults = [
    Fault(line: "", message: "no vault and no command given"),
    Fault(line: "v", message: "mounting wants a vault and a mount point"),
    Fault(line: "v m x", message: "mounting wants a vault and a mount point"),
    Fault(line: "v m --frobnicate", message: "unknown option '--frobnicate'"),
    Fault(line: "v m -x", message: "unknown option '-x'"),
    Fault(line: "v m -o frob", message: "unknown mount option 'frob'"),
    Fault(line: "v m -o ro,remount", message: "unknown mount option 'remount'"),
    Fault(line: "v m --ro=1", message: "'--ro' takes no value"),
    Fault(line: "v m --keyfile", message: "'--keyfile' wants a value: --keyfile=FILE"),
    Fault(line: "v m -o keyfile", message: "'-o keyfile' wants a value: -o keyfile=FILE"),
    Fault(line: "v m -o", message: "'-o' wants a list of options"),
    Fault(line: "v m --autosave never", message: "'never' is no time"),
    Fault(line: "v m --notifypid 1", message: "'1' is no process number"),
    Fault(
      line: "v m --passfile f --no-password",
      message: "only one of --passfile, --extpass and --no-password can be meant"),
    Fault(line: "umount", message: "'umount' wants a mount point"),
    Fault(line: "umount m --ro", message: "'umount' has no option '--ro'"),
    Fault(line: "v m --lazy", message: "mounting has no option '--lazy'"),
    Fault(line: "ls --max-memory lots v", message: "'lots' is no size"),
    Fault(line: "ls --max-memory 0 v", message: "'0' is no size"),
    Fault(line: "ls --max-memory 2048G v", message: "'2048G' is no size"),
    Fault(line: "ls --repair v", message: "'ls' has no option '--repair'"),
    Fault(line: "check", message: "'check' wants a vault"),
    Fault(line: "info v --keyfile k", message: "'info' has no option '--keyfile'"),
    Fault(line: "create", message: "'create' wants a vault"),
    Fault(line: "passwd a b", message: "'passwd' wants a vault"),
    Fault(line: "create v --kdf scrypt", message: "'scrypt' is no key derivation"),
    Fault(line: "create v --new-passfile p", message: "'create' has no option '--new-passfile'"),
    Fault(line: "ls v --make-keyfile", message: "'ls' has no option '--make-keyfile'"),
    Fault(line: "generate --classes lower,odd", message: "'odd' is no class of characters"),
    Fault(line: "generate --classes=", message: "'' is no class of characters"),
    Fault(
      line: "generate words 3 4", message: "'generate' wants a length, or 'words' and their number"),
    Fault(line: "mount main --lazy", message: "'mount' has no option '--lazy'"),
    Fault(
      line: "mount", message: "'mount' wants the name of a vault, or a vault and a mount point"),
    Fault(line: "cat v", message: "'cat' wants a vault and paths in it"),
    Fault(line: "run", message: "'run' wants a command"),
    Fault(line: "run --", message: "'run' wants a command"),
    Fault(line: "run c", message: "'run' wants '--' before the command"),
    Fault(line: "run c -- d", message: "'run' wants '--' before the command"),
    Fault(line: "totp x --for 5s", message: "'totp' has no option '--for'"),
  ]

  @Test(arguments: faults)
  func `a command line is refused`(fault: Fault) {
    let arguments = fault.line.split(separator: " ").map(String.init)
    guard case .failure(let complaint) = Self.parse(arguments) else {
      Issue.record("it was taken")
      return
    }
    #expect(complaint.message == fault.message)
    #expect(complaint.exitCode == .usage)
    #expect(!complaint.hints.isEmpty)
  }

  @Test func `a path need not be text, an option must`() {
    let odd: [UInt8] = [0x61, 0xFF]
    let mount = Result { () throws(Complaint) in try ArgumentParser.parse([odd, odd]) }
    #expect(mount == .success(.mount(vault: Path(odd), mountPoint: Path(odd), Settings())))
    let option = Result { () throws(Complaint) in
      try ArgumentParser.parse([Array("--".utf8) + odd, odd, odd])
    }
    #expect(throws: Complaint.self) { try option.get() }
  }

  @Test(arguments: [
    ("/usr/bin/kdbxfs", "a --b", "a --b"), ("kdbxfs-askpass", "--why x", "askpass -- --why x"),
    ("/opt/git-credential-kdbxfs", "-m x get", "git-credential -m x get"), ("", "a", "a"),
  ])
  func `some names of the program are commands`(name: String, given: String, means: String) {
    let words = ([name] + given.split(separator: " ").map(String.init)).map { Array($0.utf8) }
    let arguments = ProgramName.arguments(of: words)
    #expect(
      arguments.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") == means)
  }

  @Test(arguments: [
    ("0", 0), ("90", 90), ("5s", 5), ("15m", 900), ("2h", 7200), ("8760h", 8760 * 3600),
  ])
  func `a time is read`(text: String, seconds: Int64) {
    #expect(duration(text) == seconds * 1_000_000_000)
  }

  @Test(arguments: ["", "s", "-1", "+5", "1.5s", "5 s", "5d", "99999999999999999999", "9999999h"])
  func `another word is no time`(text: String) {
    #expect(duration(text) == nil)
  }
}

@Suite struct UsageTests {
  /// The words of the usage text that begin with `-`.
  static let mentioned = Set(
    Usage.help.split(whereSeparator: { " \n[],;()'".contains($0) }).map(String.init)
      .filter { $0.hasPrefix("-") })

  @Test(arguments: OptionSpec.all.map(\.name))
  func `every option is in the usage text`(name: String) throws {
    let spec = try #require(OptionSpec.named(name))
    #expect(Self.mentioned.contains("--\(name)"))
    if let letter = spec.letter {
      #expect(Usage.help.contains("-\(Character(Unicode.Scalar(letter))), --\(name)"))
    }
    if case .value(let placeholder, _) = spec.effect {
      #expect(Usage.help.contains("--\(name) \(placeholder)"))
    }
  }

  @Test(arguments: mentioned.sorted())
  func `every option in the usage text exists`(word: String) {
    let own: Set = ["-o", "-h", "-V", "--help", "--version", "--"]
    if own.contains(word) { return }
    let known =
      word.hasPrefix("--")
      ? OptionSpec.named(String(word.dropFirst(2))) != nil
      : word.utf8.count == 2 && OptionSpec.lettered(Array(word.utf8)[1]) != nil
    #expect(known)
  }

  @Test func `no name and no letter stands twice`() {
    let names = OptionSpec.all.map(\.name)
    let letters = OptionSpec.all.compactMap(\.letter)
    #expect(Set(names).count == names.count)
    #expect(Set(letters + "hVo".utf8).count == letters.count + 3)
    #expect(names.allSatisfy { !OptionSpec.isGeneric($0) })
  }

  @Test func `the usage text fits a terminal and ends with an example`() {
    #expect(Usage.help.split(separator: "\n").allSatisfy { $0.utf8.count <= 92 })
    #expect(Usage.help.hasSuffix("$ kdbxfs umount ~/vault\n"))
  }
}
