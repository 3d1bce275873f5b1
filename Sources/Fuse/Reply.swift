import CFuse3
package import Platform

/// The duty to answer one request of the kernel's, exactly once.
///
/// It can't be copied, and answering uses it up, so a second answer doesn't compile. An unanswered
/// request would hang a process for good, so a duty that is dropped says `EIO`. It keeps libfuse's
/// session alive, so a late answer finds it.
///
/// Unchecked `Sendable`, because the compiler can't see into the pointer: libfuse takes an answer
/// from any thread, and there's one value, so one thread, at a time.
@safe
struct Duty: ~Copyable, @unchecked Sendable {
  private let request: fuse_req_t
  private let session: Unmanaged<SessionCore>
  /// What the observer knows the request by.
  private let number: UInt64

  init(to request: fuse_req_t, of session: SessionCore, number: UInt64) {
    unsafe self.request = request
    unsafe self.session = Unmanaged.passRetained(session)
    self.number = number
  }

  deinit {
    unsafe session._withUnsafeGuaranteedRef { $0.observer?.ends(number, .inputOutput) }
    unsafe fuse_reply_err(request, Errno.inputOutput.rawValue)
    unsafe session.release()
  }

  /// Has `body` answer with one of libfuse's reply functions, and gives whether the kernel took it.
  ///
  /// It doesn't when it has given up on the request: then nobody is left to tell, and what the
  /// answer would have handed out is to be taken back. `error` is what the observer is told.
  @discardableResult
  consuming func answer(_ error: Errno? = nil, _ body: (fuse_req_t) -> CInt) -> Bool {
    let request = unsafe request
    let session = unsafe session
    let number = number
    discard self
    unsafe session._withUnsafeGuaranteedRef { $0.observer?.ends(number, error) }
    let status = unsafe body(request)
    unsafe session.release()
    return status == 0
  }

  consuming func failure(_ error: Errno) {
    unsafe answer(error) { request in unsafe fuse_reply_err(request, error.rawValue) }
  }

  /// Who has sent the request.
  var caller: RequestCaller {
    // SAFETY: the context is a part of the request, which is there until it is answered.
    let context = unsafe fuse_req_ctx(request)
    guard let context = unsafe context else { return RequestCaller(thread: 0, user: .max) }
    return unsafe RequestCaller(thread: context.pointee.pid, user: context.pointee.uid)
  }

  /// The request, for libfuse's calls that don't answer it.
  var pending: fuse_req_t { unsafe request }
}

/// Who has sent a request, as the kernel knows it.
package struct RequestCaller: Hashable, Sendable {
  /// The number of the thread; 0 where it isn't one of this process' PID namespace.
  package let thread: Int32
  package let user: UInt32
}

/// Answers what has no result but success.
package struct EmptyReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  package consuming func success() {
    unsafe duty.answer { request in unsafe fuse_reply_err(request, 0) }
  }
}

/// Answers with what a name leads to.
package struct EntryReply: ~Copyable, Sendable {
  let duty: Duty

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers, and gives whether the kernel took the answer; if not, it holds no reference.
  package consuming func entry(_ entry: Entry) -> Bool {
    var parameters = fuse_entry_param(entry)
    return unsafe duty.answer { request in unsafe fuse_reply_entry(request, &parameters) }
  }

  /// Answers that the name leads nowhere, which the kernel may believe for so long.
  package consuming func absent(validForSeconds: Double) {
    var parameters = fuse_entry_param()
    parameters.entry_timeout = validForSeconds
    unsafe duty.answer(.noEntry) { request in unsafe fuse_reply_entry(request, &parameters) }
  }
}

/// Answers with attributes.
package struct AttributesReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  package consuming func attributes(_ attributes: FileAttributes, validForSeconds: Double) {
    var status = stat(attributes)
    unsafe duty.answer { request in unsafe fuse_reply_attr(request, &status, validForSeconds) }
  }
}

/// Answers where a symbolic link leads.
package struct LinkTargetReply: ~Copyable, Sendable {
  let duty: Duty

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers with a path; what follows a NUL in it is lost.
  package consuming func target(_ target: [UInt8]) {
    let text = target.map { CChar(bitPattern: $0) } + [0]
    unsafe duty.answer { request in unsafe fuse_reply_readlink(request, text) }
  }
}

