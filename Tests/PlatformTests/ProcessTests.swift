import Platform
import Testing

@Suite struct ProcessTests {
  @Test func `a hardened process leaves no core and shows its memory to nobody`() throws {
    let said = try run(probe.description, "harden")
    #expect(said == "owner 0\nMax core file size 0 0 bytes\n")
  }

  @Test(.enabled(if: Process.user == 0))
  func `that holds for an ordinary user too`() throws {
    let said = try run(
      "setpriv", "--reuid=5678", "--regid=5678", "--clear-groups", probe.description, "harden")
    #expect(said.hasPrefix("owner 0\n"))
  }

  @Test func `arguments and environment are bytes`() {
    #expect(Process.arguments.count == CommandLine.arguments.count)
    #expect(Process.arguments.first == CommandLine.arguments.first.map { Array($0.utf8) })
    #expect(Process.environment("KDBXFS_NO_SUCH_VARIABLE") == nil)
  }
}
