import ByteCoding
import Platform
import Secrets
import Vault
import VaultTree

/// `kdbxfs edit`: opens a field, or all fields of an entry as one text, in an editor.
///
/// The editor works on a copy in memory; what it changed is written back.
enum EditCommand {
  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let address = try VaultFinder.address(word, settings)
    let access = try address.vault.open(for: .writing, settings, leavingInput: true)
    if try access.kind(of: address.path) == .directory {
      try access.checkEntry(address.path)
      try editEntry(address.path, access)
    } else {
      try access.checkField(address.path)
      try editField(address.path, access)
    }
    try save(access)
  }

  private static func editField(
    _ path: Path, _ access: any EntryAccess
  ) throws(Complaint) {
    // What isn't there is made, if something is written.
    let before = try access.kind(of: path) == nil ? WipedBuffer() : access.read(path)
    var text = WipedBuffer(copying: before.bytes)
    while true {
      let after = try Editor.edit(text.bytes, named: "value")
      let value = withoutAddedLineEnd(after, before)
      guard !value.bytes.hasSameBytes(as: before.bytes) else { return }
      do throws(Complaint) { return try access.store(value.bytes, in: path) } catch {
        text = try again(after, error)
      }
    }
  }

  /// Without the line feed that most editors put at the end of a text that had none.
  private static func withoutAddedLineEnd(
    _ after: borrowing WipedBuffer, _ before: borrowing WipedBuffer
  ) -> WipedBuffer {
    let lineFeed = UInt8(ascii: "\n")
    let count = after.count
    let hadOne = before.count > 0 && before.bytes[before.count - 1] == lineFeed
    let isAdded = !hadOne && count > 0 && after.bytes[count - 1] == lineFeed
    return WipedBuffer(copying: after.bytes.extracting(first: isAdded ? count - 1 : count))
  }

  // MARK: - All fields

  private static func editEntry(
    _ path: Path, _ access: any EntryAccess
  ) throws(Complaint) {
    let entry = EditedEntry(path, access)
    let before = try entry.fields()
    let comment =
      "\(path)\nNAME: VALUE, NAME*: for a protected field; lines of a longer value begin with '| '."
    var original = WipedBuffer()
    EntryText.write(before, comment: comment, into: &original)
    var text = WipedBuffer(copying: original.bytes)
    while true {
      let edited = try Editor.edit(text.bytes, named: "entry.txt")
      guard !edited.bytes.hasSameBytes(as: original.bytes) else { return }
      do throws(Complaint) {
        return try entry.change(before, to: try EntryText.checked(edited, over: before))
      } catch {
        text = try again(edited, error)
      }
    }
  }

  // MARK: - Once more

  /// The text as it was left, to be edited again; `fault` where the person gives up.
  private static func again(
    _ edited: borrowing WipedBuffer, _ fault: Complaint
  ) throws(Complaint) -> WipedBuffer {
    guard isToGoOn("Edit the text again?", after: fault) else { throw fault }
    return WipedBuffer(copying: edited.bytes)
  }

  /// Saves what was edited, as often as it is asked for: it is nowhere else.
  private static func save(_ access: any EntryAccess) throws(Complaint) {
    while true {
      do throws(Complaint) { return try access.finish() } catch {
        guard isToGoOn("Try to save again?", after: error) else { throw error }
      }
    }
  }

  /// Says what went wrong and asks until the answer is one; no at the end of the input, and where
  /// standard input is no terminal that one could be asked at.
  private static func isToGoOn(_ question: String, after fault: Complaint) -> Bool {
    guard StandardStream.input.isTerminal else { return false }
    StandardStream.error.say("kdbxfs: \(fault.message)")
    while true {
      try? StandardStream.error.writeAll(Array("\(question) [Y/n] ".utf8).span)
      switch readLine()?.lowercased() {
      case "", "y", "yes": return true
      case nil, "n", "no": return false
      default: continue
      }
    }
  }
}
