import Ciphers
import Secrets
import Testing

@testable import KDBX

/// KeePass 1 files, as documents.
@Suite struct KDBFileTests {
  static let sample = HandMadeKDB(
    groups: [
      HandMadeKDB.group(7, "Top"), HandMadeKDB.group(9, "Inner", level: 1),
      HandMadeKDB.group(8, "Deep", level: 2), HandMadeKDB.group(3, "Backup"),
    ],
    entries: [
      HandMadeKDB.entry(
        1, in: 9, ["A & B", "http://example.com/", "größer", "pass\u{1}word", "one\r\ntwo"],
        expiry: HandMadeKDB.time, icon: 5, attachment: ("a.bin", [0, 1, 255])),
      HandMadeKDB.entry(2, in: 7, ["", "", "", "", ""]),
      HandMadeKDB.entry(
        3, in: 7, ["Meta-Info", "$", "SYSTEM", "", "KPX_GROUP_TREE_STATE"],
        attachment: ("bin-stream", [1, 2])),
      HandMadeKDB.entry(4, in: 99, ["stray", "", "", "", ""]),
    ])

  static func open(
    _ file: HandMadeKDB, with key: CompositeKey = CompositeKey(password: "test")
  ) throws(KDBXError) -> OpenedFile {
    let bytes = (try? file.bytes) ?? []
    return try KDBXFile.open(bytes.span, with: key)
  }

  static func failure(
    _ bytes: [UInt8], with key: CompositeKey = CompositeKey(password: "test")
  ) -> KDBXError? {
    do throws(KDBXError) {
      _ = try KDBXFile.open(bytes.span, with: key)
      return nil
    } catch {
      return error
    }
  }

  /// The names on the way to each group and entry, and the entries by title.
  static func paths(_ document: Document) -> [String] {
    func walk(_ group: GroupID, _ path: String) -> [String] {
      document.children(of: group).flatMap { child in
        let name = String(decoding: document.summary(of: child).name, as: UTF8.self)
        switch child {
        case .entry: return [path + "/" + name]
        case .group(let id): return [path + "/" + name + "/"] + walk(id, path + "/" + name)
        }
      }
    }
    return walk(document.root, "")
  }

  static func value(_ key: String, of entry: Entry, in document: Document) -> [UInt8]? {
    entry.string(Array(key.utf8)).map { document.values.bytes(of: $0.value) }
  }

  @Test func `groups nest by level, entries lie in their group, settings are hidden`() throws {
    let document = try Self.open(Self.sample).document
    #expect(
      Self.paths(document) == [
        "/stray", "/Top/", "/Top/", "/Top/Inner/", "/Top/Inner/A & B", "/Top/Inner/Deep/",
        "/Backup/",
      ])
    #expect(document.entryCount == 3)
    #expect(document.groupCount == 5)
  }

  @Test func `an entry has all that the file has of it`() throws {
    let document = try Self.open(Self.sample).document
    let id = try #require(document.allEntries.first { document.entry($0).iconID == 5 })
    let entry = document.entry(id)
    #expect(entry.uuid.bytes == [UInt8](repeating: 1, count: 16))
    #expect(Self.value("Title", of: entry, in: document) == Array("A & B".utf8))
    #expect(Self.value("URL", of: entry, in: document) == Array("http://example.com/".utf8))
    #expect(Self.value("UserName", of: entry, in: document) == Array("größer".utf8))
    #expect(Self.value("Password", of: entry, in: document) == Array("pass\u{1}word".utf8))
    #expect(Self.value("Notes", of: entry, in: document) == Array("one\r\ntwo".utf8))
    #expect(entry.strings.filter(\.isProtected).map(\.key) == [Array("Password".utf8)])
    #expect(entry.times.creation?.unixSeconds == 1_700_000_000)
    #expect(entry.times.expires)
    #expect(entry.times.expiry?.unixSeconds == 1_700_000_000)
    let attachment = try #require(entry.attachments.first)
    #expect(attachment.name == Array("a.bin".utf8))
    var content = WipedBuffer()
    try document.open(attachment.content, into: &content)
    #expect([UInt8](copying: content.bytes) == [0, 1, 255])
    #expect(document.allEntries.filter { document.entry($0).times.expires }.count == 1)
  }

  @Test func `a password is nowhere in what stays in memory`() throws {
    let document = try Self.open(Self.sample).document
    let text = String(decoding: [UInt8](copying: document.values.xml), as: UTF8.self)
    #expect(text.contains("http://example.com/"))
    #expect(!text.contains("\u{1}word"))
  }

  @Test func `the backup group is the bin, and groups have the same UUID each time`() throws {
    let first = try Self.open(Self.sample).document
    let second = try Self.open(Self.sample).document
    let uuids = first.allGroups.map { first.group($0).uuid }
    #expect(uuids == second.allGroups.map { second.group($0).uuid })
    #expect(Set(uuids).count == uuids.count)
    #expect(first.meta.recycleBinUUID == first.group(first.allGroups[4]).uuid)
  }

  @Test func `groups of one number have a UUID each, and entries lie in the first`() throws {
    var file = HandMadeKDB(groups: [HandMadeKDB.group(7, "one"), HandMadeKDB.group(7, "two")])
    file.entries = [HandMadeKDB.entry(1, in: 7, ["entry", "", "", "", ""])]
    let document = try Self.open(file).document
    #expect(Self.paths(document) == ["/one/", "/one/entry", "/two/"])
    #expect(Set(document.allGroups.map { document.group($0).uuid }).count == 3)
  }

  /// Old files were not in UTF-8; some hold what XML can't.
  @Test func `texts of any bytes are shown`() throws {
    var file = HandMadeKDB(groups: [HandMadeKDB.group(7, "a\u{2}b")])
    file.entries = [
      HandMadeKDB.entry(1, in: 7, ["\u{3}", "", "", "", "<&>]]>"])
        .replacing(Array("<&>".utf8), with: [0x80, 0xE4, 0x3C])
    ]
    let document = try Self.open(file).document
    #expect(Self.paths(document) == ["/a\u{2}b/", "/a\u{2}b/\u{3}"])
    let entry = document.entry(document.allEntries[0])
    #expect(Self.value("Notes", of: entry, in: document) == Array("€ä<]]>".utf8))
  }

  @Test func `a time that is none is left out`() throws {
    var file = HandMadeKDB(groups: [HandMadeKDB.group(7, "a", created: [0, 0, 0, 0, 0])])
    file.entries = [HandMadeKDB.entry(1, in: 7, ["e", "", "", "", ""], expiry: [0xFF])]
    let document = try Self.open(file).document
    #expect(document.group(document.allGroups[1]).times.creation == nil)
    let times = document.entry(document.allEntries[0]).times
    #expect(times.expiry == nil)
    #expect(!times.expires)
  }

  @Test func `Twofish opens too`() throws {
    var file = Self.sample
    file.flags = 9
    let opened = try Self.open(file)
    #expect(opened.header.cipher == .twofish256CBC)
    #expect(opened.header.isKeePass1)
    #expect(opened.document.entryCount == 3)
  }

  @Test func `a file without a group opens`() throws {
    let document = try Self.open(HandMadeKDB()).document
    #expect(document.entryCount == 0)
    #expect(document.groupCount == 1)
  }
}

extension [UInt8] {
  /// A copy with the first `old` replaced by as many other bytes.
  fileprivate func replacing(_ old: [UInt8], with new: [UInt8]) -> [UInt8] {
    guard let start = indices.first(where: { self[$0...].starts(with: old) }) else { return self }
    return Array(self[..<start]) + new + Array(self[(start + old.count)...])
  }
}
