import Secrets

/// What a KeePass 1 file holds: where each group's and entry's parts lie in what was decrypted.
struct KDBContent {
  struct Group {
    /// Names the group for its entries; others may have the same.
    let number: UInt32
    let name: Range<Int>
    let times: Times
    let icon: UInt32
    /// How deep it lies: 0 at the top.
    let level: Int
    let isExpanded: Bool
    /// The entries in it, in file order.
    var entries: [Entry] = []
  }

  struct Entry {
    let uuid: VaultUUID
    let icon: UInt32
    let title: Range<Int>
    let userName: Range<Int>
    let password: Range<Int>
    let url: Range<Int>
    let notes: Range<Int>
    let times: Times
    let attachmentName: Range<Int>
    let attachment: Range<Int>

    var hasAttachment: Bool { !attachmentName.isEmpty || !attachment.isEmpty }
  }

  struct Times {
    let created, modified, accessed, expiry: VaultTime?
  }

  /// In file order: a group follows the one it lies in.
  private(set) var groups: [Group] = []
  /// Entries of groups that are not there.
  private(set) var strayEntries: [Entry] = []

  /// Reads as many groups and entries as the header counts.
  init(_ content: Span<UInt8>, groupCount: Int, entryCount: Int) throws(KDBXError) {
    var reader = FileReader(content, in: .document)
    var places: [UInt32: Int] = [:]
    for index in 0..<groupCount {
      let group = Group(try KDBRecord(reading: &reader), in: content)
      groups.append(group)
      places[group.number] = places[group.number] ?? index
    }
    for _ in 0..<entryCount {
      let record = try KDBRecord(reading: &reader)
      let entry = Entry(record, in: content)
      if entry.isMetaStream(in: content) { continue }
      if let number = record.number(2, in: content), let place = places[number] {
        groups[place].entries.append(entry)
      } else {
        strayEntries.append(entry)
      }
    }
    guard reader.remaining == 0 else {
      throw KDBXError(
        .damaged, in: .document, at: reader.offset,
        cause: .text("it holds more than its header counts"))
    }
  }
}

// MARK: - Records

extension KDBContent.Group {
  fileprivate init(_ record: KDBRecord, in content: Span<UInt8>) {
    number = record.number(1, in: content) ?? 0
    name = record.text(2, in: content)
    times = KDBContent.Times(record, from: 3, in: content)
    icon = record.number(7, in: content) ?? 48
    let level = content.extracting(record[8])
    self.level = level.count == 2 ? Int(level[0]) | Int(level[1]) << 8 : 0
    isExpanded = (record.number(9, in: content) ?? 0) & 1 != 0
  }
}

extension KDBContent.Entry {
  fileprivate init(_ record: KDBRecord, in content: Span<UInt8>) {
    uuid = VaultUUID(content.extracting(record[1])) ?? .zero
    icon = record.number(3, in: content) ?? 0
    title = record.text(4, in: content)
    url = record.text(5, in: content)
    userName = record.text(6, in: content)
    password = record.text(7, in: content)
    notes = record.text(8, in: content)
    times = KDBContent.Times(record, from: 9, in: content)
    attachmentName = record.text(13, in: content)
    attachment = record[14]
  }

  /// Whether it is none of a person's: KeePass 1 and KeePassX keep settings of theirs in entries.
  fileprivate func isMetaStream(in content: Span<UInt8>) -> Bool {
    func has(_ range: Range<Int>, _ text: StaticString) -> Bool {
      range.count == text.utf8CodeUnitCount && XMLText.isAt(range.lowerBound, in: content, text)
    }
    return has(attachmentName, "bin-stream") && has(title, "Meta-Info") && has(userName, "SYSTEM")
      && has(url, "$") && icon == 0
  }
}

extension KDBContent.Times {
  /// The four times of a group or entry, which have numbers in a row.
  fileprivate init(_ record: KDBRecord, from first: UInt16, in content: Span<UInt8>) {
    created = record.time(first, in: content)
    modified = record.time(first + 1, in: content)
    accessed = record.time(first + 2, in: content)
    expiry = record.time(first + 3, in: content)
  }
}
