import Ciphers
import Secrets

@testable import KDBX

/// The parsers, by the names of their folders of seeds.
enum Fuzzer: String, CaseIterable {
  case header
  case dictionary
  case blocks
  case innerHeader = "inner-header"
  case xml
  case document
  case keyFile = "key-file"
  case keePass1 = "keepass1"

  /// Gives the bytes to the parser, and traps where a promise of its is broken.
  func test(_ bytes: Span<UInt8>) {
    switch self {
    case .header: testHeader(bytes)
    case .dictionary: testDictionary(bytes)
    case .blocks: testBlocks(bytes)
    case .innerHeader: testInnerHeader(bytes)
    case .xml: testXML(bytes)
    case .document: testDocument(bytes)
    case .keyFile: testKeyFile(bytes)
    case .keePass1: testKeePass1(bytes)
    }
  }
}

/// Traps with what was expected; libFuzzer keeps the input.
func expect(_ condition: Bool, _ promise: StaticString) {
  if !condition { fatalError("\(promise)") }
}

/// The bytes as an array.
func array(_ bytes: Span<UInt8>) -> [UInt8] { [UInt8](copying: bytes) }
