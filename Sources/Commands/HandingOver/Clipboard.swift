import ByteCoding
import Platform
import Secrets

/// The clipboard of the desktop, through the programs that reach it: `wl-copy` and `wl-paste` on
/// Wayland, `xclip` or `xsel` on X11.
struct Clipboard: Sendable {
  /// The most bytes of a clipboard that are compared with ours.
  private static let limit = 32 << 20
  /// How long another program may take to hand its clipboard over, in milliseconds.
  private static let patience = 5000

  private let copy: [[UInt8]]
  private let paste: [[UInt8]]
  /// What empties it, each told nothing; the next one where that didn't do it.
  private let clears: [[[UInt8]]]

  private init(copy: String, paste: String, clears: [String]) {
    func words(_ line: String) -> [[UInt8]] { line.split(separator: " ").map { Array($0.utf8) } }
    self.copy = words(copy)
    self.paste = words(paste)
    self.clears = clears.map { words($0) }
  }

  /// The clipboard of this session.
  static func find() throws(Complaint) -> Clipboard {
    let screens = ["WAYLAND_DISPLAY", "DISPLAY"].filter {
      Process.environment($0)?.isEmpty == false
    }
    if screens.contains("WAYLAND_DISPLAY"), Program.isThere("wl-copy"), Program.isThere("wl-paste")
    {
      // What managers of clipboards keep no history of; since wl-clipboard 2.3.
      let mark = helps("wl-copy", with: "--sensitive") ? " --sensitive" : ""
      return Clipboard(
        copy: "wl-copy --type text/plain" + mark, paste: "wl-paste --no-newline",
        // Where a compositor lets only who has the focus clear it, an empty text takes its place.
        clears: ["wl-copy --clear", "wl-copy --type text/plain"])
    }
    if screens.contains("DISPLAY"), Program.isThere("xclip") {
      return Clipboard(
        copy: "xclip -selection clipboard -in", paste: "xclip -selection clipboard -out",
        clears: ["xclip -selection clipboard -in"])
    }
    if screens.contains("DISPLAY"), Program.isThere("xsel") {
      return Clipboard(
        copy: "xsel --clipboard --input", paste: "xsel --clipboard --output",
        clears: ["xsel --clipboard --clear"])
    }
    guard screens.isEmpty else {
      throw Complaint(
        "no program here reaches the clipboard",
        hints: ["wl-clipboard does on Wayland, xclip and xsel on X11"], exitCode: .clipboard)
    }
    throw Complaint(
      "there is no desktop with a clipboard here",
      hints: ["WAYLAND_DISPLAY or DISPLAY names one"], exitCode: .clipboard)
  }

  /// Whether a program's help knows an option.
  private static func helps(_ program: String, with option: String) -> Bool {
    let words = [program, "--help"].map { Array($0.utf8) }
    guard
      let help = try? Program.run(
        words, input: [UInt8]().span, limit: 1 << 16, milliseconds: patience)
    else { return false }
    return help.withBytes { bytes in
      bytes.copied().firstPlace(of: option) != nil
    }
  }

  /// Puts a value there.
  func put(_ value: Span<UInt8>) throws(Complaint) {
    do throws(Program.Failure) {
      try Program.feed(copy, input: value)
    } catch {
      throw Complaint(
        "'\(Path(copy[0]))' didn't take it to the clipboard: \(error.reason)",
        exitCode: .clipboard)
    }
  }

  /// Empties it, if what it holds is still what `isOurs` knows.
  func clear(if isOurs: (Span<UInt8>) -> Bool) {
    for command in clears {
      guard
        let now = try? Program.run(
          paste, input: [UInt8]().span, limit: Self.limit, milliseconds: Self.patience),
        now.withBytes({ isOurs($0) })
      else { return }
      try? Program.feed(command, input: [UInt8]().span)
    }
  }
}
