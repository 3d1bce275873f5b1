import CFuse3
import Platform
import Secrets
import Synchronization

/// The owner of libfuse's session, and what libfuse carries as its user data.
///
/// Unanswered requests hold it, so it lives until the last is answered.
///
/// Unchecked `Sendable`, because the compiler can't see into the pointer: it is set once, in `init`,
/// before anyone else has the object, and libfuse's session takes the calls below from any thread.
@safe
final class SessionCore: @unchecked Sendable {
  let fileSystem: any FileSystem
  let observer: RequestObserver?
  private let lastNumber = Atomic<UInt64>(0)
  /// `struct fuse_session *`.
  private var session: OpaquePointer?

  init(
    _ fileSystem: any FileSystem, options: MountOptions, observer: RequestObserver?
  ) throws(FuseError) {
    self.fileSystem = fileSystem
    self.observer = observer
    unsafe fuse_set_log_func { _, format, arguments in
      guard let format = unsafe format, let arguments = unsafe arguments else { return }
      unsafe FuseLog.keep(format, arguments)
    }
    _ = FuseLog.take()
    var arguments = unsafe fuse_args(argc: 0, argv: nil, allocated: 0)
    for word in ["kdbxfs", "-o", options.word] { unsafe fuse_opt_add_arg(&arguments, word) }
    defer { unsafe fuse_opt_free_args(&arguments) }
    var table = Trampolines.operations()
    // SAFETY: `deinit` destroys the session, so it doesn't outlive its user data.
    unsafe session = fuse_session_new(
      &arguments, &table, MemoryLayout<fuse_lowlevel_ops>.size,
      Unmanaged.passUnretained(self).toOpaque())
    guard unsafe session != nil else { throw .session(FuseLog.take()) }
  }

  deinit {
    // Closes the device. Takes nothing out of the mount table: libfuse would go by the path only, where
    // another mount may be by now.
    if let session = unsafe session { unsafe fuse_session_destroy(session) }
  }

  /// Mounts; ordinary users through `fusermount3`, which libfuse starts when the kernel refuses them.
  func mount(at path: Path) throws(FuseError) {
    _ = FuseLog.take()
    let text = path.bytes.map { CChar(bitPattern: $0) } + [0]
    guard unsafe fuse_session_mount(session, text) == 0 else { throw .mount(FuseLog.take()) }
  }

  /// Takes the mount that has just been made away again.
  func abandonMount() { unsafe fuse_session_unmount(session) }

  /// The number of the device's descriptor, once mounted; it lives as long as this object.
  var descriptor: CInt { unsafe fuse_session_fd(session) }

  /// Whether the kernel has said that the mount is gone.
  var isOver: Bool { unsafe fuse_session_exited(session) != 0 }

  /// The number of a request that an observer is about to be told of.
  func nextNumber() -> UInt64 { lastNumber.add(1, ordering: .relaxed).newValue }

  /// What became of an attempt to receive a request.
  enum Received {
    /// A request of so many bytes was served; they are still in the buffer.
    case served(Int)
    /// None was there, or the attempt was interrupted.
    case none
    /// The mount is gone.
    case over
    /// The device failed.
    case failed(Errno)
  }

  /// Receives a request and has it served; doesn't wait for one.
  ///
  /// What is received is in the first bytes of `buffer`; its owner is to wipe them.
  ///
  /// - Precondition: the buffer has room for ``Capabilities/mostBytesOfMessage``.
  func receiveAndServe(into buffer: borrowing LockedPages) -> Received {
    var message = unsafe fuse_buf()
    unsafe message.mem = buffer.base
    unsafe message.size = buffer.count
    // libfuse reads as much as its largest request may have, and the kernel gives one request: it is
    // not longer than the largest write, which `Capabilities` told the kernel, and what is before it.
    let count = unsafe fuse_session_receive_buf(session, &message)
    if count > 0 {
      unsafe fuse_session_process_buf(session, &message)
      return .served(Int(count))
    }
    if count == 0 || isOver { return .over }
    switch Errno(rawValue: -count) {
    case .interrupted, .tryAgain, .noEntry: return .none
    case .noDevice: return .over
    case let error: return .failed(error)
    }
  }

  /// Tells the kernel that it no longer knows the attributes of a file.
  ///
  /// May be called while requests of the file are being served. With `content`, what the kernel
  /// holds of it (a listing, pages of a private mapping) is dropped too, which waits for those who
  /// read it, so never while serving one.
  func forgetAttributes(of inode: InodeNumber, content: Bool) {
    // The kernel says ENOENT where it knows nothing of the file: then all is well.
    unsafe _ = fuse_lowlevel_notify_inval_inode(session, inode.rawValue, content ? 0 : -1, 0)
  }

  func tell(_ notice: Notifier.Notice) {
    switch notice {
    case .content(let inode): forgetAttributes(of: inode, content: true)
    case .name(let name, in: let directory): forgetName(name, in: directory)
    case .mark(let bell): bell.ring()
    }
  }

  /// Tells the kernel that it no longer knows what a name leads to.
  ///
  /// Waits for requests in the directory, so never while serving one.
  func forgetName(_ name: [UInt8], in directory: InodeNumber) {
    // libfuse hands the kernel the zero after the name, too.
    let text = name.map { CChar(bitPattern: $0) } + [0]
    unsafe _ = fuse_lowlevel_notify_inval_entry(session, directory.rawValue, text, name.count)
  }
}
