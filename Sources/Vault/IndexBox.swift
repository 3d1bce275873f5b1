import KDBX
import Synchronization

/// What finds groups and entries by UUID.
///
/// UUIDs may come twice in a damaged vault; the first in document order is the one that is found.
struct UUIDIndex: Sendable {
  private(set) var groups: [VaultUUID: [GroupID]] = [:]
  private(set) var entries: [VaultUUID: [EntryID]] = [:]

  /// Whether what has no UUID is in it, all under the UUID zero.
  private let hasZero: Bool

  init(of document: Document, withZero hasZero: Bool = false) {
    self.hasZero = hasZero
    entries.reserveCapacity(document.entryCount)
    insert(.group(document.root), document.group(document.root).uuid)
    document.forEachNode { child in insert(child, document.summary(of: child).uuid) }
  }

  mutating func insert(_ child: ChildID, _ uuid: VaultUUID) {
    guard hasZero || !uuid.isZero else { return }
    switch child {
    case .group(let id): groups[uuid, default: []].append(id)
    case .entry(let id): entries[uuid, default: []].append(id)
    }
  }

  mutating func remove(_ child: ChildID, _ uuid: VaultUUID) {
    switch child {
    case .group(let id):
      groups[uuid]?.removeAll { $0 == id }
      if groups[uuid]?.isEmpty == true { groups[uuid] = nil }
    case .entry(let id):
      entries[uuid]?.removeAll { $0 == id }
      if entries[uuid]?.isEmpty == true { entries[uuid] = nil }
    }
  }

  /// How many groups and entries have this UUID.
  func count(of uuid: VaultUUID) -> Int {
    (groups[uuid]?.count ?? 0) + (entries[uuid]?.count ?? 0)
  }
}

/// Holds the index of one document, made when it is first asked for.
///
/// Copies of a vault share it until one of them changes.
final class IndexBox: Sendable {
  private let index: Mutex<UUIDIndex?>

  init(_ index: UUIDIndex? = nil) { self.index = Mutex(index) }

  /// Runs `body` on the index of `document`, which is built now if it wasn't.
  func withIndex<Result: Sendable>(
    of document: Document, _ body: (UUIDIndex) -> Result
  ) -> Result {
    index.withLock { index in
      let built = index ?? UUIDIndex(of: document)
      index = built
      return body(built)
    }
  }

  /// Changes the index, if there is one yet.
  func change(_ body: (inout UUIDIndex) -> Void) {
    index.withLock { index in
      guard var built = index.take() else { return }
      body(&built)
      index = built
    }
  }

  /// A box of its own with the same index.
  func copy() -> IndexBox {
    IndexBox(index.withLock { $0 })
  }
}
