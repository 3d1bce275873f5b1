import Ciphers
import Generation
import KDBX
import Secrets

/// A file below `.kdbxfs` that is made when it is opened: in `generate` a new password each time, so that
/// `cp` sets one.
enum GeneratedFile: Hashable, Sendable {
  /// So many characters; the file is called by the number.
  case characters(Int)
  case words
  /// `.kdbxfs/log`: who read or wrote what.
  case log

  /// Those that are listed in `generate`.
  static let listed: [GeneratedFile] = [.characters(16), .characters(24), .characters(32), .words]

  private static let wordsName = Array("words".utf8)
  /// Their node numbers, far above those of directories.
  private static let firstNumber: UInt64 = 1 << 40
  private static let logNumber: UInt64 = 1 << 20

  /// Reads the name of one in `generate`: `words`, or a number as people write it.
  init?(name: [UInt8]) {
    if name == Self.wordsName {
      self = .words
      return
    }
    guard name.count <= 4, name.first != UInt8(ascii: "0"),
      name.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
      let count = Int(String(decoding: name, as: UTF8.self)),
      (1...CharacterRecipe.mostCharacters).contains(count)
    else { return nil }
    self = .characters(count)
  }

  /// What a node number among those of views stands for; nil for a directory's.
  init?(node: NodeID) {
    guard node.rawValue >= NodeID.firstView + Self.firstNumber else { return nil }
    let number = node.rawValue - NodeID.firstView - Self.firstNumber
    if number == Self.logNumber {
      self = .log
      return
    }
    guard number <= CharacterRecipe.mostCharacters else { return nil }
    self = number == 0 ? .words : .characters(Int(number))
  }

  var name: [UInt8] {
    switch self {
    case .characters(let count): Array("\(count)".utf8)
    case .words: Self.wordsName
    case .log: Array("log".utf8)
    }
  }

  var node: NodeID {
    switch self {
    case .characters(let count): Slot.view(Self.firstNumber + UInt64(count))
    case .words: Slot.view(Self.firstNumber)
    case .log: Slot.view(Self.firstNumber + Self.logNumber)
    }
  }

  /// A new password; nil for what is none.
  func generate() -> SecretBytes? {
    switch self {
    case .characters(let count):
      var recipe = CharacterRecipe()
      recipe.length = count
      return recipe.generate()
    case .words: return WordRecipe().generate()
    case .log: return nil
    }
  }
}

/// The words that were made last: `stat` tells their size before they are opened, and while they are.
struct GeneratedWords: Sendable {
  let words: SealedBytes
  /// Whether a handle shows them: the next open gets others.
  var areTaken = false
}

extension TreeState {
  /// What an open of the file shows.
  mutating func openGenerated(_ file: GeneratedFile) -> RestingBytes {
    if file == .log { return .text(logText.map { .sealed($0.text) } ?? .empty) }
    guard case .words = file else { return .text(.sealed(sealed(file))) }
    if generatedWords?.areTaken != false { generatedWords = GeneratedWords(words: sealed(file)) }
    generatedWords?.areTaken = true
    return .text(generatedWords.map { .sealed($0.words) } ?? .empty)
  }

  mutating func generatedAttributes(_ file: GeneratedFile) -> NodeAttributes {
    let time = now()
    return NodeAttributes(
      node: file.node, kind: .file, permissions: 0o400, size: size(of: file), modified: time,
      changed: time, accessed: time, unsettled: true, isView: true)
  }

  /// The size of what is open, else of what the next open will show.
  private mutating func size(of file: GeneratedFile) -> Int {
    if file == .log { return logText?.text.count ?? 0 }
    guard case .characters(let count) = file else {
      let isOpen = handles.values.contains { $0.node == file.node }
      if generatedWords == nil || (generatedWords?.areTaken == true && !isOpen) {
        generatedWords = GeneratedWords(words: sealed(file))
      }
      return generatedWords?.words.count ?? 0
    }
    return count
  }

  private func sealed(_ file: GeneratedFile) -> SealedBytes {
    guard let password = file.generate() else { return sealing.seal([UInt8]().span) }
    return password.withBytes { sealing.seal($0) }
  }
}
