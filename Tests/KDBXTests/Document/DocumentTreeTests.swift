import TestSupport
import Testing

@testable import KDBX

/// Where groups and entries are, after any changes, against a model that is too simple to be wrong.
@Suite struct DocumentTreeTests {
  static let now = VaultTime(unixSeconds: 1_700_000_000)

  /// A group of the model; entries by their name.
  final class Model {
    enum Child {
      case group(Model)
      case entry(String)
    }
    let name: String
    var children: [Child] = []
    init(_ name: String) { self.name = name }

    /// As ``Document/add(_:to:)`` says: an entry behind the last one, a group behind all.
    func add(_ child: Child) {
      guard case .entry = child else { return children.append(child) }
      let last = children.lastIndex { if case .entry = $0 { true } else { false } }
      children.insert(child, at: last.map { $0 + 1 } ?? 0)
    }

    var outline: [String] {
      ["(\(name)"]
        + children.flatMap { child in
          switch child {
          case .group(let group): group.outline
          case .entry(let name): [name]
          }
        } + [")"]
    }
  }

  static func outline(_ document: Document, _ group: GroupID? = nil) -> [String] {
    let group = group ?? document.root
    let name = String(decoding: document.group(group).name, as: UTF8.self)
    return ["(\(name)"]
      + document.children(of: group).flatMap { child in
        switch child {
        case .group(let id): outline(document, id)
        case .entry(let id): [document.value("Title", of: document.entry(id)) ?? "?"]
        }
      } + [")"]
  }

  static func xml(_ model: Model) -> String {
    "<Group><Name>\(model.name)</Name>\n"
      + model.children.map { child in
        switch child {
        case .group(let group): xml(group)
        case .entry(let name):
          " <Entry><String><Key>Title</Key><Value>\(name)</Value></String></Entry>\n"
        }
      }.joined() + "<Odd>\(model.name)</Odd></Group>\n"
  }

  static func newEntry(_ name: String) -> Entry {
    var entry = Entry(uuid: .random(), version: .kdbx41, at: now)
    entry.set(Array("Title".utf8), to: .plain(Array(name.utf8)), isProtected: false)
    return entry
  }

  /// A random tree, in the document and in the model.
  struct Trees {
    var document: Document
    let root: Model
    var groups: [(GroupID, Model)] = []
    var parents: [ObjectIdentifier: Model] = [:]
    var entries: [(EntryID, String, Model)] = []

    init(_ random: inout SeededGenerator) throws {
      root = Model("g0")
      var models = [root]
      for number in 1...30 {
        let parent = models[Int.random(in: models.indices, using: &random)]
        if Bool.random(using: &random) {
          let group = Model("g\(number)")
          parent.children.append(.group(group))
          models.append(group)
        } else {
          parent.children.append(.entry("e\(number)"))
        }
      }
      document = try Make.document(
        "<KeePassFile><Root>\(DocumentTreeTests.xml(root))</Root></KeePassFile>")
      note(root, document.root)
    }

    private mutating func note(_ model: Model, _ id: GroupID) {
      groups.append((id, model))
      for (child, childID) in zip(model.children, document.children(of: id)) {
        switch (child, childID) {
        case (.group(let group), .group(let id)):
          parents[ObjectIdentifier(group)] = model
          note(group, id)
        case (.entry(let name), .entry(let id)): entries.append((id, name, model))
        default: Issue.record("the document's tree isn't the model's")
        }
      }
    }

    func isBelow(_ group: Model, _ ancestor: Model) -> Bool {
      var current: Model? = group
      while let model = current {
        if model === ancestor { return true }
        current = parents[ObjectIdentifier(model)]
      }
      return false
    }

    mutating func change(_ number: Int, _ random: inout SeededGenerator) {
      let (target, model) = groups[Int.random(in: groups.indices, using: &random)]
      switch Int.random(in: 0..<6, using: &random) {
      case 0:
        let id = document.add(DocumentTreeTests.newEntry("n\(number)"), to: target)
        model.add(.entry("n\(number)"))
        entries.append((id, "n\(number)", model))
      case 1:
        let group = Model("n\(number)")
        let id = document.add(
          Group(
            uuid: .random(), name: Array(group.name.utf8), version: .kdbx41,
            at: DocumentTreeTests.now), to: target)
        model.add(.group(group))
        parents[ObjectIdentifier(group)] = model
        groups.append((id, group))
      case 2:
        guard !entries.isEmpty else { return }
        let index = Int.random(in: entries.indices, using: &random)
        let (id, name, parent) = entries[index]
        document.move(.entry(id), to: target)
        drop(name, from: parent)
        model.add(.entry(name))
        entries[index].2 = model
      case 3:
        guard !entries.isEmpty else { return }
        let (id, name, parent) = entries.remove(
          at: Int.random(in: entries.indices, using: &random))
        document.remove(.entry(id))
        drop(name, from: parent)
      case 4:
        let (id, group) = groups[Int.random(in: groups.indices, using: &random)]
        #expect(document.canMove(.group(id), to: target) == !isBelow(model, group))
        document.move(.group(id), to: target)
        guard group !== root, !isBelow(model, group),
          let parent = parents[ObjectIdentifier(group)]
        else { return }
        drop(group, from: parent)
        model.add(.group(group))
        parents[ObjectIdentifier(group)] = model
      default:
        // A group's own property changes: its children stay where they are.
        var group = document.group(target)
        group.notes = .plain(Array("note \(number)".utf8))
        document.replace(target, with: group)
      }
    }

