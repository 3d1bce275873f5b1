import KDBX

/// Properties of the vault that change together, and when they did.
private struct MetaUnit {
  let parts: [ElementPart]
  let changed: [UInt8]
  /// Whether theirs may win by its time alone, where no base says who changed it.
  let isMergedByTime: Bool

  init(_ names: String..., changed: String, isMergedByTime: Bool = true) {
    parts = names.map { .element(Array($0.utf8)) }
    self.changed = Array(changed.utf8)
    self.isMergedByTime = isMergedByTime
  }

  static let all: [MetaUnit] =
    [
      MetaUnit("DatabaseName", changed: "DatabaseNameChanged"),
      MetaUnit("DatabaseDescription", changed: "DatabaseDescriptionChanged"),
      MetaUnit("DefaultUserName", changed: "DefaultUserNameChanged"),
      MetaUnit("RecycleBinEnabled", "RecycleBinUUID", changed: "RecycleBinChanged"),
      MetaUnit("EntryTemplatesGroup", changed: "EntryTemplatesGroupChanged"),
      MetaUnit("Color", changed: "SettingsChanged"),
    ]
    + [
      "HistoryMaxItems", "HistoryMaxSize", "MaintenanceHistoryDays", "MasterKeyChangeRec",
      "MasterKeyChangeForce", "MasterKeyChangeForceOnce", "MemoryProtection",
    ].map { MetaUnit($0, changed: "SettingsChanged", isMergedByTime: false) }

  /// What is merged with the units, or is no property of its own: the key is not merged.
  static let times: Set<ElementPart> = Set(
    all.map { .element($0.changed) } + [.element(Array("MasterKeyChanged".utf8))])
}

extension Merger {
  /// Merges the vault's own properties: by unit, by icon, by item of custom data.
  mutating func mergeMeta() {
    let mine = ElementParts(vault.document.meta, in: vault.document)
    let other = ElementParts(theirs.document.meta, in: theirs.document)
    let old = base.map { ElementParts($0.meta, in: $0) }
    var taken: [ElementPart] = []
    var known = MetaUnit.times
    for unit in MetaUnit.all {
      known.formUnion(unit.parts)
      guard takes(unit, mine, other, old) else { continue }
      taken += unit.parts.filter { !mine.isSame($0, as: other) && other.has($0) }
      let time = ElementPart.element(unit.changed)
      if isLater(unit.changed, other, mine), !taken.contains(time) { taken.append(time) }
    }
    for part in mine.parts(with: other)
    where !known.contains(part) && takes(part, mine, other, old) { taken.append(part) }
    guard !taken.isEmpty else { return }
    let adopted = adoption.adoptMeta(into: &vault.document)
    var merged = vault.document.meta
    for part in taken { merged.take(part, from: adopted, in: vault.document) }
    vault.document.meta = merged
    report.hasChangedVault = true
  }

  private func isLater(_ name: [UInt8], _ left: ElementParts, _ right: ElementParts) -> Bool {
    (left.time(name) ?? .earliest) > (right.time(name) ?? .earliest)
  }

  /// Whether a unit is taken from theirs.
  private func takes(
    _ unit: MetaUnit, _ mine: ElementParts, _ other: ElementParts, _ old: ElementParts?
  ) -> Bool {
    let differing = unit.parts.filter { !mine.isSame($0, as: other) && other.has($0) }
    guard !differing.isEmpty else { return false }
    let isTheirsLater = isLater(unit.changed, other, mine)
    guard let old else { return unit.isMergedByTime && isTheirsLater }
    guard differing.contains(where: { !other.isSame($0, as: old) }) else { return false }
    return unit.parts.allSatisfy { mine.isSame($0, as: old) } || isTheirsLater
  }

  /// Whether an element, an icon or an item is taken from theirs.
  private func takes(
    _ part: ElementPart, _ mine: ElementParts, _ other: ElementParts, _ old: ElementParts?
  ) -> Bool {
    guard !mine.isSame(part, as: other), !Self.saysNothing(part, in: other) else { return false }
    if case .item(.customIcons, _) = part, !mine.has(part) {
      return Self.iconUUID(part).map { deletedHere[$0] == nil } ?? true
    }
    if let old {
      if mine.has(part) || !Self.saysNothing(part, in: mine) {
        if other.isSame(part, as: old) { return false }
        if mine.isSame(part, as: old) { return true }
      }
    } else if !other.has(part) {
      // Without a base nothing is removed that they lack.
      return false
    }
    guard mine.has(part) else { return true }
    guard case .item = part, other.has(part) else { return false }
    let times = (mine.changeTime(of: part), other.changeTime(of: part))
    if times.0 == nil, times.1 == nil, Self.iconUUID(part) == nil {
      return isLater(Array("SettingsChanged".utf8), other, mine)
    }
    return (times.1 ?? .earliest) > (times.0 ?? .earliest)
  }

  /// The icon that a part is.
  static func iconUUID(_ part: ElementPart) -> VaultUUID? {
    guard case .item(.customIcons, let key) = part else { return nil }
    return VaultUUID(base64: key.span)
  }
  /// Lets Meta name no recycle bin and no group of templates that isn't there, where ours was.
  mutating func mendGroupsInMeta(_ original: Meta) {
    let was = ElementParts(original, in: vault.document)
    var meta = vault.document.meta
    let parts = ElementParts(meta, in: vault.document)
    for name in ["RecycleBinUUID", "EntryTemplatesGroup"].map({ Array($0.utf8) }) {
      guard let group = parts.uuid(name), !group.isZero, vault.findGroup(group) == nil,
        let old = was.uuid(name), vault.findGroup(old) != nil
      else { continue }
      meta.take(.element(name), from: original, in: vault.document)
      vault.document.meta = meta
    }
  }
}
