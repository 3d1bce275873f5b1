/// Where a group or a current entry lies in the source, and what is beside it.
///
/// Numbered in document order, so that what lies in a group follows it without a gap.
struct NodeRecord: Sendable {
  /// No node: an absent neighbour, the parent of the root or of something removed.
  static let none = UInt32.max

  /// Of the whole element; empty for one that was made in this session.
  var source: SourceRange
  var parent = Self.none
  var previous = Self.none
  var next = Self.none
  /// Of a group.
  var firstChild = Self.none
  var lastChild = Self.none
  var isEntry: Bool
  /// Whether it stands where it stood in the source, in the same parent.
  var isInPlace = true
}

/// A protected value: its text, and where the key stream for it begins.
///
/// As many bytes of the stream are its as there are up to the next one's.
struct ProtectedRecord: Sendable {
  var text: SourceRange
  var streamOffset: UInt32
}

/// An attachment's reference to the pool.
struct ReferenceRecord: Sendable {
  /// Of the attribute's value, between the quotes.
  var text: SourceRange
  /// `nil` where it isn't a number.
  var number: UInt32?
}

/// A content of the pool that KDBX 3 keeps in Meta.
struct PoolRecord: Sendable {
  var element: SourceRange
  /// Of the ID attribute's value.
  var idText: SourceRange
  var number: UInt32?
  var content: SourceRange
  var isCompressed: Bool
  var isProtected: Bool
}

/// A place that is written otherwise than it was read, whatever is edited (`docs/kdbx.md` 4.2).
enum SourceRepair: Sendable {
  /// The attribute's value becomes `True`, the one spelling that KeePass takes.
  case spellTrue(SourceRange)
  /// The attribute goes.
  case dropAttribute(SourceRange)
  /// The attribute goes and the value is written plain, if XML can hold it: KeePassXC passes over
  /// unknown elements without consuming the key stream.
  case unprotect(attribute: SourceRange, record: Int)
  /// A control character that XML can't hold goes: with it no program opens the file.
  case dropControl(SourceRange)
}

/// What one pass over the XML leaves: where things are, and nothing of what they hold.
struct Skeleton: Sendable {
  var nodes: [NodeRecord] = []
  /// In document order; one more at the end stands for none, where the stream ends.
  var protected: [ProtectedRecord] = []
  /// In document order.
  var references: [ReferenceRecord] = []
  var pool: [PoolRecord] = []
  var repairs: [SourceRepair] = []
  /// Of the whole elements; `nil` where there is none.
  var meta: SourceRange?
  var headerHash: SourceRange?
  var deletedObjects: SourceRange?
  /// Where the start tag of `Root` starts, and its end tag.
  var rootStart: UInt32 = 0
  var rootEnd: UInt32 = 0
  var entryCount = 0
}
