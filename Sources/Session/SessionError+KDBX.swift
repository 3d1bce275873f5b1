import KDBX
import Platform

extension SessionError {
  /// What a person is told when `vault` doesn't open.
  ///
  /// An empty password that opens nothing is told apart by the caller, who knows the password.
  init(_ error: KDBXError, opening vault: Path) {
    let name = "'\(Path(vault.lastComponent))'"
    let place = error.part.rawValue
    let explanation = error.explanation.map { ": \($0)" } ?? ""
    let restore = "the file was not touched; a backup, or its other program, may still open it"
    switch error.kind {
    case .empty: self.init(.unreadable, "\(name) is empty", hints: [restore])
    case .notAVault: self.init(.unreadable, "\(name) is not a KeePass vault")
    case .unsupportedVersion(let version):
      self.init(
        .unreadable,
        "\(name) has format version \(version), which kdbxfs can't read",
        hints: ["versions up to 4.1, and KeePass 1 databases, can be read"])
    case .truncated:
      self.init(.unreadable, "\(name) is cut off, in its \(place)\(explanation)", hints: [restore])
    case .damaged:
      self.init(
        .unreadable, "\(name) is damaged, in its \(place)\(explanation)",
        hints: (error.keyIsRight ? ["the password and the key file are right"] : []) + [restore])
    case .wrongKey: self.init(.wrongKey, "wrong password or key file for \(name)")
    case .noAnswer(let reason):
      self.init(.noAnswer, "the challenge of \(name) was not answered: \(reason)")
    case .badKeyFile(let problem):
      self.init(.wrongKey, "the key file can't be used: \(problem.rawValue)")
    case .tooExpensive(let excess):
      self.init(
        .unreadable, "opening \(name) would take \(Self.words(for: excess))",
        hints: [Self.hint(for: excess)])
    case .tooLarge(let limit):
      self.init(.unreadable, "\(name) holds more than \(limit >> 20) MiB, in its \(place)")
    case .unsupported(let feature):
      self.init(.unreadable, "\(name) uses \(feature.rawValue) that kdbxfs doesn't know")
    case .writtenDifferently:
      self.init(.unreadable, "\(name) does not hold what was written, in its \(place)")
    }
  }

  /// What a person is told when a new state of the vault can't be put into KDBX form.
  init(writing error: KDBXError) {
    self.init(
      .unwritable, "the vault could not be written: what was written does not read back",
      hints: ["the file is as it was; please report this, in: \(error.part.rawValue)"])
  }

  private static func hint(for excess: Limits.Excess) -> String {
    switch excess {
    case .memory:
      "its header may be damaged or made to do harm; --max-memory lets a vault that you trust have more"
    case .work, .rounds:
      "no honest vault asks for that: its header is damaged or made to do harm"
    case .unavailableMemory: "end other programs, or open it on a machine with more memory"
    }
  }

  private static func words(for excess: Limits.Excess) -> String {
    switch excess {
    case .memory(let kib, let limit):
      "\(kib >> 10) MiB of memory, and \(limit >> 10) MiB is the limit"
    case .work(let kib, let limit):
      "work over \(kib >> 20) GiB of memory, and \(limit >> 20) GiB is the limit"
    case .rounds(let rounds, let limit): "\(rounds) rounds, and \(limit) is the limit"
    case .unavailableMemory(let kib): "\(kib >> 10) MiB of memory, which this machine can't give"
    }
  }
}
