import ByteCoding
import Ciphers
import Platform
import Secrets

/// Says which `clip` of several on one desktop is the last: that alone empties the clipboard, so that
/// whoever puts a value there again has it for the whole time.
///
/// It stands in a file of the user's runtime folder; where none can be written, each empties.
struct ClipTurn: Sendable {
  private let file: Path?
  /// Nobody else's.
  private let token = randomBytes(16)

  /// Takes the turn from whoever has it.
  init() {
    let names = ["WAYLAND_DISPLAY", "DISPLAY"].map { Process.environment($0) ?? [] }
    let screen = Array(names.joined(separator: [0]))
    let digest = Array(SHA256.hash(screen.span).prefix(16))
    let name = Array("clip-".utf8) + Hex.encode(digest.span, uppercase: false)
    let place = (try? RuntimeDirectory.locate())?.appending(name)
    if let place, Self.write(token, to: place) { file = place } else { file = nil }
  }

  private static func write(_ token: [UInt8], to file: Path) -> Bool {
    do throws(Errno) {
      try Descriptor.open(file, [.write, .create, .truncate, .noFollow]).writeAll(token.span)
      return true
    } catch {
      return false
    }
  }

  /// Whether nobody has taken it since.
  var isOurs: Bool {
    guard let file else { return true }
    guard let now = try? Files.readWhole(file, limit: 1024) else { return false }
    return now.bytes.copied() == token
  }

  /// Lets go of it: then it is nobody's.
  func end() {
    if let file, isOurs { try? Files.remove(file) }
  }
}
