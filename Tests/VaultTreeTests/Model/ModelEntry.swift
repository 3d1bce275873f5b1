@testable import VaultTree

/// What the rules of `docs/editing.md` make of an entry, in their simplest form: dictionaries.
struct ModelEntry {
  struct Field: Equatable {
    var value: [UInt8]
    var isProtected: Bool
  }

  /// A temporary file.
  struct Scratch {
    var bytes: [UInt8]
    /// The field whose name was moved here, as long as nothing has taken its place.
    var holds: String?
  }

  /// A state as the vault has it.
  struct Content: Equatable {
    var title: String
    var fields: [String: Field]
    var attachments: [String: [UInt8]]
    var tags: [UInt8]
  }

  static let standard = ["username", "password", "url", "notes"]

  /// The fields under users' names.
  var fields: [String: Field] = [:]
  /// The values of fields whose names were moved aside.
  var kept: [String: Field] = [:]
  var scratch: [String: Scratch] = [:]
  /// The custom fields that the document has, shown or not.
  var stored: Set<String> = []
  var attachments: [String: [UInt8]] = [:]
  var attachmentScratch: [String: Scratch] = [:]
  /// Whether the directory was made, and may be empty.
  var hasMadeAttachments = false
  /// Whether the directory can still be reached although nothing is in it any more.
  var attachmentsLinger = false
  var tags: [UInt8] = []
  /// Whether custom fields were protected when they were removed.
  var protections: [String: Bool] = [:]
  /// What it was before the removals that were all that happened since: none or one.
  private(set) var beforeRemovals: [ModelEntry] = []

  /// The state of the last save; nil for an entry that isn't in the file yet.
  var saved: Content?
  var historyCount = 0
  /// A save that failed has made the old version.
  var hasPendingItem = false
  /// When it got its last old version in this mount.
  var lastItem: Int64?
  /// Whether a save that somebody asked for stored what is saved.
  var wasAskedFor = false

  var showsAttachments: Bool {
    hasMadeAttachments || !attachments.isEmpty || !attachmentScratch.isEmpty
  }

  var isEmpty: Bool {
    fields.isEmpty && scratch.isEmpty && tags.isEmpty && !showsAttachments
  }

  /// Whether a new field is protected.
  static func protectsNew(_ name: String) -> Bool { name == "password" || !isStandard(name) }

  static func isStandard(_ name: String) -> Bool { standard.contains(name) }

  /// What a save that stores all would write.
  func content(title: String) -> Content {
    var all = kept
    for (name, field) in fields { all[name] = field }
    for name in Self.standard where all[name] == nil {
      all[name] = Field(value: [], isProtected: Self.protectsNew(name))
    }
    return Content(title: title, fields: all, attachments: attachments, tags: tags)
  }

  /// The entry as the next mount shows it.
  func remounted(title: String) -> ModelEntry {
    let content = content(title: title)
    var entry = ModelEntry()
    entry.fields = content.fields
    entry.attachments = content.attachments
    entry.tags = content.tags
    entry.stored = Set(content.fields.keys.filter { !Self.isStandard($0) })
    entry.saved = saved
    entry.historyCount = historyCount
    return entry
  }

  // MARK: - Fields

  /// Whether the document has a field, shown or not.
  func isInDocument(_ name: String) -> Bool { Self.isStandard(name) || stored.contains(name) }

  /// Something has changed, so that what is removed from now on is what there is now.
  mutating func noteChange() { beforeRemovals = [] }

  /// Something is about to be removed.
  mutating func noteRemoval() {
    guard beforeRemovals.isEmpty else { return }
    beforeRemovals = [self]
  }

  /// What goes to the bin.
  var asItWas: ModelEntry {
    var entry = beforeRemovals.first ?? self
    entry.lastItem = lastItem
    entry.wasAskedFor = wasAskedFor
    entry.fields = entry.content(title: "").fields
    entry.kept = [:]
    entry.scratch = [:]
    entry.attachmentScratch = [:]
    entry.hasMadeAttachments = false
    entry.beforeRemovals = []
    return entry
  }

