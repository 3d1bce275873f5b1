import CPlatform
import Glibc

/// Starts a program found along `PATH`, with these descriptors as its standard input and output, no
/// signal blocked, and none ignored that we ignore.
///
/// Gives its number: posix_spawnp(3).
func spawn(
  _ arguments: [[UInt8]], input: borrowing Descriptor, output: borrowing Descriptor
) throws(Errno) -> Int32 {
  try spawn(arguments, streams: [input.number, output.number])
}

/// The same with descriptors for the first of the standard streams; the others are ours.
///
/// In a session of its own (`leavesTerminal`) what it leaves running outlives the terminal.
func spawn(
  _ arguments: [[UInt8]], streams: [CInt], leavesTerminal: Bool = false
) throws(Errno) -> Int32 {
  guard let program = arguments.first, !program.isEmpty else { throw .noEntry }
  var actions = unsafe posix_spawn_file_actions_t()
  unsafe posix_spawn_file_actions_init(&actions)
  defer { unsafe posix_spawn_file_actions_destroy(&actions) }
  for (stream, number) in streams.enumerated() {
    unsafe posix_spawn_file_actions_adddup2(&actions, number, CInt(stream))
  }

  var attributes = posix_spawnattr_t()
  unsafe posix_spawnattr_init(&attributes)
  defer { unsafe posix_spawnattr_destroy(&attributes) }
  var nothing = Signals.set(of: [])
  unsafe posix_spawnattr_setsigmask(&attributes, &nothing)
  var ours = Signals.set(of: [.pipe, .hangUp, .interrupt, .quit, .terminate, .child])
  unsafe posix_spawnattr_setsigdefault(&attributes, &ours)
  var flags = Int16(POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF)
  if leavesTerminal { flags |= platform_spawn_session_flag() }
  unsafe posix_spawnattr_setflags(&attributes, flags)

  var child: pid_t = 0
  let result = unsafe withCStrings(arguments) { arguments in
    guard let program = unsafe arguments[0] else { return ENOENT }
    return unsafe posix_spawnp(
      &child, program, &actions, &attributes, arguments, platform_environment())
  }
  guard result == 0 else { throw Errno(rawValue: result) }
  return child
}

/// Lends texts as C wants an argument vector: with a NUL each, and a null pointer at the end.
private func withCStrings<R>(
  _ texts: [[UInt8]], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
) -> R {
  var pointers: [UnsafeMutablePointer<CChar>?] = unsafe texts.map { text in
    let copy = UnsafeMutablePointer<CChar>.allocate(capacity: text.count + 1)
    for (i, byte) in text.enumerated() { unsafe copy[i] = CChar(bitPattern: byte) }
    unsafe copy[text.count] = 0
    return unsafe copy
  }
  unsafe pointers.append(nil)
  defer { unsafe pointers.forEach { unsafe $0?.deallocate() } }
  return unsafe pointers.withUnsafeMutableBufferPointer { buffer in
    guard let base = buffer.baseAddress else { preconditionFailure("an argument vector is empty") }
    return unsafe body(base)
  }
}
