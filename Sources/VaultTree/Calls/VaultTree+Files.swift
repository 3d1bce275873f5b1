package import Secrets
import Synchronization

extension VaultTree {
  /// Opens a file.
  ///
  /// `origin` is who asks, for the log; the same goes for the other calls that have it.
  package func open(
    _ node: NodeID, _ flags: OpenFlags, by origin: RequestOrigin? = nil
  ) throws(TreeError) -> HandleID {
    prepareLog(node)
    let file = try locked { (state) throws(TreeError) in
      try state.checkNotLost(node)
      return try state.open(node, state.meaning(of: node), flags)
    }
    noteEmptying(of: file, by: origin)
    return try emptied(file)
  }

  /// Makes a file, or opens the one that is there unless `flags` has `.exclusive`; counts one
  /// reference of the kernel's.
  package func create(
    _ name: [UInt8], in parent: NodeID, _ flags: OpenFlags, by origin: RequestOrigin? = nil
  ) throws(TreeError) -> (NodeAttributes, HandleID) {
    let file = try locked { (state) throws(TreeError) in
      guard name.count <= NameCoding.limit else { throw .nameTooLong }
      try state.checkNotLost(parent)
      let file = try state.create(name, in: state.meaning(of: parent), flags)
      state.reference(file.node)
      return file
    }
    noteEmptying(of: file, by: origin)
    let handle = try emptied(file)
    return (try attributes(of: file.node, handle: handle), handle)
  }

  /// Empties a temporary file that was opened for that.
  private func emptied(_ file: FileHandle) throws(TreeError) -> HandleID {
    if file.flags.contains(.truncate) { try file.scratch?.resize(to: 0, document) }
    return file.id
  }

  /// Takes down who is to stand in the log once the emptied file has settled.
  private func noteEmptying(of file: FileHandle, by origin: RequestOrigin?) {
    guard file.flags.contains(.truncate), let writer = newWriter(of: file, origin) else { return }
    file.draft.withLock { $0.writer = writer }
  }

  func openFile(_ handle: HandleID) throws(TreeError) -> FileHandle {
    try locked { (state) throws(TreeError) in try state.file(of: handle) }
  }

  // MARK: - Reading

  /// Appends up to `count` bytes from `offset` on to `output`; none at or beyond the end.
  package func read(
    _ handle: HandleID, at offset: Int, count: Int, into output: inout WipedBuffer,
    by origin: RequestOrigin? = nil
  ) throws(TreeError) {
    let locks = lockCount.load(ordering: .acquiring)
    let reader = accessor(origin)
    let isAsking = offset >= 0 && count > 0
    let file = try locked { (state) throws(TreeError) in
      let file = try state.file(of: handle)
      guard file.flags.contains(.read) else { throw .badHandle }
      if isAsking, file.isNewReader(origin) { state.note(.read, file.subject, by: reader) }
      return file
    }
    guard isAsking else { return }
    try read(file, at: offset, count: count, into: &output)
    // What was read beside a lock may come from nowhere, or from another vault.
    if lockCount.load(ordering: .acquiring) != locks { _ = try openFile(handle) }
  }

  private func read(
    _ file: FileHandle, at offset: Int, count: Int, into output: inout WipedBuffer
  ) throws(TreeError) {
    let (end, overflow) = offset.addingReportingOverflow(count)
    let range = offset..<(overflow ? .max : end)
    if let scratch = file.scratch {
      let visible = range.clamped(to: 0..<scratch.count)
      guard !visible.isEmpty else { return }
      return try scratch.read(
        visible, sealedBy: { sealing }, file.values, document, into: &output)
    }
    try file.draft.withLock { (draft) throws(TreeError) in
      let visible = range.clamped(to: 0..<draft.content.count)
      if !visible.isEmpty {
        try draft.content.read(
          visible, sealedBy: { sealing }, file.values, document, into: &output)
      }
      let start = draft.content.count
      let added = range.clamped(to: start..<draft.count)
      guard !added.isEmpty else { return }
      output.append(
        draft.addition.bytes.extracting((added.lowerBound - start)..<(added.upperBound - start)))
    }
  }

