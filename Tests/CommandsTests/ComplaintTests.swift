import Fuse
import KDBX
import Platform
import Session
import Testing
import VaultTree

@testable import Commands

@Suite struct ComplaintTests {
  @Test func `an error is a line, and each hint another`() {
    let complaint = Complaint("it broke", hints: ["mend it", "or not"], exitCode: .fuse)
    #expect(
      complaint.lines == [
        "kdbxfs: error: it broke", "kdbxfs: hint: mend it", "kdbxfs: hint: or not",
      ])
  }

  @Test(arguments: [
    (SessionError.Kind.unreadable, ExitCode.vaultUnreadable),
    (.mountedElsewhere, .vaultUnreadable), (.notLocked, .vaultUnreadable), (.wrongKey, .wrongKey),
    (.emptyPassword, .emptyPassword), (.unwritable, .vaultUnwritable),
    (.conflict, .vaultUnwritable), (.busy, .mountPoint), (.refused, .controlSocket),
  ])
  func `a session's error ends with its code and keeps its words`(
    kind: SessionError.Kind, code: ExitCode
  ) {
    let complaint = Complaint(SessionError(kind, "what", hints: ["try"]))
    #expect(complaint == Complaint("what", hints: ["try"], exitCode: code))
  }

  @Test(arguments: [
    FuseError.noDevice(.noEntry), .session(["a"]), .mount(["b", "c"]), .system(.accessDenied),
  ])
  func `what FUSE refuses ends with its code and a hint`(error: FuseError) {
    let complaint = Complaint(error)
    #expect(complaint.exitCode == .fuse)
    #expect(complaint.message == "\(error)")
    #expect(complaint.hints.count == 1)
  }

  @Test(arguments: TreeError.allCases)
  func `a path that can't be read is named, with a hint`(error: TreeError) {
    let complaint = Complaint(error, path: Array("a/b".utf8))
    #expect(complaint.message.hasPrefix("'a/b': "))
    #expect(!complaint.hints.isEmpty)
  }
}
