import Platform
import Testing
import Vault

@testable import Commands

@Suite struct SSHQuestionTests {
  static func login(_ user: String, _ host: String) -> SSHQuestion {
    .login(user: Array(user.utf8), host: HostName(Array(host.utf8)))
  }

  @Test(arguments: [
    ("alice@web.example.org's password: ", login("alice", "web.example.org")),
    ("(bob@web.example.org) Password: ", login("bob", "web.example.org")),
    ("(bob@web.example.org) bob@web.example.org's password: ", login("bob", "web.example.org")),
    ("a@b@Web.Example.org's password: ", login("a@b", "web.example.org")),
    ("(bob@new.example.org) bob@new.example.org's password: ", login("bob", "new.example.org")),
    ("Enter passphrase for key '/srv/new pin/again': ", .key(file: "/srv/new pin/again")),
    ("Enter passphrase for key '/srv/a b/.ssh/id': ", .key(file: "/srv/a b/.ssh/id")),
    ("Enter passphrase for /srv/a/.ssh/id: ", .key(file: "/srv/a/.ssh/id")),
    ("Enter passphrase for /k (will confirm each use): ", .key(file: "/k")),
  ])
  func `it says what it wants`(question: String, means: SSHQuestion) {
    #expect(SSHQuestion(Array(question.utf8)) == means)
  }

  /// A host can let ssh ask what it likes, but not in front of its own name.
  @Test(arguments: [
    "(mallory@evil.example) alice@web.example.org's password: ",
    "(mallory@evil.example) Enter passphrase for key '/srv/a/.ssh/id': Password:",
  ])
  func `a host asks in its own name only`(question: String) {
    #expect(SSHQuestion(Array(question.utf8)) == Self.login("mallory", "evil.example"))
  }

  @Test(arguments: [
    "", "Password: ", "[sudo] password for alice: ", "(alice@web) Verification code: ",
    "(alice@web) One-time password: ", "(alice@web) Retype password: ", "(alice@web) PIN: ",
    "(alice@web) Save the password? ", "(alice@web) New passwd: ",
    "Enter passphrase for \"/k\" (empty for no passphrase): ", "alice@web's password: or not",
    "@web's password: ",
    "alice@'s password: ", "Bad passphrase, try again for /k: ", "Enter passphrase for : ",
    "Are you sure you want to continue connecting (yes/no/[fingerprint])? ",
  ])
  func `another question is none`(question: String) {
    #expect(SSHQuestion(Array(question.utf8)) == nil)
  }
}
