import Platform
import Secrets

/// Reads fields as the commands name them that hand values on: `ENTRY/FIELD`, or an entry, which means
/// its password.
///
/// A vault is opened once, however many of its fields are read, and standard input is left to whoever
/// the values are for.
final class FieldReader {
  private let settings: Settings
  private var opened: [VaultPlace: any EntryAccess] = [:]

  init(_ settings: Settings) { self.settings = settings }

  /// What the field holds.
  func read(_ word: [UInt8]) throws(Complaint) -> WipedBuffer {
    let address = try VaultFinder.address(word, settings)
    let access = try access(to: address.vault)
    let isEntry = try access.isEntry(address.path)
    return try access.read(isEntry ? address.path.appending("password") : address.path)
  }

  private func access(to vault: VaultPlace) throws(Complaint) -> any EntryAccess {
    if let access = opened[vault] { return access }
    let access = try vault.open(for: .reading, settings, leavingInput: true)
    opened[vault] = access
    return access
  }
}