  /// Writes a field as a program does, which makes it where it isn't shown.
  mutating func write(_ value: [UInt8], to name: String) {
    if fields[name] == nil { noteChange() }
    put(value, in: name)
  }

  /// Puts a value into a field, which is new or not.
  mutating func put(_ value: [UInt8], in name: String) {
    let old = fields[name]?.value ?? kept[name]?.value ?? (isInDocument(name) ? [] : nil)
    if old != value { noteChange() }
    if fields[name] != nil {
      fields[name]?.value = value
    } else {
      let isProtected =
        kept[name]?.isProtected ?? protections[name] ?? Self.protectsNew(name)
      fields[name] = Field(value: value, isProtected: isProtected)
    }
    occupy(name)
  }

  /// Something has taken the place of a field whose name was moved aside.
  private mutating func occupy(_ name: String) {
    kept[name] = nil
    for other in scratch.keys where scratch[other]?.holds == name { scratch[other]?.holds = nil }
  }

  /// Takes a field away for good.
  mutating func removeField(_ name: String) {
    noteRemoval()
    if let field = fields.removeValue(forKey: name), isInDocument(name), !Self.isStandard(name) {
      protections[name] = field.isProtected
    }
  }

  /// Takes a temporary file away, and with it the value that it holds.
  mutating func removeScratch(_ name: String) {
    guard let held = scratch[name]?.holds else {
      scratch[name] = nil
      return
    }
    noteRemoval()
    scratch[name] = nil
    if let field = kept.removeValue(forKey: held), !Self.isStandard(held) {
      protections[held] = field.isProtected
    }
  }

  /// Moves a field's name aside.
  mutating func vacate(_ name: String, as temporary: String) {
    guard let field = fields.removeValue(forKey: name) else { return }
    removeScratch(temporary)
    scratch[temporary] = Scratch(bytes: field.value, holds: name)
    kept[name] = field
    if !Self.isStandard(name) { stored.insert(name) }
  }

  /// Gives a field another name in the same entry, or its value to the field that has that name.
  mutating func renameField(_ old: String, to new: String) {
    guard let field = fields[old] else { return }
    let wasInDocument = isInDocument(old)
    if Self.isStandard(old) || Self.isStandard(new) || fields[new] != nil || kept[new] != nil {
      put(field.value, in: new)
      removeField(old)
      if wasInDocument, !Self.isStandard(new) { stored.insert(new) }
    } else {
      // It keeps its protection and its place.
      fields[old] = nil
      fields[new] = field
      if stored.remove(old) != nil { stored.insert(new) }
    }
    noteChange()
  }
}

/// What a text becomes as a field's value.
enum ModelText {
  static func judge(
    _ raw: [UInt8], over current: [UInt8], isExact: Bool = false
  ) throws(TreeError) -> [UInt8] {
    var value = raw
    let lineFeed = UInt8(ascii: "\n")
    if !isExact, raw.last == lineFeed, raw.count(where: { $0 == lineFeed }) == 1 {
      value.removeLast()
    }
    if String(validating: value, as: UTF8.self) == nil { throw .illegalSequence }
    if value.contains(where: { $0 < 0x20 && $0 != 0x09 && $0 != 0x0A && $0 != 0x0D }) {
      throw .invalid
    }
    if !isExact, raw == current + [lineFeed] { return current }
    return value
  }

  /// What stands when something is added to a value.
  static func adding(_ addition: [UInt8], to value: [UInt8]) -> [UInt8] {
    let lineFeed = UInt8(ascii: "\n")
    let startsLine = addition.last == lineFeed && !value.isEmpty && value.last != lineFeed
    return value + (startsLine ? [lineFeed] : []) + addition
  }
}
