import KDBX
import Secrets
import Vault

extension VaultTree {
  /// Removes a file.
  package func remove(
    _ name: [UInt8], in parent: NodeID, by origin: RequestOrigin? = nil
  ) throws(TreeError) {
    let accessor = accessor(origin)
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      let directory = state.meaning(of: parent)
      let subject = try? state.subject(of: name, in: directory)
      try state.remove(name, in: directory)
      state.note(.remove, subject, by: accessor)
    }
  }

  /// Renames a file or directory.
  ///
  /// A rename whose value the target can't hold fails and moves nothing.
  package func rename(
    _ name: [UInt8], in parent: NodeID, to newName: [UInt8], in newParent: NodeID,
    _ flags: RenameFlags = [], by origin: RequestOrigin? = nil
  ) throws(TreeError) {
    let accessor = accessor(origin)
    let source = accessor.map { _ in
      locked { state in try? state.subject(of: name, in: state.meaning(of: parent)) }
    }
    try move(name, in: parent, to: newName, in: newParent, flags)
    guard let accessor else { return }
    locked { state in
      let target = try? state.subject(of: newName, in: state.meaning(of: newParent))
      if let source = source ?? nil { state.note(.move, source, by: accessor) }
      // A directory is the same under its new name; a file's new name holds what was written.
      if let target, target.part != .whole { state.note(.write, target, by: accessor) }
    }
  }

  private func move(
    _ name: [UInt8], in parent: NodeID, to newName: [UInt8], in newParent: NodeID,
    _ flags: RenameFlags
  ) throws(TreeError) {
    guard name.count <= NameCoding.limit, newName.count <= NameCoding.limit else {
      throw .nameTooLong
    }
    // Values are judged without the lock; when one changes meanwhile, all begins anew.
    while true {
      let plan = try locked { (state) throws(TreeError) in
        try state.planRename(
          name, in: state.meaning(of: parent), to: newName, in: state.meaning(of: newParent),
          flags)
      }
      switch plan {
      case .done: return
      case .transfer(let transfer):
        if try finish(transfer) { return }
      case .exchange(let there, let back):
        if try finish(there, back) { return }
      }
    }
  }

  /// Moves a value; false when an end has changed since the rename was planned.
  private func finish(_ transfer: Transfer) throws(TreeError) -> Bool {
    let value = try judged(transfer)
    return try locked { (state) throws(TreeError) in
      guard try state.stands(transfer) else { return false }
      try state.checkWritable()
      try state.finish(transfer, value)
      return true
    }
  }

  /// Swaps two values; false when an end has changed since the rename was planned.
  private func finish(_ there: Transfer, _ back: Transfer) throws(TreeError) -> Bool {
    let values = (try judgedIfItem(there), try judgedIfItem(back))
    let isDone = try locked { (state) throws(TreeError) in
      guard try state.stands(there), try state.stands(back) else { return false }
      try state.checkWritable()
      try state.finishExchange((there, values.0), (back, values.1))
      return true
    }
    guard isDone else { return false }
    for half in [there, back] {
      guard case .scratch(_, let file) = half.target.place else { continue }
      let count = try half.source.value.count(in: document())
      try file.replace(with: half.source.value, count: count)
    }
    return true
  }

  private func judgedIfItem(_ transfer: Transfer) throws(TreeError) -> NewValue? {
    transfer.target.item == nil ? nil : try judged(transfer)
  }

  /// What the source's bytes become in the target.
  ///
  /// What comes from a temporary file is written, and loses an only line feed; what is in the vault
  /// already moves as it is.
  private func judged(_ transfer: Transfer) throws(TreeError) -> NewValue {
    guard let key = transfer.target.item?.key else { throw .invalid }
    var bytes = WipedBuffer()
    let document = document()
    let isWrite: Bool
    switch transfer.source.place {
    case .scratch(_, let file):
      isWrite = true
      let (resting, _) = file.rest(sealedBy: sealing)
      try resting.open(in: document, into: &bytes)
    case .item:
      isWrite = false
      try transfer.source.value.open(in: document, into: &bytes)
    }
    let judge = Judge(isExact: options.isExact || !isWrite, sealing: sealing)
    return try judge.judge(
      bytes.bytes, for: key, over: transfer.target.value, in: document
    ).value
  }

  // MARK: - Links

  /// Makes a hard link, among temporary files only; counts one reference of the kernel's.
  package func link(
    _ node: NodeID, to name: [UInt8], in parent: NodeID
  ) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      let (directory, isTemporary) = try state.newLink(name, in: state.meaning(of: parent))
      guard case .scratch(let id) = state.meaning(of: node), isTemporary else {
        throw .notPermitted
      }
      state.scratchNames[directory, default: [:]][name] = id
      state.scratches[id]?.linkCount += 1
      state.reference(node)
      return try state.attributes(node, .scratch(id))
    }
  }

  /// Makes a symbolic link under a temporary name; counts one reference of the kernel's.
  package func symbolicLink(
    _ name: [UInt8], in parent: NodeID, target: [UInt8]
  ) throws(TreeError) -> NodeAttributes {
    try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit, target.count < 4096 else { throw .nameTooLong }
      let (directory, isTemporary) = try state.newLink(name, in: state.meaning(of: parent))
      guard isTemporary else { throw .notPermitted }
      let id = state.makeScratch(name, in: directory, target: target)
      guard let node = state.scratches[id]?.node else { throw .noEntry }
      state.reference(node)
      return try state.attributes(node, .scratch(id))
    }
  }

  /// The target of a symbolic link.
  package func readLink(_ node: NodeID) throws(TreeError) -> [UInt8] {
    try locked { (state) throws(TreeError) in
      switch state.meaning(of: node) {
      case .scratch(let id):
        guard let target = state.scratches[id]?.target else { throw .invalid }
        return target
      case .link(let owner, let link): return try state.target(of: link, to: owner)
      case .dead: throw .noEntry
      case .folder, .entry, .item, .groupNotes, .view, .generated: throw .invalid
      }
    }
  }
}

extension TreeState {
  /// Where a new link would stand, and whether under a temporary name; changes nothing.
  fileprivate mutating func newLink(
    _ name: [UInt8], in meaning: NodeMeaning
  ) throws(TreeError) -> (FileDirectory, isTemporary: Bool) {
    if try find(name, in: meaning) != nil { throw .exists }
    try checkWritable()
    guard let directory = FileDirectory(meaning) else {
      if case .item(_, let key) = meaning, key.isReadOnly { throw .readOnlyFile }
      if case .view = meaning { throw .readOnlyFile }
      throw .notDirectory
    }
    if case .folder(let owner) = directory, !isUndecided(owner) { throw .notPermitted }
    return (directory, try isTemporary(name, in: directory))
  }
}
