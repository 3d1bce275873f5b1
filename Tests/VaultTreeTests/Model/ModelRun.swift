import TestSupport
import Testing
import Vault

@testable import VaultTree

/// A tree and its model, to which the same operations are applied.
final class ModelRun {
  private(set) var shell: Shell
  private(set) var model = ModelTree()
  private var random: SeededGenerator
  private let clock = TestClock()
  /// What was done, to be read when a difference shows up.
  private(set) var log: [String] = []

  static let fieldNames = ["username", "password", "url", "notes", "pin", "x y", ".rc", "ünï"]
  static let fileNames = ["key", "f1", "ö.bin"]
  static let directoryNames = ["a", "b", "mail"]
  static let values: [[UInt8]] = [
    "", "one", "one\n", "two", "two\nlines\n", "ß\n", "a\n\n", "\n",
  ].map { Array($0.utf8) }
  static let badValues: [([UInt8], TreeError)] = [
    ([0x61, 0xFF, 0x62], .illegalSequence), ([0x61, 0x01], .invalid), ([0xC3], .illegalSequence),
  ]

  init(seed: UInt64) throws {
    random = SeededGenerator(seed: seed)
    shell = Shell(
      try Fixture.vault(
        [
          .entry(
            "mail",
            [
              .init("UserName", "sam"), .init("Password", "pw", protected: true),
              .init("pin", "4711", protected: true), .init("x y", "open"),
            ], extra: "<Tags>t1</Tags>", attachments: [("key", 0)]),
          .group("a", [.entry("e", [.init("Notes", "first\nsecond")])]),
          .group(ModelTree.bin, [], uuid: Fixture.bin),
        ], meta: Fixture.binMeta, binaries: [Array("attached".utf8)]), clock: clock)
    model.root = [
      "mail": .entry(
        Self.entry(
          "mail", ["username": "sam", "password": "pw", "url": "", "notes": ""],
          ["pin": ("4711", true), "x y": ("open", false)], tags: "t1", files: ["key": "attached"])),
      "a": .group(
        [
          "e": .entry(
            Self.entry(
              "e", ["username": "", "password": "", "url": "", "notes": "first\nsecond"], [:]))
        ], wasUndecided: false),
    ]
  }

  private static func entry(
    _ title: String, _ standard: [String: String], _ custom: [String: (String, Bool)],
    tags: String = "", files: [String: String] = [:]
  ) -> ModelEntry {
    var entry = ModelEntry()
    for (name, value) in standard {
      entry.fields[name] = .init(value: Array(value.utf8), isProtected: name == "password")
    }
    for (name, value) in custom {
      entry.fields[name] = .init(value: Array(value.0.utf8), isProtected: value.1)
      entry.stored.insert(name)
    }
    entry.tags = Array(tags.utf8)
    for (name, value) in files { entry.attachments[name] = Array(value.utf8) }
    entry.saved = entry.content(title: title)
    return entry
  }

  // MARK: - Choosing

  private func pick<Element>(_ elements: [Element]) -> Element? {
    elements.isEmpty ? nil : elements[Int.random(in: elements.indices, using: &random)]
  }

  private func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

  private func joined(_ path: [String]) -> String { path.joined(separator: "/") }

  /// Does something, and compares what the tree and the model say of it.
  ///
  /// `expected` is the error that is due, nil for none.
  private func expect(
    _ what: String, _ expected: TreeError?, _ body: () throws(TreeError) -> Void
  ) throws {
    log.append(what)
    var error: TreeError?
    do throws(TreeError) { try body() } catch let thrown { error = thrown }
    guard error == expected else {
      throw Difference(
        "\(what): \(String(describing: error)), should be \(String(describing: expected))")
    }
  }

