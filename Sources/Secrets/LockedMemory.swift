import CPlatform
import Glibc
import Synchronization

/// Memory that is never swapped out and never goes into a core file: where keys and passwords lie.
///
/// Small secrets share pages: a locked page is a scarce thing (`RLIMIT_MEMLOCK`), a key has 32 bytes.
/// Blocks are multiples of ``granule`` bytes; a block that is given back is overwritten first.
///
/// Where the kernel refuses to lock (the limit is reached), the memory is used unlocked: a vault that
/// can't be opened helps nobody. ``isFullyLocked`` then says so.
@safe
enum LockedMemory {
  /// The size that blocks are rounded up to, in bytes.
  static let granule = 64
  /// The size of a shared region, in bytes.
  private static let regionSize = 16384

  @safe
  private struct Region {
    /// Where the region starts; it lives until it is unmapped here.
    var base: UnsafeMutableRawPointer
    /// One bit a granule, set while it is in use.
    var used: [Bool]

    /// How many bytes it has.
    var size: Int { used.count * LockedMemory.granule }
    /// Whether it was made for one secret that no shared region has room for, and goes with it.
    var isOwn: Bool { size > LockedMemory.regionSize }
  }

  private struct State: ~Copyable {
    var regions: [Region] = []
    var isFullyLocked = true
  }

  private static let state = Mutex(State())

  /// Whether the kernel has locked every page that was asked for.
  static var isFullyLocked: Bool { state.withLock { $0.isFullyLocked } }

  /// Gives a zeroed block of at least `count` bytes.
  ///
  /// - Precondition: there is memory; a process that can't get a page for a key can't go on.
  static func allocate(_ count: Int) -> UnsafeMutableRawBufferPointer {
    let granules = max(1, (count + granule - 1) / granule)
    return unsafe state.withLock { state in
      unsafe UnsafeMutableRawBufferPointer(
        start: take(granules, from: &state), count: granules * granule)
    }
  }

  /// Overwrites the block and takes it back.
  static func free(_ block: UnsafeMutableRawBufferPointer) {
    guard let base = block.baseAddress else { return }
    unsafe platform_wipe(base, block.count)
    let address = UInt(bitPattern: base)
    let granules = block.count / granule
    state.withLock { state in give(back: address, granules: granules, to: &state) }
  }

  private static func take(_ granules: Int, from state: inout State) -> UnsafeMutableRawPointer {
    for index in state.regions.indices where !state.regions[index].isOwn {
      if let start = freeRun(of: granules, in: state.regions[index].used) {
        for i in start..<(start + granules) { state.regions[index].used[i] = true }
        return unsafe state.regions[index].base + start * granule
      }
    }
    let size = max(regionSize, (granules * granule + 4095) / 4096 * 4096)
    guard let base = unsafe platform_map(size, 0) else {
      preconditionFailure("the kernel has no memory for a secret of \(size) bytes")
    }
    if unsafe mlock(base, size) != 0 { state.isFullyLocked = false }
    var used = [Bool](repeating: false, count: size / granule)
    for i in 0..<granules { used[i] = true }
    unsafe state.regions.append(Region(base: base, used: used))
    return unsafe base
  }

  private static func freeRun(of granules: Int, in used: [Bool]) -> Int? {
    var run = 0
    for i in used.indices {
      run = used[i] ? 0 : run + 1
      if run == granules { return i - granules + 1 }
    }
    return nil
  }

  private static func give(
    back address: UInt, granules: Int, to state: inout State
  ) {
    for index in state.regions.indices {
      let base = unsafe state.regions[index].base
      let size = state.regions[index].size
      let offset = Int(bitPattern: address) - Int(bitPattern: base)
      guard (0..<size).contains(offset) else { continue }
      let start = offset / granule
      for i in start..<(start + granules) { state.regions[index].used[i] = false }
      if state.regions[index].isOwn {
        unsafe munmap(base, size)
        state.regions.remove(at: index)
      }
      return
    }
    preconditionFailure("a block was given back that never came from here")
  }
}
