import Platform
import Secrets

/// The editor of the person: `$VISUAL`, else `$EDITOR`, else `vi`, as a line for the shell.
enum Editor {
  /// The most bytes of a text that was edited.
  private static let longestText = 256 << 20
  /// What Ctrl-C and Ctrl-\ send, to us too.
  private static let keys: [Signal] = [.interrupt, .quit]

  /// Has `text` edited in a folder in memory, and gives what the editor left.
  ///
  /// Signals that would end us wait meanwhile, so that nothing stays behind. Those of the terminal's keys
  /// are the editor's, which goes on or ends by its own rules.
  static func edit(_ text: Span<UInt8>, named name: String) throws(Complaint) -> WipedBuffer {
    EndingSignals.hold()
    Signals.block(keys)
    defer {
      Signals.forget(keys)
      Signals.unblock(keys)
      EndingSignals.letGo()
    }
    let folder = try PrivateFolder()
    defer { folder.remove() }
    let file = folder.path.appending(name)
    do throws(Errno) {
      let made = try Descriptor.open(file, [.write, .create, .exclusive])
      try made.writeAll(text)
      try made.close()
    } catch {
      throw Complaint("the editor's copy can't be made: \(error)", exitCode: .vaultUnwritable)
    }
    try run(on: file)
    do throws(Errno) {
      return try Files.readWhole(file, limit: longestText)
    } catch {
      throw Complaint(
        "the editor's copy can't be read: \(error)", hints: ["nothing was changed"],
        exitCode: .editor)
    }
  }

  private static func run(on file: Path) throws(Complaint) {
    let line = ["VISUAL", "EDITOR"].lazy.compactMap { Process.environment($0) }
      .first { !$0.allSatisfy { $0 == UInt8(ascii: " ") } }
    let editor = line ?? Array("vi".utf8)
    let script = Array("exec ".utf8) + editor + Array(" \"$@\"".utf8)
    let name = Path(editor.split(separator: UInt8(ascii: " ")).first ?? []).lastComponent
    let arguments = [Array("sh".utf8), Array("-c".utf8), script, Array("sh".utf8)]
    let end: Process.End
    do throws(Errno) {
      end = try Program.runInFront(
        arguments + options(of: Path(name).description) + [file.bytes])
    } catch {
      throw Complaint("the editor can't be started: \(error)", exitCode: .editor)
    }
    guard end == .exited(0) else {
      throw Complaint(
        "the editor ended without success", hints: ["nothing was changed"], exitCode: .editor)
    }
  }

  /// What keeps an editor from writing a text elsewhere: swap, undo and backup files, registers.
  private static func options(of editor: String) -> [[UInt8]] {
    guard ["vi", "vim", "nvim", "gvim", "vim.basic", "vim.tiny", "vim.nox"].contains(editor) else {
      return []
    }
    let settings = "set noswapfile noundofile nobackup nowritebackup"
    return ["-n", "-i", "NONE", "--cmd", settings, "-c", settings].map { Array($0.utf8) }
  }
}