  struct Difference: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
  }

  // MARK: - Steps

  func step() throws {
    switch Int.random(in: 0..<100, using: &random) {
    case 0..<26: try writeField()
    case 26..<32: try appendToField()
    case 32..<40: try removeFile()
    case 40..<52: try renameInEntry()
    case 52..<57: try moveBetweenEntries()
    case 57..<64: try writeAttachment()
    case 64..<68: try exchange()
    case 68..<75: try makeDirectory()
    case 75..<80: try moveDirectory()
    case 80..<84: try removeDirectory()
    case 84..<86: try setTags()
    case 86..<97: try save()
    default: try remount()
    }
    if chance(30) { clock.advance(seconds: Double(Int.random(in: 1..<90, using: &random))) }
  }

  private func entryPath() -> [String]? { pick(model.paths { $0.isEntry }) }

  /// The name of a temporary file made from a field that is shown, or that was moved aside.
  private func temporaryName(_ entry: ModelEntry) -> String? {
    let origins = (Array(entry.fields.keys) + entry.kept.keys).sorted()
    guard let origin = pick(origins), !entry.scratch.keys.contains(origin) else { return "4913" }
    return pick([
      "\(origin)~", ".\(origin).swp", "#\(origin)#", "\(origin).bak", ".\(origin).aB3xYz",
    ])
  }

  private func writeField() throws {
    // Sometimes into a directory that is no entry, or not yet.
    if chance(25), let path = pick(model.paths { !$0.isEntry }) {
      return try writeIntoFolder(path)
    }
    guard let path = entryPath(), let entry = model.entry(path) else { return }
    let isTemporary = chance(25)
    guard let name = isTemporary ? temporaryName(entry) : pick(Self.fieldNames) else { return }
    let target = joined(path + [name])
    if !isTemporary, chance(12), let (value, error) = pick(Self.badValues) {
      try expect("write \(value) > \(target)", error) { () throws(TreeError) in
        try shell.copy(value, to: target)
      }
      // It made the name, and took it away again.
      return model.change(path) { entry in if entry.fields[name] == nil { entry.noteChange() } }
    }
    guard let value = pick(Self.values) else { return }
    try expect("write \(Lines.text(value)) > \(target)", nil) { () throws(TreeError) in
      try shell.copy(value, to: target)
    }
    let current = entry.fields[name]?.value ?? entry.kept[name]?.value ?? []
    let judged = try ModelText.judge(value, over: current)
    model.change(path) { entry in
      if isTemporary {
        entry.scratch[name, default: .init(bytes: [])].bytes = value
      } else {
        entry.write(judged, to: name)
      }
    }
  }

  private func writeIntoFolder(_ path: [String]) throws {
    guard let name = pick(Self.fieldNames), let value = pick(Self.values) else { return }
    let target = joined(path + [name])
    let isAttachments = path.last == "attachments"
    let above = Array(path.dropLast())
    if isAttachments, model[path]?.isUndecided == true, model[above]?.isUndecided == true,
      model.canBecomeEntry(above)
    {
      try expect("write > \(target)", nil) { () throws(TreeError) in
        try shell.copy(value, to: target)
      }
      model.decideEntry(above)
      return model.change(above) { entry in
        entry.attachments[name] = value
      }
    }
    guard model.canBecomeEntry(path) else {
      return try expect("write > \(target)", .notPermitted) { () throws(TreeError) in
        try shell.copy(value, to: target)
      }
    }
    try expect("write \(Lines.text(value)) > \(target)", nil) { () throws(TreeError) in
      try shell.copy(value, to: target)
    }
    let judged = try ModelText.judge(value, over: [])
    model.decideEntry(path)
    model.change(path) { $0.put(judged, in: name) }
  }

  private func appendToField() throws {
    guard let path = entryPath(), let entry = model.entry(path), let value = pick(Self.values),
      let name = pick(entry.fields.keys.sorted()), let current = entry.fields[name]?.value
    else { return }
    let target = joined(path + [name])
    try expect("append \(Lines.text(value)) >> \(target)", nil) { () throws(TreeError) in
      try shell.redirect(target, String(decoding: value, as: UTF8.self), append: true)
    }
    let all = ModelText.adding(value, to: current)
    let judged = try ModelText.judge(all, over: current)
    model.change(path) { $0.put(judged, in: name) }
  }

  private func removeFile() throws {
    guard let path = entryPath(), let entry = model.entry(path) else { return }
    let fields = entry.fields.keys.sorted()
    let scratch = entry.scratch.keys.sorted()
    let files = entry.attachments.keys.sorted().map { "attachments/" + $0 }
    guard let name = pick(fields + scratch + files + (chance(10) ? ["absent"] : [])) else { return }
    let target = joined(path + [name])
    try expect("rm \(target)", name == "absent" ? .noEntry : nil) { () throws(TreeError) in
      try shell.unlink(target)
    }
    model.change(path) { entry in
      if scratch.contains(name) {
        entry.removeScratch(name)
      } else if fields.contains(name) {
        entry.removeField(name)
      } else if name != "absent" {
        let file = String(name.dropFirst("attachments/".count))
        entry.noteRemoval()
        entry.attachments[file] = nil
        entry.noteLastAttachment()
      }
    }
  }

  private func renameInEntry() throws {
    guard let path = entryPath(), let entry = model.entry(path) else { return }
    let (fields, scratch) = (entry.fields.keys.sorted(), entry.scratch.keys.sorted())
    let isTemporary = chance(45)
    guard let old = pick(fields + scratch),
      let new = isTemporary ? temporaryName(entry) : pick(Self.fieldNames), old != new
    else { return }
    if chance(10) {
      let exists = entry.fields[new] != nil || entry.scratch[new] != nil
      if exists {
        return try expect("mv -n \(joined(path)): \(old) -> \(new)", .exists) {
          () throws(TreeError) in
          try shell.rename(joined(path + [old]), joined(path + [new]), .noReplace)
        }
      }
    }
    var judged: [UInt8] = []
    if let bytes = entry.scratch[old]?.bytes, !isTemporary {
      judged = try ModelText.judge(
        bytes, over: entry.fields[new]?.value ?? entry.kept[new]?.value ?? [])
    }
    try expect("mv \(joined(path)): \(old) -> \(new)", nil) { () throws(TreeError) in
      try shell.rename(joined(path + [old]), joined(path + [new]))
    }
    model.change(path) { entry in
      switch (scratch.contains(old), isTemporary) {
      case (true, true):
        let moved = entry.scratch.removeValue(forKey: old)
        entry.removeScratch(new)
        entry.scratch[new] = moved
      case (true, false):
        entry.put(judged, in: new)
        entry.removeScratch(old)
      case (false, true): entry.vacate(old, as: new)
      case (false, false): entry.renameField(old, to: new)
      }
    }
  }

  private func moveBetweenEntries() throws {
    guard let from = entryPath(), let to = entryPath(), from != to, let source = model.entry(from),
      let name = pick(source.fields.keys.sorted()), let field = source.fields[name],
      let newName = pick(Self.fieldNames)
    else { return }
    try expect("mv \(joined(from + [name])) \(joined(to + [newName]))", nil) {
      () throws(TreeError) in
      try shell.rename(joined(from + [name]), joined(to + [newName]))
    }
    let wasInDocument = source.isInDocument(name)
    model.change(from) { entry in
      entry.removeField(name)
      entry.noteChange()
    }
    model.change(to) { entry in
      entry.noteChange()
      entry.put(field.value, in: newName)
      if wasInDocument, !ModelEntry.isStandard(newName) { entry.stored.insert(newName) }
    }
  }

  private func writeAttachment() throws {
    guard let path = entryPath(), let entry = model.entry(path), let name = pick(Self.fileNames)
    else { return }
    let directory = joined(path + ["attachments"])
    if !entry.showsAttachments, !entry.attachmentsLinger {
      try expect("write > \(directory)/\(name)", .noEntry) { () throws(TreeError) in
        try shell.copy([1], to: directory + "/" + name)
      }
      try expect("mkdir \(directory)", nil) { () throws(TreeError) in try shell.mkdir(directory) }
      return model.change(path) { $0.hasMadeAttachments = true }
    }
    let value =
      chance(50) ? [0xFF, 0, UInt8.random(in: 0...9, using: &random)] : Array("text\n".utf8)
    try expect("write \(value) > \(directory)/\(name)", nil) { () throws(TreeError) in
      try shell.copy(value, to: directory + "/" + name)
    }
    model.change(path) { entry in
      if entry.attachments[name] != value { entry.noteChange() }
      entry.attachments[name] = value
      entry.attachmentsLinger = false
    }
  }

  private func exchange() throws {
    guard let path = entryPath(), let entry = model.entry(path),
      let first = pick(entry.fields.keys.sorted()), let second = pick(entry.fields.keys.sorted()),
      first != second, let one = entry.fields[first], let two = entry.fields[second]
    else { return }
    try expect("exchange \(joined(path)): \(first) <-> \(second)", nil) { () throws(TreeError) in
      try shell.rename(joined(path + [first]), joined(path + [second]), .exchange)
    }
    model.change(path) { entry in
      if one.value != two.value { entry.noteChange() }
      entry.fields[first]?.value = two.value
      entry.fields[second]?.value = one.value
    }
  }

  private func setTags() throws {
    guard let path = entryPath(), let value = pick(["t1\n", "t2\nt3\n", "one"]) else { return }
    let target = joined(path + ["tags"])
    try expect("write \(value.debugDescription) > \(target)", nil) { () throws(TreeError) in
      try shell.redirect(target, value)
    }
    let tags = Array((value.hasSuffix("\n") ? String(value.dropLast()) : value).utf8)
    model.change(path) { entry in
      if entry.tags != tags { entry.noteChange() }
      entry.tags = tags
    }
  }

  // MARK: - Directories

  private func makeDirectory() throws {
    let parents = [[]] + model.paths { !$0.isEntry }
    guard let parent = pick(parents), parent.count < 4,
      let name = pick(Self.directoryNames + (chance(20) ? ["attachments"] : []))
    else { return }
    let path = parent + [name]
    if model[path] != nil {
      return try expect("mkdir \(joined(path))", .exists) { () throws(TreeError) in
        try shell.mkdir(joined(path))
      }
    }
    try expect("mkdir \(joined(path))", nil) { () throws(TreeError) in
      try shell.mkdir(joined(path))
    }
    if !(name == "attachments" && model[parent]?.isUndecided == true) { model.decideGroup(parent) }
    model[path] = .undecided([:])
  }

  private func moveDirectory() throws {
    guard let old = pick(model.paths { _ in true }),
      let parent = pick([[]] + model.paths { !$0.isEntry }),
      let name = pick(Self.directoryNames), let node = model[old]
    else { return }
    let new = parent + [name]
    guard new != old else { return }
    var error: TreeError?
    if new.starts(with: old) {
      error = .invalid
    } else if let target = model[new] {
      if target.isEntry || !target.children.isEmpty {
        error = .notEmpty
      } else if case .group = target {
        error = .exists
      }
    }
    try expect("mv \(joined(old)) \(joined(new))", error) { () throws(TreeError) in
      try shell.rename(joined(old), joined(new))
    }
    guard error == nil else { return }
    if old.dropLast() != new.dropLast()[...] { model.decideGroup(parent) }
    model[old] = nil
    model[new] = node
    if old.last != name { model.change(new) { $0.noteChange() } }
  }

  private func removeDirectory() throws {
    guard let path = pick(model.paths { _ in true }), let node = model[path] else { return }
    if case .entry(let entry) = node, !entry.isEmpty, chance(30) {
      return try expect("rmdir \(joined(path))", .notEmpty) { () throws(TreeError) in
        try shell.rmdir(joined(path))
      }
    }
    try expect("rm -r \(joined(path))", nil) { () throws(TreeError) in
      _ = try shell.ls(joined(Array(path.dropLast())))
      try shell.removeAll(joined(path))
    }
    model.remove(path)
  }

  // MARK: - Saving

  private func save() throws {
    let reasons: [SaveReason] = [.save, .lock, .autosave, .fsync]
    guard let reason = pick(reasons) else { return }
    // Long enough for all new names.
    clock.advance(seconds: 6)
    let succeeded = !chance(20)
    log.append("save for \(reason)\(succeeded ? "" : ", which fails")")
    if let prepared = shell.tree.prepareSave(reason) {
      shell.tree.finishSave(prepared, succeeded: succeeded)
      model.save(reason, at: clock.monotonic, succeeded: succeeded)
    } else {
      // Nothing to save: then the model must see no difference either.
      model.save(reason, at: clock.monotonic, succeeded: true)
    }
    if succeeded, reason.storesAll { try compareStored() }
  }

  private func remount() throws {
    let isLock = chance(50)
    log.append(isLock ? "lock and unlock" : "unmount and mount")
    if let prepared = shell.tree.prepareSave(isLock ? .lock : .unmount) {
      shell.tree.finishSave(prepared, succeeded: true)
    }
    model.save(.unmount, at: clock.monotonic, succeeded: true)
    try compareStored()
    if isLock {
      let vault = shell.tree.vault
      shell.tree.lock(keepingEdits: false)
      shell.tree.unlock(vault)
    } else {
      shell = Shell(shell.tree.vault, clock: clock)
    }
    model = model.remounted(byUnlocking: isLock)
    // What lies in the bin can be removed for good now, and isn't touched.
  }

  // MARK: - Comparing

  func compare() throws {
    try Self.compare(try Lines.of(shell), model.lines(), "the tree shows")
  }

  /// Compares what the vault holds, as a mount of it would show.
  private func compareStored() throws {
    let stored = Shell(shell.tree.vault, clock: clock)
    let model = model.remounted()
    try Self.compare(
      try Lines.of(stored, withHistory: true), model.lines(withHistory: true), "the vault holds")
    try Self.compare(try Lines.ofBin(stored), model.binLines(), "the bin holds")
  }

  private static func compare(_ found: [String], _ expected: [String], _ what: String) throws {
    guard found != expected else { return }
    let (extra, missing) = (Set(found).subtracting(expected), Set(expected).subtracting(found))
    throw Difference("\(what) \(extra.sorted()), and should \(missing.sorted())")
  }
}

extension ModelEntry {
  /// The `attachments` directory goes with the last file in it, but can still be reached.
  mutating func noteLastAttachment() {
    hasMadeAttachments = false
    if !showsAttachments { attachmentsLinger = true }
  }
}
