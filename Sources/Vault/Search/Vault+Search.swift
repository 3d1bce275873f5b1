import ByteCoding
package import KDBX
import Secrets

extension Vault {
  /// The entries that hold each of the words, in document order.
  ///
  /// A word may stand in title, user name, URL, notes or tags, in capital or small letters; passwords
  /// and custom fields aren't looked at. The recycle bin is left out. Words are divided by blanks;
  /// without any, nothing is found.
  package func entries(matching words: [UInt8]) -> [EntryID] {
    let words = words.split(whereSeparator: isASCIIWhiteSpace).map { word in
      var folded = WipedBuffer()
      folded.append(foldingCaseOf: Array(word).span)
      return folded.bytes.copied()
    }
    guard !words.isEmpty else { return [] }
    return entriesOutsideBin.filter { id in
      var text = searchText(of: document.entry(id))
      defer { text.truncate(to: 0) }
      return words.allSatisfy { text.bytes.contains($0.span) }
    }
  }

  /// The entries with this tag, byte for byte, in document order; the recycle bin is left out.
  package func entries(tagged tag: [UInt8]) -> [EntryID] {
    entriesOutsideBin.filter { Tags.parse(document.entry($0).tags).contains(tag) }
  }

  /// The entries whose URL has this host, in capital or small letters, in document order.
  ///
  /// The recycle bin is left out.
  package func entries(onHost host: [UInt8]) -> [EntryID] {
    let wanted = host.map { lowercased($0) }
    return entriesOutsideBin.filter { self.host(of: document.entry($0)) == wanted }
  }

  /// All tags outside the recycle bin, each once, sorted by their bytes.
  package var tags: [[UInt8]] {
    var found: Set<[UInt8]> = []
    for id in entriesOutsideBin { found.formUnion(Tags.parse(document.entry(id).tags)) }
    return Array(found).sortedByBytes()
  }

  /// All hosts of URLs outside the recycle bin, in small letters, each once, sorted by their bytes.
  package var hosts: [[UInt8]] {
    var found: Set<[UInt8]> = []
    for id in entriesOutsideBin {
      let host = host(of: document.entry(id))
      if !host.isEmpty { found.insert(host) }
    }
    return Array(found).sortedByBytes()
  }

  /// The entries outside the recycle bin, in document order.
  package var entriesOutsideBin: [EntryID] {
    guard let bin = recycleBin else { return document.allEntries }
    return document.allEntries.filter { !isInside(.entry($0), bin) }
  }

  /// The host of an entry's URL in small letters; empty where it has none.
  private func host(of entry: Entry) -> [UInt8] {
    let url = OneTimeForm.text(of: FieldKey.url, in: entry, document.values)
    let range = AddressPart.host.range(in: url.bytes)
    return url.bytes.extracting(range).copied().map { lowercased($0) }
  }

  private func searchText(of entry: Entry) -> WipedBuffer {
    var text = WipedBuffer()
    for key in [FieldKey.title, FieldKey.userName, FieldKey.url, FieldKey.notes] {
      let value = OneTimeForm.text(of: key, in: entry, document.values)
      text.append(foldingCaseOf: value.bytes)
      // What no word holds, so that none is found across two fields.
      text.append(0x0A)
    }
    for tag in Tags.parse(entry.tags) {
      text.append(foldingCaseOf: tag.span)
      text.append(0x0A)
    }
    return text
  }
}
