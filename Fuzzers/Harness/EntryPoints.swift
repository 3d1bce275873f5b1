/// One libFuzzer program for all parsers: the environment variable `KDBXFS_FUZZER` names one, the
/// arguments are libFuzzer's own (`docs/fuzzing.md`).
import CFuzzing
import Glibc

/// What libFuzzer calls with each input.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  // SAFETY: libFuzzer keeps the bytes until this returns.
  let buffer = unsafe UnsafeBufferPointer(start: bytes, count: count)
  unsafe Fuzzer.chosen.test(Span(_unsafeElements: buffer))
  return 0
}

/// What the package manager links as `main`, in whose place libFuzzer has one of its own.
@_cdecl("fuzzers_main")
public func fuzzersMain(
  _ count: CInt, _ arguments: UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?
) -> CInt {
  guard var arguments = unsafe arguments else { return 1 }
  var count = count
  return unsafe LLVMFuzzerRunDriver(&count, &arguments) { bytes, count in
    unsafe testOneInput(bytes, count)
  }
}

extension Fuzzer {
  /// The one that this process runs.
  static let chosen: Fuzzer = {
    let name = unsafe getenv("KDBXFS_FUZZER").map { unsafe String(cString: $0) } ?? ""
    guard let fuzzer = Fuzzer(rawValue: name) else {
      print("KDBXFS_FUZZER names none of: \(allCases.map(\.rawValue).joined(separator: " "))")
      exit(1)
    }
    return fuzzer
  }()
}
