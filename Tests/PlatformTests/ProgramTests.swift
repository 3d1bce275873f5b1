import Platform
import Secrets
import Testing

@Suite struct ProgramTests {
  static func failure(_ arguments: String..., limit: Int = 1000) -> Program.Failure? {
    do throws(Program.Failure) {
      let nothing: [UInt8] = []
      _ = try Program.run(arguments.map { Array($0.utf8) }, input: nothing.span, limit: limit)
      return nil
    } catch {
      return error
    }
  }

  @Test func `what a program says is given, and no shell takes it apart`() throws {
    #expect(try run("printf", "%s", "a b $HOME 'c' \\n") == "a b $HOME 'c' \\n")
    #expect(try run("true") == "")
    #expect(try run("cat", input: "in and out") == "in and out")
  }

  /// More than the pipes hold, both ways at once.
  @Test func `much goes in while much comes out`() throws {
    let text = String(repeating: "0123456789abcde\n", count: 50_000)
    #expect(try run("cat", input: text) == text)
  }

  @Test func `a program is fed, and says nothing`() throws {
    let text = [UInt8](repeating: 0x78, count: 500_000)
    func feed(_ arguments: String...) -> Program.Failure? {
      do throws(Program.Failure) {
        try Program.feed(arguments.map { Array($0.utf8) }, input: text.span)
        return nil
      } catch {
        return error
      }
    }
    #expect(feed("sh", "-c", "test $(wc -c) = 500000; exit $?; echo said") == nil)
    #expect(feed("sh", "-c", "test $(wc -c) = 499999") == .status(1))
    #expect(feed("true") == nil)
    #expect(feed("sh", "-c", "kill -9 $$") == .signal(.kill))
    #expect(feed("no-such-program-here") == .start(.noEntry))
  }

  @Test func `a program is there or not`() {
    #expect(Program.isThere("sh"))
    #expect(!Program.isThere("no-such-program-here"))
    #expect(!Files.isProgram("/"))
    #expect(!Files.isProgram("/etc/passwd"))
  }

  @Test func `a program needn't read what it is sent`() throws {
    let text = String(repeating: "x", count: 500_000)
    #expect(try run("true", input: text) == "")
    #expect(try run("sh", "-c", "exec <&-; echo done", input: text) == "done\n")
  }

  @Test func `how it failed is told`() {
    #expect(Self.failure("false") == .status(1))
    #expect(Self.failure("sh", "-c", "exit 7") == .status(7))
    #expect(Self.failure("sh", "-c", "kill -TERM $$") == .signal(.terminate))
    #expect(Self.failure("/no/such/program") == .start(.noEntry))
    #expect(Self.failure("/etc/passwd") == .start(.accessDenied))
    #expect(Self.failure() == .start(.noEntry))
    #expect(Self.failure("") == .start(.noEntry))
    #expect(Self.failure("cat", "/dev/zero", limit: 10_000) == .tooLong)
    #expect(Self.failure("printf", "12345", limit: 4) == .tooLong)
    #expect(Self.failure("printf", "1234", limit: 4) == nil)
  }

  /// It would sleep for as long as the machine runs.
  @Test func `a program that takes too long is ended`() {
    let error = #expect(throws: Program.Failure.self) {
      let words = ["sleep", "infinity"].map { Array($0.utf8) }
      _ = try Program.run(words, input: [UInt8]().span, limit: 10, milliseconds: 50)
    }
    #expect(error == .tooLate)
  }

  @Test func `it gets our environment, no descriptor of ours, and no blocked signal`() throws {
    let folder = try Folder()
    let open = try Descriptor.open(folder["open"], [.write, .create])
    let listed = try run("sh", "-c", "ls -l /proc/self/fd")
    #expect(listed.contains("1 -> pipe:"))
    #expect(!listed.contains(folder["open"].description))
    withExtendedLifetime(open) {}
    #expect(
      try run("printenv", "PATH").dropLast() == Process.environment("PATH").map {
        String(decoding: $0, as: UTF8.self)
      } ?? "")
    let status = try run("cat", "/proc/self/status")
    #expect(status.contains("SigBlk:\t0000000000000000"))
  }
}
