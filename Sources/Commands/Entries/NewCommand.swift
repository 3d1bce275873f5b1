import Platform
import Secrets
import Session
import Vault
import VaultTree

/// `kdbxfs new`: makes an entry.
enum NewCommand {
  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let address = try VaultFinder.address(word, settings)
    let fields: [(name: String, value: [UInt8])] = [
      ("username", settings.newUserName ?? []), ("url", settings.newURL ?? []),
    ]
    for (name, value) in fields where TextCheck.firstProblem(in: value.span) != nil {
      throw Complaint(
        "the \(name) holds what a vault can't: it is no UTF-8, or has a control character",
        exitCode: .vaultUnwritable)
    }
    let access = try address.vault.open(for: .writing, settings)
    try make(address.path, fields, access)
    try access.finish()
  }

  /// Makes an entry with these files, whose values must have been checked; all of it or nothing.
  static func make(
    _ path: Path, _ fields: [(name: String, value: [UInt8])], _ access: any EntryAccess
  ) throws(Complaint) {
    guard !path.isEmpty else { throw Complaint(.exists, path) }
    let folder = path.bytes.contains(UInt8(ascii: "/")) ? path.parent : ""
    guard try access.kind(of: folder) == .directory else {
      throw Complaint(
        "'\(folder)': there is no such group", hints: ["'mkdir' in a mount makes it"],
        exitCode: .nothingFound)
    }
    guard try !access.isEntry(folder) else { throw Complaint(.notPermitted, path) }
    guard try access.kind(of: path) == nil else { throw Complaint(.exists, path) }
    try access.makeDirectory(path)
    do throws(Complaint) {
      for (name, value) in fields { try access.write(value.span, to: path.appending(name)) }
    } catch {
      // Nothing half done.
      _ = try? access.ask(.remove(paths: [path.text]))
      throw error
    }
  }
}

extension Path {
  /// The path as a request has it: names that are no UTF-8 lead nowhere in it.
  var text: String { String(decoding: bytes, as: UTF8.self) }
}