/// Answers with the file system's numbers.
package struct StatisticsReply: ~Copyable, Sendable {
  let duty: Duty

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  package consuming func statistics(_ statistics: FileSystemStatistics) {
    var status = statvfs()
    status.f_bsize = UInt(clamping: statistics.blockSize)
    status.f_frsize = UInt(clamping: statistics.blockSize)
    status.f_blocks = UInt(clamping: statistics.blocks)
    status.f_bfree = UInt(clamping: statistics.freeBlocks)
    status.f_bavail = UInt(clamping: statistics.freeBlocks)
    status.f_namemax = UInt(clamping: statistics.nameLength)
    unsafe duty.answer { request in unsafe fuse_reply_statfs(request, &status) }
  }
}

/// Answers an open of a file.
///
/// Every file is read and written directly (`direct_io`): nothing of it enters the page cache, but
/// for a private mapping.
package struct OpenReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers, and gives whether the kernel took the answer; if not, no release follows.
  ///
  /// Without `isFlushed` no flush comes for it either, which saves a handle that can't write a round
  /// trip at each `close`.
  package consuming func opened(_ handle: HandleNumber, isFlushed: Bool = true) -> Bool {
    var file = fuse_file_info(file: handle, isFlushed: isFlushed)
    return unsafe duty.answer { request in unsafe fuse_reply_open(request, &file) }
  }
}

/// Answers an open of a directory.
package struct OpenDirectoryReply: ~Copyable, Sendable {
  let duty: Duty

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers, and gives whether the kernel took the answer; if not, no release follows.
  package consuming func opened(_ handle: HandleNumber, _ caching: DirectoryCaching) -> Bool {
    var directory = fuse_file_info()
    directory.fh = handle.rawValue
    directory.cache_readdir = caching.fillsCache ? 1 : 0
    directory.keep_cache = caching.keepsCache ? 1 : 0
    return unsafe duty.answer { request in unsafe fuse_reply_open(request, &directory) }
  }
}

/// Answers with a file that was made and opened.
package struct CreateReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers, and gives whether the kernel took the answer; if not, it holds no reference and no
  /// release follows.
  package consuming func created(_ entry: Entry, _ handle: HandleNumber) -> Bool {
    var parameters = fuse_entry_param(entry)
    var file = fuse_file_info(file: handle, isFlushed: true)
    return unsafe duty.answer { request in unsafe fuse_reply_create(request, &parameters, &file) }
  }
}

/// Answers a read.
package struct DataReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers with the bytes; fewer than were asked for mean the end of the file.
  ///
  /// They go to the kernel before this returns, without another copy.
  package consuming func bytes(_ bytes: Span<UInt8>) {
    unsafe duty.answer { request in unsafe reply(request, with: bytes) }
  }
}

/// Answers a write.
package struct WriteReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  package consuming func written(_ count: Int) {
    unsafe duty.answer { request in unsafe fuse_reply_write(request, Int(max(count, 0))) }
  }
}

/// Answers with the value of an extended attribute, or a list of names.
package struct ExtendedAttributeReply: ~Copyable, Sendable {
  let duty: Duty
  package var caller: RequestCaller { duty.caller }
  /// The room that the caller has; 0 asks for the size only.
  let room: Int

  package consuming func failure(_ error: Errno) { duty.failure(error) }

  /// Answers with `value`, with its size where only that was asked for, with `ERANGE` where the
  /// caller has no room for it.
  package consuming func value(_ value: Span<UInt8>) {
    let room = room
    unsafe duty.answer { request in
      if room == 0 { return unsafe fuse_reply_xattr(request, value.count) }
      if room < value.count { return unsafe fuse_reply_err(request, Errno.outOfRange.rawValue) }
      return unsafe reply(request, with: value)
    }
  }
}

/// Sends `bytes` as they lie.
private func reply(_ request: fuse_req_t, with bytes: Span<UInt8>) -> CInt {
  unsafe bytes.withUnsafeBytes { bytes in
    unsafe fuse_reply_buf(
      request, bytes.assumingMemoryBound(to: CChar.self).baseAddress, bytes.count)
  }
}
