import Ciphers
import Secrets

/// Picks numbers at random, each as likely as any other.
///
/// The bytes are the kernel's; those that would make some numbers likelier than others are thrown away.
struct RandomPicker: ~Copyable {
  /// How many bytes are drawn at one time.
  private static let drawn = 256

  private var bytes = SecretBytes.random(drawn)
  private var used = 0

  init() {}

  /// A number from 0 to below `bound`.
  ///
  /// - Precondition: `bound` lies within 1...65536.
  mutating func pick(below bound: Int) -> Int {
    precondition((1...1 << 16).contains(bound), "no number can be picked below \(bound)")
    let width = bound <= 1 << 8 ? 1 : 2
    let range = 1 << (8 * width)
    // The numbers from here on would come once more often in the low ones.
    let fair = range - range % bound
    while true {
      let number = draw(width)
      if number < fair { return number % bound }
    }
  }

  private mutating func draw(_ width: Int) -> Int {
    if used + width > Self.drawn {
      bytes = SecretBytes.random(Self.drawn)
      used = 0
    }
    let start = used
    used += width
    return bytes.withBytes { bytes in
      (start..<start + width).reduce(0) { $0 << 8 | Int(bytes[$1]) }
    }
  }
}