    private func drop(_ name: String, from parent: Model) {
      parent.children.removeAll { if case .entry(name) = $0 { true } else { false } }
    }

    private func drop(_ group: Model, from parent: Model) {
      parent.children.removeAll {
        if case .group(let other) = $0 { other === group } else { false }
      }
    }
  }

  @Test(arguments: 0..<60)
  func `after any changes the tree is what was asked for, in memory and written`(
    seed: UInt64
  ) throws {
    var random = SeededGenerator(seed: seed)
    var trees = try Trees(&random)
    #expect(Self.outline(trees.document) == trees.root.outline)
    for number in 0..<Int.random(in: 1...40, using: &random) {
      trees.change(number, &random)
    }
    let expected = trees.root.outline
    #expect(Self.outline(trees.document) == expected)
    let again = try Make.document(try Make.written(trees.document))
    #expect(Self.outline(again) == expected)
    #expect(trees.document.hasSameContent(as: again))
    #expect(again.entryCount == trees.document.entryCount)
    #expect(again.groupCount == trees.document.groupCount)
    #expect(again.allEntries.count == again.entryCount)
    #expect(again.allGroups.count == again.groupCount)
  }

  @Test(arguments: 0..<20)
  func `a copy is a snapshot, whatever happens to the original`(seed: UInt64) throws {
    var random = SeededGenerator(seed: seed)
    var trees = try Trees(&random)
    for number in 0..<10 { trees.change(number, &random) }
    let snapshot = trees.document
    let outline = Self.outline(snapshot)
    let written = try Make.written(snapshot)
    for number in 10..<30 { trees.change(number, &random) }
    #expect(Self.outline(snapshot) == outline)
    #expect(try Make.written(snapshot) == written)
  }

  @Test func `what was removed can be read and brought back`() throws {
    var document = try Make.document(
      """
      <KeePassFile><Root><Group><Name>r</Name><Group><Name>a</Name><Entry>\
      <String><Key>Title</Key><Value>t</Value></String></Entry></Group></Group></Root></KeePassFile>
      """)
    let group = document.children(of: document.root)[0]
    document.remove(group)
    #expect(document.parent(of: group) == nil)
    #expect(!document.contains(group))
    #expect(document.entryCount == 0)
    #expect(document.groupCount == 1)
    guard case .group(let id) = group else { return }
    #expect(document.group(id).name == Array("a".utf8))
    #expect(document.children(of: id).count == 1)
    document.move(group, to: document.root)
    #expect(Self.outline(document) == ["(r", "(a", "t", ")", ")"])
    #expect(document.entryCount == 1)
    #expect(document.groupCount == 2)
  }

  @Test func `the root stays`() throws {
    var document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    document.remove(.group(document.root))
    document.move(.group(document.root), to: document.root)
    #expect(document.groupCount == 1)
    _ = document.add(Self.newEntry("x"), to: document.root)
    let again = try Make.document(try Make.written(document))
    #expect(Self.outline(again) == ["(", "x", ")"])
  }

  @Test func `groups can't be nested deeper than can be read back`() throws {
    var document = try Make.document("<KeePassFile><Root><Group/></Root></KeePassFile>")
    var parent = document.root
    while document.canMove(nil, to: parent) {
      parent = document.add(
        Group(uuid: .random(), name: [0x61], version: .kdbx41, at: Self.now), to: parent)
    }
    _ = document.add(Self.newEntry("deep"), to: parent)
    #expect(document.groupCount == Document.groupDepthLimit)
    let again = try Make.document(try Make.written(document))
    #expect(again.groupCount == Document.groupDepthLimit)
    #expect(document.hasSameContent(as: again))
  }

  @Test func `a big group is changed at its ends in no time`() throws {
    let entries = (0..<5000).map {
      "<Entry><String><Key>Title</Key><Value>\($0)</Value></String></Entry>"
    }
    var document = try Make.document(
      "<KeePassFile><Root><Group>\(entries.joined())</Group></Root></KeePassFile>")
    for child in document.children(of: document.root).dropLast() { document.remove(child) }
    #expect(document.entryCount == 1)
    let again = try Make.document(try Make.written(document))
    #expect(Self.outline(again) == ["(", "4999", ")"])
  }
}
