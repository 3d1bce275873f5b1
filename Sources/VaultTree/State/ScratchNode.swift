import KDBX

/// A temporary file or symbolic link.
struct ScratchNode: Sendable {
  var node: NodeID
  let file: ScratchFile
  /// The target, where it is a symbolic link.
  let target: [UInt8]?
  var linkCount = 1
  var modified: Timestamp
  /// The field whose value it holds, while nothing has taken that field's name.
  var vacates: Vacated?

  struct Vacated: Hashable, Sendable {
    let owner: UInt64
    let key: ItemKey
  }
}
