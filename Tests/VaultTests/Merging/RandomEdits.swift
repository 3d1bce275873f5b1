import TestSupport

/// Makes vaults and edits of them at random, as programs do, and as programs shouldn't.
struct RandomEdits {
  static let entryElements = ["Tags", "OverrideURL", "Mystery"]
  static let groupElements = ["Name", "Notes", "DefaultAutoTypeSequence", "Mystery"]
  static let metaElements = ["DatabaseName", "DatabaseDescription", "HistoryMaxItems", "Mystery"]
  static let metaTimes = ["DatabaseNameChanged", "DatabaseDescriptionChanged", "SettingsChanged"]
  private static let fields = ["Title", "UserName", "Password", "URL", "Notes", "pin", "two words"]

  /// The time that a property of the vault is changed with.
  static func unit(of part: String) -> String? {
    switch part {
    case "e:DatabaseName": "DatabaseNameChanged"
    case "e:DatabaseDescription": "DatabaseDescriptionChanged"
    case "e:HistoryMaxItems": "SettingsChanged"
    default: nil
    }
  }

  var random: SeededGenerator

  private mutating func chance(_ percent: Int) -> Bool {
    Int.random(in: 0..<100, using: &random) < percent
  }

  private mutating func number(_ range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element? {
    elements.randomElement(using: &random)
  }

  /// A value; few different ones, so that both sides may choose the same.
  private mutating func value() -> String { ["", "a", "b", "c", "d e", "ü"][number(0..<6)] }

  // MARK: - A vault

  mutating func vault() -> ReferenceVault {
    var vault = ReferenceVault()
    vault.meta = ["e:DatabaseName": "v", "e:Mystery": value()]
    vault.meta["e:HistoryMaxItems"] = pick(["-1", "0", "1", "3", "10"])
    for name in Self.metaTimes { vault.metaTimes[name] = number(0..<20) }
    for number in 2..<self.number(3..<7) { addGroup(number, to: &vault) }
    if chance(60) { addGroup(ReferenceVault.bin, to: &vault) }
    for number in 10..<self.number(12..<18) { addEntry(number, to: &vault) }
    for number in 60..<self.number(60..<63) { vault.deleted[number] = self.number(0..<30) }
    return vault
  }

  private mutating func parent(in vault: ReferenceVault) -> Int {
    pick([ReferenceVault.root] + vault.groups.keys.sorted()) ?? ReferenceVault.root
  }

  private mutating func addGroup(_ number: Int, to vault: inout ReferenceVault) {
    guard vault.groups[number] == nil else { return }
    var parts = ["e:Name": "group \(number)", "icon": "48", "expiry": "False@0"]
    if chance(50) { parts["e:Notes"] = value() }
    if chance(30) { parts["c:k"] = value() }
    vault.groups[number] = ReferenceGroup(
      parts: parts, modified: self.number(0..<20),
      place: ReferencePlace(parent: parent(in: vault), changed: self.number(0..<20)))
    vault.deleted[number] = nil
  }

  private mutating func addEntry(_ number: Int, to vault: inout ReferenceVault) {
    guard vault.entries[number] == nil else { return }
    var parts = ["icon": "0", "expiry": "False@0"]
    for field in Self.fields where chance(70) { parts["f:" + field] = value() }
    if chance(40) { parts["a:file"] = "content" }
    if chance(60) { parts["e:Tags"] = pick(["", "x", "x;y"]) }
    if chance(30) { parts["e:Mystery"] = value() }
    if chance(40) { parts["c:k"] = value() }
    vault.entries[number] = ReferenceEntry(
      state: ReferenceState(parts: parts, modified: self.number(0..<20)),
      accessed: self.number(0..<20), uses: self.number(0..<9),
      place: ReferencePlace(parent: parent(in: vault), changed: self.number(0..<20)))
    vault.deleted[number] = nil
    for _ in 0..<self.number(0..<4) { editEntry(number, &vault, at: self.number(0..<20)) }
  }

  // MARK: - Edits

  /// Makes some edits; new things get numbers from `first` on.
  mutating func edit(_ vault: inout ReferenceVault, first: Int) {
    var edited: Set<Int> = []
    for step in 0..<number(0..<8) {
      let time = number(15..<45)
      switch number(0..<20) {
      case 0..<9:
        guard let id = pick(vault.entries.keys.sorted()) else { break }
        // One save makes one version.
        editEntry(id, &vault, at: time, keepsOld: edited.insert(id).inserted)
      case 9: addEntry(chance(20) ? 200 : first + step, to: &vault)
      case 10: addGroup(chance(20) ? 210 : first + 10 + step, to: &vault)
      case 11..<13: moveEntry(&vault, at: time)
      case 13..<15: moveGroup(&vault, at: time)
      case 15: deleteEntry(&vault, at: time)
      case 16: deleteGroup(&vault, at: time)
      case 17: editGroup(&vault, at: time)
      case 18: editMeta(&vault, at: time)
      default: dropWithoutRecord(&vault)
      }
    }
  }

  /// Changes parts of an entry; the state before becomes a version, unless it is not `keepsOld`.
  private mutating func editEntry(
    _ id: Int, _ vault: inout ReferenceVault, at time: Int, keepsOld: Bool = true
  ) {
    guard var entry = vault.entries[id] else { return }
    let before = entry.state
    for _ in 0..<number(1..<4) {
      switch number(0..<10) {
      case 0..<5: entry.state.parts["f:" + (pick(Self.fields) ?? "")] = chance(85) ? value() : nil
      case 5:
        entry.state.parts["a:" + (chance(50) ? "file" : "other")] = chance(70) ? value() + "!" : nil
      case 6:
        entry.state.parts["e:" + (pick(Self.entryElements) ?? "")] = chance(70) ? value() : nil
      case 7: entry.state.parts["c:" + (pick(["k", "l"]) ?? "")] = chance(70) ? value() : nil
      case 8: entry.state.parts["icon"] = String(number(0..<3))
      default: entry.state.parts["expiry"] = pick(["True@5", "True@6", "False@5"])
      }
    }
    // A tag is what stands between separators: two words are one.
    guard entry.state.parts != before.parts else { return }
    entry.state.modified = time
    entry.accessed = max(entry.accessed, time)
    entry.uses += 1
    if keepsOld {
      entry.history.append(before)
      entry.history.sort { $0.modified < $1.modified }
    }
    vault.entries[id] = entry
  }

  private mutating func moveEntry(_ vault: inout ReferenceVault, at time: Int) {
    guard let id = pick(vault.entries.keys.sorted()) else { return }
    let target = parent(in: vault)
    vault.entries[id]?.place = ReferencePlace(parent: target, changed: time)
  }

  private mutating func moveGroup(_ vault: inout ReferenceVault, at time: Int) {
    guard let id = pick(vault.groups.keys.sorted()) else { return }
    let target = parent(in: vault)
    var next = target
    while next != ReferenceVault.root {
      if next == id { return }
      next = vault.groups[next]?.place.parent ?? ReferenceVault.root
    }
    vault.groups[id]?.place = ReferencePlace(parent: target, changed: time)
  }

  private mutating func deleteEntry(_ vault: inout ReferenceVault, at time: Int) {
    guard let id = pick(vault.entries.keys.sorted()) else { return }
    vault.entries[id] = nil
    vault.deleted[id] = time
  }

  private mutating func deleteGroup(_ vault: inout ReferenceVault, at time: Int) {
    guard let id = pick(vault.groups.keys.sorted()) else { return }
    delete(group: id, &vault, at: time)
  }

  private func delete(group id: Int, _ vault: inout ReferenceVault, at time: Int) {
    for (number, entry) in vault.entries where entry.place.parent == id {
      vault.entries[number] = nil
      vault.deleted[number] = time
    }
    for (number, group) in vault.groups where group.place.parent == id {
      delete(group: number, &vault, at: time)
    }
    vault.groups[id] = nil
    vault.deleted[id] = time
  }

  private mutating func editGroup(_ vault: inout ReferenceVault, at time: Int) {
    guard let id = pick(vault.groups.keys.sorted()) else { return }
    let part = pick(["e:Name", "e:Notes", "e:DefaultAutoTypeSequence", "e:Mystery", "c:k", "icon"])
    let value = part == "icon" ? String(number(0..<3)) : value()
    vault.groups[id]?.parts[part ?? ""] = value
    vault.groups[id]?.modified = time
  }

  private mutating func editMeta(_ vault: inout ReferenceVault, at time: Int) {
    let part =
      pick(
        ["e:DatabaseName", "e:DatabaseDescription", "e:HistoryMaxItems", "e:Mystery", "c:k", "c:l"])
      ?? ""
    vault.meta[part] = part == "e:HistoryMaxItems" ? pick(["0", "2", "5"]) : value()
    if part.hasPrefix("c:"), chance(30) { vault.meta[part] = nil }
    if let unit = Self.unit(of: part) { vault.metaTimes[unit] = time }
  }

  private mutating func dropWithoutRecord(_ vault: inout ReferenceVault) {
    guard let id = pick(vault.entries.keys.sorted()) else { return }
    vault.entries[id] = nil
  }
}
