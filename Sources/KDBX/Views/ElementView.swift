import ByteCoding

/// What the typed views have in common: an element, and how its children are read and written.
protocol ElementView {
  /// KeePass's order of the children, for those that are added.
  static var order: [ElementKind] { get }
  var element: EditableElement { get set }
  /// Opens what comes from the source; `nil` while nothing does.
  var values: ValueSource? { get }
}

extension ElementView {
  func bytes(_ kind: ElementKind) -> [UInt8]? { element.bytes(kind, in: values) }

  mutating func set(_ kind: ElementKind, to text: StoredText) {
    element.setText(kind, to: text, order: Self.order, in: values)
  }

  mutating func set(_ kind: ElementKind, to text: [UInt8]) {
    guard bytes(kind) != text else { return }
    set(kind, to: .plain(text))
  }

  // MARK: - Lexical types (`docs/kdbx.md` 5.1)

  func uuid(_ kind: ElementKind) -> VaultUUID? {
    bytes(kind).flatMap { VaultUUID(base64: $0.span) }
  }

  mutating func set(_ kind: ElementKind, to uuid: VaultUUID?) {
    guard let uuid else {
      element.remove(kind)
      return
    }
    if self.uuid(kind) != uuid { set(kind, to: .plain(uuid.base64)) }
  }

  /// `true` and `false` in any case; all else, an empty text too, says nothing.
  func bool(_ kind: ElementKind) -> Bool? {
    guard let text = bytes(kind) else { return nil }
    if text.count == 4, XMLText.isAt(0, in: text.span, "true", ignoringCase: true) { return true }
    if text.count == 5, XMLText.isAt(0, in: text.span, "false", ignoringCase: true) {
      return false
    }
    return nil
  }

  mutating func set(_ kind: ElementKind, to value: Bool?) {
    if element.lastIndex(of: kind) != nil, bool(kind) == value { return }
    let text = value.map { $0 ? "True" : "False" } ?? "null"
    set(kind, to: .plain(Array(text.utf8)))
  }

  func integer(_ kind: ElementKind) -> Int64? {
    guard let text = bytes(kind), !text.isEmpty, text.count <= 20 else { return nil }
    return Int64(String(decoding: text, as: UTF8.self))
  }

  mutating func set(_ kind: ElementKind, to value: Int64) {
    if integer(kind) != value { set(kind, to: .plain(Array(String(value).utf8))) }
  }

  func time(_ kind: ElementKind) -> VaultTime? {
    bytes(kind).flatMap { VaultTime(text: $0.span) }
  }

  mutating func set(_ kind: ElementKind, to time: VaultTime?, for version: FormatVersion) {
    guard let time else {
      element.remove(kind)
      return
    }
    if self.time(kind) != time { set(kind, to: .plain(time.text(for: version))) }
  }
}

extension EditableChild {
  /// A new element that holds text which is no secret.
  init(_ kind: ElementKind, _ text: [UInt8]) {
    self.init(
      kind: kind,
      content: .text(
        TextElement(name: kind.elementName, text: .stored(.plain(text), isProtected: false))))
  }

  /// A new element that holds text of ours.
  init(_ kind: ElementKind, _ text: String = "") {
    self.init(kind, Array(text.utf8))
  }
}
