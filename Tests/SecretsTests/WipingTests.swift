import Glibc
import Secrets
import Testing

/// That memory is overwritten is seen from outside, through the kernel: to look at it from inside when
/// it has been given back would be no defined thing to do.
@Suite struct WipingTests {
  /// Bytes that stand nowhere else: made anew where they are wanted, never kept in an array.
  static func byte(_ index: Int) -> UInt8 { UInt8(truncatingIfNeeded: index &* 113 &+ 57) }

  /// How many of the first bytes at `address` are as ``byte(_:)`` makes them; none where nothing is
  /// mapped.
  static func remains(at address: UInt, count: Int) -> Int {
    let memory = unsafe open("/proc/self/mem", O_RDONLY | O_CLOEXEC)
    defer { close(memory) }
    var bytes = [UInt8](repeating: 0, count: count)
    let read = unsafe pread(memory, &bytes, count, off_t(address))
    return read <= 0 ? 0 : (0..<read).count { bytes[$0] == byte($0) }
  }

  static func address(_ bytes: Span<UInt8>) -> UInt {
    unsafe bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
  }

  static func fill(_ output: inout OutputRawSpan, _ count: Int) {
    for i in 0..<count { output.append(byte(i)) }
  }

  /// By chance a few bytes are as before: 256 of all the bytes that there are agree in about one.
  static func isWiped(_ remains: Int, of count: Int) -> Bool { remains < count / 8 }

  @Test(arguments: [64, 1000, 100_000])
  func `a secret is overwritten when it goes`(count: Int) {
    func makeAndLose() -> UInt {
      let secret = SecretBytes(count: count) { Self.fill(&$0, count) }
      let address = secret.withBytes { Self.address($0) }
      #expect(Self.remains(at: address, count: count) == count)
      return address
    }
    let address = makeAndLose()
    #expect(Self.isWiped(Self.remains(at: address, count: count), of: count))
  }

  @Test func `a secret whose making fails is overwritten too`() {
    struct Refused: Error {}
    var address: UInt = 0
    #expect(throws: Refused.self) {
      _ = try SecretBytes(zeroed: 1000) { (bytes) throws(Refused) in
        for i in 0..<1000 { bytes[i] = Self.byte(i) }
        address = unsafe bytes.withUnsafeMutableBufferPointer {
          UInt(bitPattern: $0.baseAddress)
        }
        throw Refused()
      }
    }
    #expect(Self.isWiped(Self.remains(at: address, count: 1000), of: 1000))
  }

  /// On both sides of the size from which memory is mapped.
  @Test(arguments: [1000, 100_000, 2_000_000])
  func `a buffer is overwritten when it goes, grows or shrinks`(count: Int) {
    func makeAndLose() -> [UInt] {
      var buffer = WipedBuffer(capacity: count)
      buffer.append(atMost: count) { Self.fill(&$0, count) }
      let first = Self.address(buffer.bytes)
      #expect(Self.remains(at: first, count: count) == count)
      buffer.reserve(count * 10)
      let second = Self.address(buffer.bytes)
      #expect(Self.remains(at: second, count: count) == count)
      buffer.truncate(to: 0)
      #expect(Self.isWiped(Self.remains(at: second, count: count), of: count))
      buffer.append(atMost: count) { Self.fill(&$0, count) }
      return first == second ? [second] : [first, second]
    }
    for address in makeAndLose() {
      #expect(Self.isWiped(Self.remains(at: address, count: count), of: count))
    }
  }

  @Test func `secrets lie apart, and on pages that don't go to the disk`() {
    let first = SecretBytes(count: 100) { Self.fill(&$0, 100) }
    let second = SecretBytes(count: 100) { Self.fill(&$0, 100) }
    let addresses = [first.withBytes { Self.address($0) }, second.withBytes { Self.address($0) }]
    let distance = max(addresses[0], addresses[1]) - min(addresses[0], addresses[1])
    #expect(distance >= 100)
    #expect(SecretBytes.allAreLocked)
  }

  @Test func `of locked pages as much is overwritten as was used`() {
    let pages = LockedPages(count: 10_000)
    let address = unsafe UInt(bitPattern: pages.base)
    #expect(Self.remains(at: address, count: pages.count) < pages.count / 8)
    for i in 0..<pages.count {
      unsafe pages.base.storeBytes(of: Self.byte(i), toByteOffset: i, as: UInt8.self)
    }
    pages.wipe(first: 1000)
    #expect(Self.isWiped(Self.remains(at: address, count: 1000), of: 1000))
    let behind = Self.remains(at: address, count: pages.count)
    #expect(behind >= 9000)
    pages.wipe(first: 20_000)
    let all = Self.remains(at: address, count: pages.count)
    #expect(Self.isWiped(all, of: pages.count))
  }

  @Test func `locked pages stay in memory and out of core files`() throws {
    let pages = LockedPages(count: 10_000)
    unsafe pages.base.storeBytes(of: 1, as: UInt8.self)
    let flags = try #require(Self.flags(ofMappingAt: unsafe UInt(bitPattern: pages.base)))
    #expect(flags.isSuperset(of: ["lo", "dd"]))
  }

  /// Another test may map something in their place at once: what counts is that nothing of them is there.
  @Test func `nothing of locked pages is left when they go`() {
    func makeAndLose() -> UInt {
      let pages = LockedPages(count: 10_000)
      for i in 0..<pages.count {
        unsafe pages.base.storeBytes(of: Self.byte(i), toByteOffset: i, as: UInt8.self)
      }
      return unsafe UInt(bitPattern: pages.base)
    }
    let remains = Self.remains(at: makeAndLose(), count: 10_000)
    #expect(Self.isWiped(remains, of: 10_000))
  }

  /// What the kernel does with the pages there (`VmFlags` of proc_pid_smaps(5)); nil where nothing is
  /// mapped.
  private static func flags(ofMappingAt address: UInt) -> Set<Substring>? {
    guard let file = unsafe fopen("/proc/self/smaps", "re") else { return nil }
    defer { unsafe fclose(file) }
    var line = [CChar](repeating: 0, count: 1024)
    var isThere = false
    while unsafe fgets(&line, CInt(line.count), file) != nil {
      let words = String(
        decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self
      )
      .split { $0 == " " || $0 == "\n" }
      guard let first = words.first else { continue }
      if first == "VmFlags:", isThere { return Set(words.dropFirst()) }
      let ends = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
      if ends.count == 2 { isThere = (ends[0]..<ends[1]).contains(address) }
    }
    return nil
  }
}
