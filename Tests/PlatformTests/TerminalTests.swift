import Glibc
import Secrets
import Testing

@testable import Platform

@Suite(.serialized, .timeLimit(.minutes(1))) struct TerminalTests {
  @Test func `a password is read, and not shown`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    #expect(!terminal.echoes)
    terminal.type("correct horse é\n")
    #expect(terminal.waitForEnd() == "answer <correct horse é>\n")
    #expect(terminal.shown == "Password: \r\n")
    #expect(terminal.echoes)
  }

  @Test func `an empty answer is an answer`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    terminal.type("\n")
    #expect(terminal.waitForEnd() == "answer <>\n")
  }

  @Test func `what was typed wrong can be taken back`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    terminal.type("wrong\u{15}right\u{7F}\u{7F}\u{7F}\u{7F}\u{7F}rong\n")
    #expect(terminal.waitForEnd() == "answer <rong>\n")
  }

  @Test func `an end before a line is no answer`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    terminal.type("\u{4}")
    #expect(terminal.waitForEnd() == "endOfInput\n")
    #expect(terminal.echoes)
  }

  @Test func `an end behind some bytes ends the line`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    // The first gives what there is, the second is the end.
    terminal.type("half\u{4}\u{4}")
    #expect(terminal.waitForEnd() == "answer <half>\n")
  }

  @Test(arguments: [SIGINT, SIGTERM, SIGHUP, SIGQUIT])
  func `a signal ends the question, and the terminal shows again what is typed`(
    signal: CInt
  ) throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    #expect(!terminal.echoes)
    if signal == SIGINT {
      terminal.type("half\u{3}")
    } else {
      try Signals.send(Signal(rawValue: signal), to: terminal.process)
    }
    #expect(terminal.waitForEnd() == "interrupted(Platform.Signal(rawValue: \(signal)))\n")
    #expect(terminal.echoes)
  }

  /// The kernel doesn't stop a session's leader, which the program is here: it goes on at once, after
  /// all that it does when it is stopped.
  @Test func `being stopped asks again`() throws {
    let terminal = try PseudoTerminal()
    #expect(terminal.wait(for: "Password: "))
    terminal.type("half\u{1A}")
    #expect(terminal.wait(for: "\r\nPassword: "))
    #expect(!terminal.echoes)
    terminal.type("whole\n")
    #expect(terminal.waitForEnd() == "answer <whole>\n")
    #expect(terminal.echoes)
  }

  @Test func `stopped by a shell, it leaves the terminal as it was until it goes on`() throws {
    let terminal = try PseudoTerminal(
      "set -m; $PROBE ask; echo stopped; read line; fg >/dev/null")
    #expect(terminal.wait(for: "Password: "))
    terminal.type("half\u{1A}")
    #expect(terminal.nextLine() == "stopped")
    #expect(terminal.echoes)
    terminal.type("shown\n")
    #expect(terminal.wait(for: "shown\r\nPassword: "))
    #expect(!terminal.echoes)
    terminal.type("whole\n")
    #expect(terminal.waitForEnd() == "answer <whole>\n")
    #expect(terminal.echoes)
  }

  @Test func `a terminal that goes away is no answer`() throws {
    let terminal = try PseudoTerminal("trap '' HUP; exec $PROBE ask")
    #expect(terminal.wait(for: "Password: "))
    terminal.hangUp()
    #expect(terminal.waitForEnd() == "endOfInput\n")
  }

  @Test func `without a terminal there is nobody to ask`() throws {
    let probe = try probe.description
    #expect(try run("setsid", "-w", probe, "ask") == "noTerminal\n")
  }
}
