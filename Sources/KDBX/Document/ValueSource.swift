package import Ciphers
package import Secrets

/// A binary of the inner header (KDBX 4), sealed where it lies.
package struct InnerBinary: Sendable {
  /// The flag byte as found; bit 0 asks to keep the content protected in memory.
  package let flags: UInt8
  /// Where the sealed content lies in the buffer, without the flag byte.
  package let content: Range<Int>
  /// What it was sealed under.
  package let nonce: SealNonce

  package init(flags: UInt8, content: Range<Int>, nonce: SealNonce) {
    self.flags = flags
    self.content = content
    self.nonce = nonce
  }
}

/// What a document is made from: the inflated payload, and what opens the values in it.
package struct DocumentSource: Sendable {
  let buffer: SharedBuffer
  let innerStream: InnerStream
  let sealingKey: SealingKey
  let binaries: [InnerBinary]

  /// Takes what the container read.
  ///
  /// `buffer` holds the XML and the sealed contents of `binaries`; the key of the inner stream has
  /// been wiped in it. `binaries` are those of the inner header, in order; none in KDBX 3.
  package init(
    buffer: SharedBuffer, innerStream: InnerStream, sealingKey: SealingKey, binaries: [InnerBinary]
  ) {
    self.buffer = buffer
    self.innerStream = innerStream
    self.sealingKey = sealingKey
    self.binaries = binaries
  }
}

/// Opens the values of a document, from any thread.
package final class ValueSource: Sendable {
  /// Appends the exact bytes of a value: escapes resolved, protected ones deciphered.
  package func open(_ text: StoredText, into output: inout WipedBuffer) { fatalError("not yet") }

  /// The exact number of bytes of a value; leaves no plain text behind.
  package func count(of text: StoredText) -> Int { fatalError("not yet") }

  /// Whether two values have the same bytes.
  package func equal(_ left: StoredText, _ right: StoredText) -> Bool { fatalError("not yet") }

  /// The exact bytes of a value that is no secret: a name, a title.
  package func bytes(of text: StoredText) -> [UInt8] { fatalError("not yet") }

  /// Seals a value that was written in this session.
  package func seal(_ plain: Span<UInt8>) -> StoredText { fatalError("not yet") }

  init() {}
}