  // MARK: - Writing

  /// Gathers a write aside; it becomes an edit when the handle settles.
  ///
  /// Refused is only what no later write can mend; after that the handle settles nothing more.
  package func write(
    _ handle: HandleID, at offset: Int, _ bytes: Span<UInt8>, append: Bool,
    by origin: RequestOrigin? = nil
  ) throws(TreeError) -> Int {
    let file = try openFile(handle)
    guard file.flags.contains(.write) else { throw .badHandle }
    guard offset >= 0 else { throw .invalid }
    try locked { (state) throws(TreeError) in try state.checkWritable() }
    let writer = newWriter(of: file, origin)
    try file.draft.withLock { (draft) throws(TreeError) in
      if let writer { draft.writer = writer }
      if let failure = draft.failure { throw failure }
      do throws(TreeError) {
        try write(bytes, at: append ? nil : offset, file, &draft)
      } catch {
        draft.failure = error
        throw error
      }
      draft.hasWritten = true
      draft.isTruncatedAlone = false
      markUnsettled(file, &draft)
    }
    return bytes.count
  }

  /// `offset` is nil for an addition.
  private func write(
    _ bytes: Span<UInt8>, at offset: Int?, _ file: FileHandle, _ draft: inout HandleDraft
  ) throws(TreeError) {
    if let scratch = file.scratch { return try scratch.write(bytes, at: offset, document) }
    let (end, overflow) = (offset ?? draft.count).addingReportingOverflow(bytes.count)
    guard !overflow else { throw .tooBig }
    try Judge.checkPiece(bytes, end: max(end, draft.count), file.rule)
    if draft.count == 0, end == bytes.count { try Judge.checkLine(bytes, file.rule) }
    if let offset {
      try draft.takeInAddition(document)
      try draft.content.write(bytes, at: offset, document)
      draft.isReplaced = true
    } else if draft.isReplaced {
      let end = draft.content.count
      try draft.content.write(bytes, at: end, document)
    } else {
      draft.addition.append(bytes)
    }
  }

  /// Takes down that a handle holds unsettled writes.
  private func markUnsettled(_ file: FileHandle, _ draft: inout HandleDraft) {
    guard file.scratch == nil, !draft.isMarkedUnsettled else { return }
    draft.isMarkedUnsettled = true
    locked { $0.markUnsettled(file.node) }
  }

  /// Changes the size: gathered with a handle, an edit at once without.
  func resize(
    _ node: NodeID, _ handle: HandleID?, to size: Int, by origin: RequestOrigin?
  ) throws(TreeError) {
    guard size >= 0 else { throw .invalid }
    guard let handle else { return try resizeAtOnce(node, to: size, by: origin) }
    let file = try openFile(handle)
    guard file.flags.contains(.write) else { throw .badHandle }
    let writer = newWriter(of: file, origin)
    try file.draft.withLock { (draft) throws(TreeError) in
      if let writer { draft.writer = writer }
      if let failure = draft.failure { throw failure }
      do throws(TreeError) {
        try resize(file, &draft, to: size)
      } catch {
        draft.failure = error
        throw error
      }
      draft.hasWritten = true
      draft.isTruncatedAlone = false
      markUnsettled(file, &draft)
    }
  }

  private func resize(
    _ file: FileHandle, _ draft: inout HandleDraft, to size: Int
  ) throws(TreeError) {
    if let scratch = file.scratch { return try scratch.resize(to: size, document) }
    try Judge.checkPiece([UInt8]().span, end: size, file.rule)
    try draft.takeInAddition(document)
    try draft.content.resize(to: size, document)
    draft.isReplaced = true
  }

  private func resizeAtOnce(
    _ node: NodeID, to size: Int, by origin: RequestOrigin?
  ) throws(TreeError) {
    let handle = try open(node, [.read, .write])
    defer { release(handle) }
    try resize(node, handle, to: size, by: origin)
    try flush(handle)
  }
}
