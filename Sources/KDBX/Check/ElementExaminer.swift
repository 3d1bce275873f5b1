import Secrets

/// Looks through elements, notes what is wrong, and mends in them what can be mended without a loss.
///
/// One pass does both, so that what is found and what is mended can't drift apart: who only wants to
/// know throws the mended elements away. All of it works on one thread; it takes as long as every
/// element of the vault takes to be looked at.
struct ElementExaminer {
  /// Also where the contents of mended attachments go.
  var document: Document
  private(set) var findings: [Finding] = []
  /// What is being looked at.
  var place = Finding.Place.document
  /// The icons of the vault, once Meta has been looked at.
  var icons: Set<VaultUUID> = []
  /// Whether the names of fields and attachments are left as they are, faulty or not.
  var keepsNames = false
  /// Whether there was an element that only KDBX 4.1 has.
  var hasElementOfVersion41 = false

  /// The names of the elements on the way to where we are, below ``place``.
  private var trail: [String] = []
  /// What takes the place of a time that can't be read.
  private var substitute = VaultTime.earliest
  /// Unknown elements by their way: one finding for all of them.
  private var unknown: [String: Int] = [:]

  var values: ValueSource { document.values }
  var version: FormatVersion { document.version }

  init(_ document: Document) {
    self.document = document
  }

  // MARK: - Noting

  /// Notes a fault of what is being looked at; says whether it is being mended.
  @discardableResult
  mutating func note(
    _ fault: Fault, _ element: String? = nil, name: [UInt8]? = nil, count: Int = 1,
    isMendable: Bool? = nil
  ) -> Bool {
    let path = (trail + (element.map { [$0] } ?? [])).joined(separator: "/")
    let finding = Finding(
      fault, in: place, element: path, name: name, count: count, isMendable: isMendable)
    findings.append(finding)
    return finding.isMendable
  }

  private mutating func noteUnknown(_ name: String) {
    let path = (trail + [name]).joined(separator: "/")
    if let index = unknown[path] {
      findings[index].count += 1
    } else {
      unknown[path] = findings.count
      note(.unknownElement, name)
    }
  }

  // MARK: - Elements

  /// Looks at the children of an element, which is a `container`; says whether it was mended.
  mutating func examine(_ element: inout EditableElement, as container: KnownElements) -> Bool {
    if container == .times { substitute = bestTime(in: element) }
    defer { if container == .times { substitute = .earliest } }
    var isMended = false
    for index in element.children.indices
    where examine(&element.children[index], in: container) {
      isMended = true
    }
    let isStructureMended = examineStructure(of: &element, as: container)
    return isMended || isStructureMended
  }

  private mutating func examine(
    _ child: inout EditableChild, in container: KnownElements
  ) -> Bool {
    if case .nodes = child.content { return false }
    let name = child.name(in: values)
    let text = String(decoding: name, as: UTF8.self)
    guard let known = container.child(name.span) else {
      // KeePass knows it, and writes it where it says yes.
      if child.kind == .masterKeyChangeForceOnce { return examineText(&child, in: container, text) }
      noteUnknown(text)
      return false
    }
    noteVersion(of: child.kind, in: container)
    if known == .text { return examineText(&child, in: container, text) }
    trail.append(text)
    defer { trail.removeLast() }
    var inner = child.expanded(in: values)
    let isMended =
      known == .history ? examineHistory(&inner) : examine(&inner, as: known)
    if isMended { child.content = .element(inner) }
    return isMended
  }

  private mutating func examineText(
    _ child: inout EditableChild, in container: KnownElements, _ name: String
  ) -> Bool {
    guard let type = LexicalType(child.kind, in: container), let text = child.text(in: values)
    else { return false }
    let bytes = values.bytes(of: text)
    guard let fault = type.fault(in: bytes, version: version, substitute: substitute) else {
      if child.kind == .customIconUUID { checkIcon(bytes) }
      return false
    }
    note(fault.fault, name, isMendable: fault.mended != nil)
    guard let mended = fault.mended else { return false }
    child.setText(mended, in: values)
    return true
  }

  private mutating func checkIcon(_ text: [UInt8]) {
    guard let uuid = VaultUUID(base64: text.span), !uuid.isZero, !icons.contains(uuid) else {
      return
    }
    note(.missingIcon, "CustomIconUUID")
  }

  private mutating func noteVersion(of kind: ElementKind, in container: KnownElements) {
    let isNew =
      switch (container, kind) {
      case (.group, .tags), (_, .previousParentGroup), (.entry, .qualityCheck), (.icon, .name),
        (.icon, .lastModificationTime), (.item, .lastModificationTime):
        true
      default: false
      }
    if isNew { hasElementOfVersion41 = true }
  }

  /// The time among those of an element that says most of it.
  private func bestTime(in element: EditableElement) -> VaultTime {
    let kinds: [ElementKind] = [
      .lastModificationTime, .creationTime, .locationChanged, .lastAccessTime,
    ]
    for kind in kinds {
      guard let text = element.bytes(kind, in: values), let time = VaultTime(text: text.span),
        (VaultTime.earliest...VaultTime.latest).contains(time)
      else { continue }
      return time
    }
    return .earliest
  }

  // MARK: - Old versions

  /// Looks at the old versions of the entry that is being looked at.
  ///
  /// Where one has old versions of its own, they come before it.
  private mutating func examineHistory(_ history: inout EditableElement) -> Bool {
    guard case .entry(let id) = place else { return false }
    let outer = trail
    defer {
      place = .entry(id)
      trail = outer
    }
    trail = []
    var isMended = false
    var number = 0
    var index = 0
    while index < history.children.count {
      defer { index += 1 }
      guard history.children[index].kind == .entry else { continue }
      number += 1
      place = .version(id, number: number)
      var item = history.children[index].expanded(in: values)
      if item.lastIndex(of: .history) != nil {
        note(.nestedHistory, "History")
        let older = takeHistory(of: &item)
        history.children[index].content = .element(item)
        history.children.insert(contentsOf: older, at: index)
        isMended = true
        // The first of them stands here now.
        if !older.isEmpty {
          index -= 1
          number -= 1
          continue
        }
      }
      if examine(&item, as: .entry) {
        history.children[index].content = .element(item)
        isMended = true
      }
    }
    return isMended
  }

  /// Takes the old versions out of an entry.
  private func takeHistory(of item: inout EditableElement) -> [EditableChild] {
    var older: [EditableChild] = []
    for child in item.children where child.kind == .history {
      older += child.expanded(in: values).children.filter { $0.kind == .entry }
    }
    item.remove(.history)
    return older
  }
}

extension EditableChild {
  /// Replaces the text of an element that holds no secret; its attributes stay.
  mutating func setText(_ text: [UInt8], in values: ValueSource) {
    content = .text(
      TextElement(
        name: kind.elementName, attributes: keptAttributes(in: values),
        text: .stored(.plain(text), isProtected: false)))
  }
}
