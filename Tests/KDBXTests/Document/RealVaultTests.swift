import ByteCoding
import Ciphers
import Secrets
import TestSupport
import Testing

@testable import KDBX

/// Every real vault that opens: its document read right, and written back as it came.
@Suite(.enabled(if: SharedFolder.isThere, "\(SharedFolder.hint)"))
struct RealVaultTests {
  typealias Case = SharedVaults.Case

  @Test(arguments: SharedVaultTests.opening)
  func `the document is read right, and what isn't edited is written byte for byte`(
    vault: Case
  ) throws {
    let document = try SharedVaultTests.open(vault).document
    try checkBytes(document)
    let expected = try JSON(parsing: SharedVaults.file(try #require(vault.expected)))
    let entries = document.allEntries.map { document.entry($0) }
    let descriptions = expected["entries"]?.array ?? []
    try #require(entries.count == descriptions.count)
    for (entry, description) in zip(entries, descriptions) {
      check(entry, description, in: document)
      let history = entry.history
      #expect(entry.historyCount == description["history_count"]?.int)
      #expect(history.count == entry.historyCount)
      for (item, old) in zip(history, description["history"]?.array ?? []) {
        check(item, old, in: document)
      }
    }
    for (id, description) in zip(document.allGroups, expected["groups"]?.array ?? []) {
      #expect(
        String(decoding: document.group(id).name, as: UTF8.self) == description["name"]?.string)
      #expect(document.summary(of: .group(id)).name == document.group(id).name)
    }
    #expect(document.deletedObjects.count == expected["deleted_objects"]?.array.count)
  }

  /// What is repaired at each save, and white space in base64, and only that, makes a difference.
  private func checkBytes(_ document: Document) throws {
    let source = document.values.xml
    var xml = source.indices.map { source[$0] }
    if document.values.hasByteOrderMark { xml.removeFirst(3) }
    let hash = document.version.major >= 4 ? nil : document.meta.headerHash
    let written = try Make.written(
      document, innerStream: document.values.source.innerStream, headerHash: hash)
    let isTidy = document.values.skeleton.protected.indices.dropLast().allSatisfy { index in
      let slot = document.values.slot(index)
      return slot.text.count == Base64.encodedCount(of: Int(slot.count))
    }
    if isTidy, document.values.skeleton.repairs.isEmpty, document.meta.headerHash == hash {
      #expect(written == xml)
    } else {
      #expect(written != xml)
    }
  }

  private func check(_ entry: Entry, _ expected: JSON, in document: Document) {
    let mine = entry.strings.map { field in
      [
        String(decoding: field.key, as: UTF8.self), shortened(field, in: document),
        "\(field.isProtected)",
      ]
    }
    let theirs = (expected["strings"]?.array ?? []).map { field in
      var isProtected = false
      if case .bool(true) = field["protected"] { isProtected = true }
      return [
        field["key"]?.string ?? "",
        field["value"]?.string ?? field["value_bytes"]?.int.map { "\($0) bytes" } ?? "",
        "\(isProtected)",
      ]
    }
    #expect(mine == theirs)
    checkAttachments(of: entry, expected["attachments"]?.array ?? [], in: document)
    let uuid = expected["uuid"]?.string ?? String(repeating: "0", count: 32)
    #expect(String(decoding: entry.uuid.hex(uppercase: false), as: UTF8.self) == uuid)
    if let modified = expected["times"]?["modified"]?.string, modified.hasSuffix("Z") {
      let time = entry.times.lastModification.map { String(decoding: $0.isoBytes, as: UTF8.self) }
      #expect(time == modified)
    }
  }

  private func checkAttachments(
    of entry: Entry, _ expected: [JSON], in document: Document
  ) {
    let mine = entry.attachments.map { attachment in
      let bytes = (try? document.bytes(of: attachment.content)) ?? []
      let count = (try? document.count(of: attachment.content)) ?? -1
      return [
        String(decoding: attachment.name, as: UTF8.self), "\(count)",
        hexadecimal(SHA256.hash(bytes.span)),
      ]
    }
    let theirs = expected.map { attachment in
      [
        attachment["name"]?.string ?? "", "\(attachment["size"]?.int ?? -1)",
        attachment["sha256"]?.string ?? hexadecimal(SHA256.hash([UInt8]().span)),
      ]
    }
    #expect(Set(mine) == Set(theirs))
  }

  private func hexadecimal(_ bytes: [UInt8]) -> String {
    bytes.map { byte in
      let digits = String(byte, radix: 16)
      return digits.count == 1 ? "0" + digits : digits
    }.joined()
  }

  private func shortened(_ field: StringField, in document: Document) -> String {
    let text = document.text(field.value)
    return text.unicodeScalars.count > 3000 ? "\(text.utf8.count) bytes" : text
  }
}
