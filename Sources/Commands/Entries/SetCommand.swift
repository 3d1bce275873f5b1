import Platform
import Secrets
import VaultTree

/// `kdbxfs set`: sets a field.
enum SetCommand {
  /// The most bytes that are read: of an attachment (`docs/editing.md`), and one more to say so.
  private static let longestValue = 256 << 20

  static func run(_ word: [UInt8], _ settings: Settings) throws(Complaint) {
    let address = try VaultFinder.address(word, settings)
    let access = try address.vault.open(for: .writing, settings, leavingInput: true)
    let path = address.path
    try access.checkField(path)
    let value = try Self.value(for: path)
    try access.store(value.bytes, in: path)
    try access.finish()
  }

  /// What standard input holds, unless that is a terminal; else what is typed.
  private static func value(for path: Path) throws(Complaint) -> WipedBuffer {
    guard StandardStream.input.isTerminal else { return try given(for: path) }
    let typed = try KeyReader.passwordFromTerminal(
      prompt: "New value of \(Path(path.lastComponent)): ")
    return typed.withBytes { WipedBuffer(copying: $0) }
  }

  /// What standard input holds; of a field without the only line feed at its end, also where the mount
  /// would keep that.
  ///
  /// Nothing at all is what a command that failed leaves in a pipe, and is refused.
  private static func given(for path: Path) throws(Complaint) -> WipedBuffer {
    let value: WipedBuffer
    do throws(Errno) {
      value = try Files.readWhole(StandardStream.input.duplicate(), limit: longestValue)
    } catch {
      throw Complaint("standard input can't be read: \(error)", exitCode: .noKeyMaterial)
    }
    if value.count > 0 {
      let count = path.isAttachment ? value.count : VaultTree.valueCount(of: value.bytes)
      return WipedBuffer(copying: value.bytes.extracting(first: count))
    }
    throw Complaint(
      "standard input holds nothing: '\(path)' stays as it is",
      hints: [
        path.isAttachment
          ? "'cp /dev/null' or ': >' in a mount makes an empty attachment"
          : "'echo | kdbxfs set' sets an empty value"
      ], exitCode: .noKeyMaterial)
  }
}
