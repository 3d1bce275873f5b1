import ByteCoding

/// Takes fields off a file, and files what goes wrong under the part that is being read.
struct FileReader: ~Escapable {
  private var reader: ByteReader
  /// What an error will name.
  var part: KDBXError.Part

  @_lifetime(copy bytes)
  init(_ bytes: Span<UInt8>, in part: KDBXError.Part) {
    reader = ByteReader(bytes)
    self.part = part
  }

  /// The number of bytes taken so far.
  var offset: Int { reader.offset }
  /// The number of bytes still to be taken.
  var remaining: Int { reader.remaining }

  @_lifetime(copy self)
  mutating func take(_ count: Int) throws(KDBXError) -> Span<UInt8> {
    do throws(ByteError) { return try reader.take(count) } catch { throw wrapped(error) }
  }

  @_lifetime(copy self)
  mutating func takeCounted(limit: Int = .max) throws(KDBXError) -> Span<UInt8> {
    do throws(ByteError) {
      return try reader.takeCounted(limit: limit)
    } catch {
      throw wrapped(error)
    }
  }

  @_lifetime(self: copy self)
  mutating func takeUInt8() throws(KDBXError) -> UInt8 {
    do throws(ByteError) { return try reader.takeUInt8() } catch { throw wrapped(error) }
  }

  @_lifetime(self: copy self)
  mutating func takeUInt16() throws(KDBXError) -> UInt16 {
    do throws(ByteError) { return try reader.takeUInt16() } catch { throw wrapped(error) }
  }

  @_lifetime(self: copy self)
  mutating func takeUInt32() throws(KDBXError) -> UInt32 {
    do throws(ByteError) { return try reader.takeUInt32() } catch { throw wrapped(error) }
  }

  private func wrapped(_ error: ByteError) -> KDBXError {
    if case .truncated = error.problem {
      return KDBXError(.truncated, in: part, at: error.offset, cause: .bytes(error))
    }
    return KDBXError(.damaged, in: part, at: error.offset, cause: .bytes(error))
  }
}
