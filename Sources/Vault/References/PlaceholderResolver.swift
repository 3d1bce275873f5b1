import KDBX
import Secrets

/// Resolves the placeholders of one value, and of the values that they lead to.
///
/// What a placeholder stands for is worked out in two steps: a *plain* answer is appended as it is,
/// a *field* is read and resolved in turn, in the context of its own entry.
struct PlaceholderResolver {
  /// Placeholders within placeholders, counted from the field that is read.
  static let depthLimit = 10
  /// Placeholders in all: a value whose references fan out would take for ever.
  static let countLimit = 200
  /// Searches of the whole tree, as many as KeePass makes.
  static let searchLimit = 20

  let vault: Vault
  let context: PlaceholderContext
  /// Whether any placeholder was replaced.
  private(set) var hasResolved = false
  private var count = 0
  var searchCount = 0

  init(vault: Vault, context: PlaceholderContext) {
    self.vault = vault
    self.context = context
  }

  /// Whose placeholders are being resolved.
  struct Place {
    let entry: Entry
    let group: GroupID?
  }

  /// A field that is being resolved further up; meeting it again would never end.
  struct Step: Hashable {
    let uuid: VaultUUID
    let key: [UInt8]

    init(_ uuid: VaultUUID, _ key: [UInt8]) {
      self.uuid = uuid
      self.key = key
    }
  }

  /// What a placeholder stands for.
  enum Answer {
    /// Not a placeholder that we know, or one that leads nowhere.
    case none
    case plain([UInt8])
    case field([UInt8], of: Place)
    /// A part of the entry's address.
    case addressPart(AddressPart)
  }

  /// Appends `text` with its placeholders resolved; takes time by its length.
  ///
  /// A placeholder has no braces inside.
  mutating func append(
    _ text: Span<UInt8>, in place: Place, path: [Step], into output: inout WipedBuffer
  ) {
    /// Where what isn't appended yet starts.
    var start = 0
    /// The last opening brace since.
    var open: Int?
    for i in text.indices {
      if text[i] == UInt8(ascii: "{") { open = i }
      guard text[i] == UInt8(ascii: "}"), let brace = open else { continue }
      open = nil
      output.append(text.extracting(start..<brace))
      start = brace
      if replace(text.extracting((brace + 1)..<i), in: place, path: path, into: &output) {
        start = i + 1
      }
    }
    output.append(text.extracting(start..<text.count))
  }

  /// Appends what a placeholder stands for; false, and nothing appended, if it is to stay as it is.
  private mutating func replace(
    _ name: Span<UInt8>, in place: Place, path: [Step], into output: inout WipedBuffer
  ) -> Bool {
    guard path.count <= Self.depthLimit, count < Self.countLimit,
      output.count <= Vault.fieldLimit
    else { return false }
    switch answer(name, in: place) {
    case .none: return false
    case .plain(let bytes): output.append(bytes.span)
    case .field(let key, let target):
      let step = Step(target.entry.uuid, key)
      guard !path.contains(step) else { return false }
      append(field: key, of: target, path: path + [step], into: &output)
    case .addressPart(let part):
      let step = Step(place.entry.uuid, FieldKey.url)
      guard !path.contains(step) else { return false }
      var address = WipedBuffer()
      append(field: FieldKey.url, of: place, path: path + [step], into: &address)
      output.append(address.bytes, part)
    }
    count += 1
    hasResolved = true
    return true
  }

  private mutating func append(
    field key: [UInt8], of place: Place, path: [Step], into output: inout WipedBuffer
  ) {
    guard let field = place.entry.string(key) else { return }
    var raw = WipedBuffer()
    vault.document.values.open(field.value, into: &raw)
    append(raw.bytes, in: place, path: path, into: &output)
  }
}
