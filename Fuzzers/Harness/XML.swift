import ByteCoding
import CFuzzing
import Glibc
import Secrets

@testable import KDBX

/// Our scanner beside libxml2: what we accept libxml2 accepts, with the same content; and the other way
/// round, but for what we refuse on purpose.
func testXML(_ bytes: Span<UInt8>) {
  let mine = Events(scanning: bytes)
  let theirs = Events(readByLibxml2: bytes)
  switch mine.outcome {
  case .accepted:
    // In ASCII by its declaration, and not by its bytes: a lie that harms nobody.
    if theirs.outcome != .accepted, declaresASCII(bytes) { return }
    expect(theirs.outcome == .accepted, "what we accept, libxml2 accepts")
    expect(mine.bytes == theirs.bytes, "both read the same")
  case .refused(let problem):
    guard theirs.outcome == .accepted else { return }
    expect(isRefusedOnPurpose(problem, bytes), "what libxml2 accepts, we accept")
  case .hasDocumentType: break
  }
  // What passes over control characters reads all that the strict one reads.
  if mine.outcome == .accepted {
    expect(
      Events(scanning: bytes, passingControls: true).bytes == mine.bytes,
      "passing over control characters changes nothing where there are none")
  }
}

/// Limits of ours, other encodings, document types, and bytes that libxml2 takes for the end.
private func isRefusedOnPurpose(_ problem: XMLError.Problem, _ bytes: Span<UInt8>) -> Bool {
  switch problem {
  case .documentType, .tooDeep, .tooLarge: true
  // UTF-8 only: libxml2 converts what begins as something else, or says that it is.
  case .badDeclaration: true
  // libxml2 2.9 takes characters in more bytes than they need.
  case .notUTF8: String(validating: array(bytes), as: UTF8.self) == nil
  case .unexpected, .forbiddenCharacter, .truncated:
    isOfAnotherEncoding(bytes) || bytes.indices.contains { bytes[$0] == 0 }
  default: false
  }
}

/// Whether it begins as UTF-16, UTF-32, UCS-4 or EBCDIC do.
private func isOfAnotherEncoding(_ bytes: Span<UInt8>) -> Bool {
  guard bytes.count >= 2 else { return false }
  return bytes[0] == 0 || bytes[1] == 0 || bytes[0] == 0xFE || bytes[0] == 0xFF
    || (bytes[0] == 0x4C && bytes[1] == 0x6F)
}

private func declaresASCII(_ bytes: Span<UInt8>) -> Bool {
  let start = String(
    decoding: array(bytes.extracting(first: min(bytes.count, 1000))), as: UTF8.self)
  return start.lowercased().utf8.firstPlace(of: "us-ascii") != nil
}

/// What a document holds, in the form that `CFuzzing` has.
private struct Events {
  enum Outcome: Equatable {
    case accepted, hasDocumentType
    case refused(XMLError.Problem)
  }

  private(set) var bytes: [UInt8] = []
  private(set) var outcome = Outcome.accepted

  init(scanning text: Span<UInt8>, passingControls: Bool = false) {
    do throws(XMLError) {
      var scanner = try XMLScanner(text, passingControls: passingControls)
      while true {
        let token = try scanner.next()
        if token == .finished { return }
        append(token, scanner, text)
      }
    } catch {
      outcome = .refused(error.problem)
    }
  }

  private mutating func append(
    _ token: XMLScanner.Token, _ scanner: borrowing XMLScanner, _ text: Span<UInt8>
  ) {
    guard token == .start else {
      bytes.append(UInt8(ascii: "E"))
      bytes += XMLText.plain(text.extracting(scanner.content)) + [0]
      return
    }
    bytes += [UInt8(ascii: "S")] + array(text.extracting(scanner.name)) + [0]
    for attribute in scanner.hasAttributes ? scanner.attributes : [] {
      bytes += [UInt8(ascii: "A")] + array(text.extracting(attribute.name)) + [0]
      bytes += XMLText.attributeValue(text.extracting(attribute.value)) + [0]
    }
  }

  init(readByLibxml2 text: Span<UInt8>) {
    var events: UnsafeMutablePointer<UInt8>?
    var count = 0
    let verdict = unsafe text.withUnsafeBufferPointer { text in
      unsafe fuzzing_read_xml(text.baseAddress, text.count, &events, &count)
    }
    if let events = unsafe events {
      bytes = unsafe Array(UnsafeBufferPointer(start: events, count: count))
      unsafe free(events)
    }
    switch verdict {
    case CInt(fuzzing_accepted.rawValue): outcome = .accepted
    case CInt(fuzzing_has_document_type.rawValue): outcome = .hasDocumentType
    default: outcome = .refused(.truncated)
    }
  }
}
