package import Ciphers
package import Secrets

extension Document {
  /// Appends the XML, with protected values enciphered by `innerStream` from its start on.
  ///
  /// `headerHash` is the hash that KDBX 3 keeps in Meta; `nil` in KDBX 4, where it is left out.
  package func writeXML(
    _ plan: WritePlan, innerStream: InnerStream, headerHash: [UInt8]?,
    into output: inout WipedBuffer
  ) throws(DocumentError) {
    let start = output.count
    XMLWriter.write(
      self, plan, innerStream: innerStream, headerHash: headerHash, into: &output)
    guard output.count - start <= XMLScanner.sizeLimit else {
      throw DocumentError(.tooLarge(limit: XMLScanner.sizeLimit))
    }
  }

  /// Whether `other`, read back from a file, holds what this document does.
  ///
  /// Its XML must be what this document writes, byte for byte; and what was edited must read in
  /// `other` as it does here, attachments included.
  package func hasSameContent(as other: Document) -> Bool {
    entryCount == other.entryCount && groupCount == other.groupCount
      && XMLWriter.wouldWrite(self, writePlan(), as: other)
      && hasSameBinaries(as: other) && hasSameTree(as: other)
  }

  // MARK: - Reading back

  /// Whether the contents of the inner header are those that the plan has.
  private func hasSameBinaries(as other: Document) -> Bool {
    let planned = writePlan().binaries
    guard planned.count == other.values.source.binaries.count else { return false }
    return zip(planned, 0..<UInt32(planned.count)).allSatisfy { mine, number in
      mine.flags == other.values.source.binaries[Int(number)].flags
        && sameContent(mine.content, .pool(BinaryID(number: number)), in: other)
    }
  }

  /// Whether two contents are the same, or both can't be had.
  func sameContent(
    _ mine: AttachmentContent, _ theirs: AttachmentContent, in other: Document
  ) -> Bool {
    guard let count = try? count(of: mine), (try? other.count(of: theirs)) == count else {
      return (try? self.count(of: mine)) == nil && (try? other.count(of: theirs)) == nil
    }
    let stride = 1 << 20
    var both = WipedBuffer()
    for start in Swift.stride(from: 0, to: count, by: stride) {
      let part = start..<min(start + stride, count)
      both.truncate(to: 0)
      guard (try? open(mine, range: part, into: &both)) != nil,
        (try? other.open(theirs, range: part, into: &both)) != nil, both.count == 2 * part.count
      else { return false }
      let bytes = both.bytes
      guard
        constantTimeEqual(
          bytes.extracting(0..<part.count), bytes.extracting(part.count..<bytes.count))
      else { return false }
    }
    return true
  }

  /// Whether groups and entries are the same ones in the same order, and the edited ones read alike.
  private func hasSameTree(as other: Document) -> Bool {
    var mine: [ChildID] = [.group(root)]
    var theirs: [ChildID] = [.group(other.root)]
    forEachNode { mine.append($0) }
    other.forEachNode { theirs.append($0) }
    guard mine.count == theirs.count else { return false }
    return zip(mine, theirs).allSatisfy { left, right in
      switch (left, right) {
      case (.entry(let left), .entry(let right)):
        guard let edited = editedEntries[left.number] else { return true }
        return same(edited, other.entry(right), in: other)
      case (.group(let left), .group(let right)):
        guard let edited = editedGroups[left.number] else { return true }
        return same(edited, other.group(right), in: other)
      case (.entry, .group), (.group, .entry): return false
      }
    }
  }

  private func same(_ mine: Group, _ theirs: Group, in other: Document) -> Bool {
    mine.uuid == theirs.uuid && mine.name == theirs.name && mine.tags == theirs.tags
      && same(mine.notes ?? .empty, theirs.notes ?? .empty, in: other)
      && mine.times.isSame(as: theirs.times)
  }

  private func same(_ mine: Entry, _ theirs: Entry, in other: Document) -> Bool {
    let strings = (mine.strings, theirs.strings)
    let attachments = (mine.attachments, theirs.attachments)
    let history = (mine.history, theirs.history)
    return mine.uuid == theirs.uuid && mine.tags == theirs.tags
      && mine.times.isSame(as: theirs.times) && strings.0.count == strings.1.count
      && attachments.0.count == attachments.1.count && history.0.count == history.1.count
      && zip(strings.0, strings.1).allSatisfy {
        $0.key == $1.key && (!$0.isProtected || $1.isProtected)
          && same($0.value, $1.value, in: other)
      }
      && zip(attachments.0, attachments.1).allSatisfy {
        $0.name == $1.name && sameContent($0.content, $1.content, in: other)
      }
      && zip(history.0, history.1).allSatisfy { same($0, $1, in: other) }
  }

  /// Whether two values have the same bytes.
  func same(_ mine: StoredText, _ theirs: StoredText, in other: Document) -> Bool {
    guard values.count(of: mine) == other.values.count(of: theirs) else { return false }
    var both = WipedBuffer()
    values.open(mine, into: &both)
    let middle = both.count
    other.values.open(theirs, into: &both)
    let bytes = both.bytes
    return constantTimeEqual(
      bytes.extracting(0..<middle), bytes.extracting(middle..<bytes.count))
  }
}

extension Times {
  fileprivate func isSame(as other: Times) -> Bool {
    creation == other.creation && lastModification == other.lastModification
      && lastAccess == other.lastAccess && expiry == other.expiry && expires == other.expires
      && usageCount == other.usageCount && locationChanged == other.locationChanged
  }
}
