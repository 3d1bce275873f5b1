import Commands
import Testing

@Suite struct ExitCodeTests {
  /// The promise to scripts, word for word from the documents.
  @Test func `the numbers stay what they are`() {
    #expect(
      ExitCode.allCases.map(\.rawValue)
        == [0, 1, 9, 10, 12, 15, 19, 20, 22, 23, 24, 26, 27, 28, 29, 126, 127])
  }
}
