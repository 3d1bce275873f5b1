import KDBX
import Platform
import Session
import Vault
import VaultTree

/// `kdbxfs check [--repair] [--json] VAULT`: says what other programs refuse, garble or lose of a
/// vault, and mends it when asked.
struct CheckCommand {
  let vault: Path
  let settings: Settings
  private let log: SessionLog

  init(_ vault: Path, _ settings: Settings) {
    self.vault = vault
    self.settings = settings
    log = SessionLog(isQuiet: settings.isQuiet, isVerbose: settings.isVerbose)
  }

  /// Checks, and repairs if asked to; the code says whether faults are left.
  func run() throws(Complaint) -> ExitCode {
    let candidate = try VaultCommands.candidate(vault, settings)
    candidate.remember()
    // Held until this returns.
    let access = settings.repairs ? try lock(candidate) : nil
    let keys = try KeyReader.read(settings.keys, for: vault, candidate.header)
    let opened = try VaultCommands.open(candidate, with: keys)
    let examination = try sessionCall { () throws(SessionError) in try opened.examine() }
    guard let access, examination.findings.contains(where: \.isMendable) else {
      try tell(examination.findings, of: opened, areMended: false)
      return code(for: examination.findings)
    }
    let old = try sessionCall { () throws(SessionError) in try opened.repair(examination) }
    _ = consume access
    try tell(examination.findings, of: opened, areMended: true)
    log.hint("the vault as it was is beside it: '\(old)'")
    let left = try sessionCall { () throws(SessionError) in
      try opened.reopened().examine().findings
    }
    return code(for: left)
  }

  private func code(for findings: [Finding]) -> ExitCode {
    findings.contains { $0.fault.level == .fault } ? .faultsFound : .success
  }

  /// Becomes the vault's one writer, or says why that can't be.
  private func lock(_ candidate: borrowing VaultCandidate) throws(Complaint) -> VaultAccess {
    let name = "'\(Path(vault.lastComponent))'"
    if let reason = candidate.header.reasonNotToWrite {
      throw Complaint("\(name) \(reason): it is not written", exitCode: .vaultUnwritable)
    }
    let access = try sessionCall { () throws(SessionError) in
      try VaultAccess(to: candidate, mountPoint: nil, readOnly: false, log: log)
    }
    guard !access.isReadOnly else {
      throw Complaint("\(name) can't be written here", exitCode: .vaultUnwritable)
    }
    return access
  }

  private func sessionCall<R: ~Copyable>(
    _ body: () throws(SessionError) -> R
  ) throws(Complaint) -> R {
    do throws(SessionError) { return try body() } catch { throw Complaint(error) }
  }

  // MARK: - Telling

  private func tell(
    _ findings: [Finding], of opened: OpenedVault, areMended: Bool
  ) throws(Complaint) {
    let told = settings.isQuiet ? findings.filter { $0.fault.level == .fault } : findings
    let places = FindingPlaces(of: told, in: Vault(opened.document))
    let reports = told.map {
      FindingReport($0, at: places.place(of: $0), isMended: areMended && $0.isMendable)
    }
    if settings.printsJSON { return try FoundEntries.write(reports.map(\.json), asJSON: true) }
    try VaultCommands.write(reports.flatMap(\.line))
    if areMended { return }
    let count = findings.count { $0.isMendable }
    if count > 0 {
      log.hint("'kdbxfs check --repair' mends \(count) of these, and keeps the old file")
    }
  }
}
