import Secrets
import Testing
import Vault

@testable import Commands

@Suite struct CredentialRequestTests {
  @Test func `lines up to an empty one`() {
    let text = Array(
      """
      protocol=https
      capability[]=authtype
      host=git.example.org:8443
      path=team/a=b.git
      nonsense
      username=ann
      password=first=

      host=other.example.org
      """.utf8)
    var request = CredentialRequest(text.span)
    let site = request.site
    #expect(site?.host == HostName(Array("git.example.org".utf8)))
    #expect(site?.port == Array("8443".utf8))
    #expect(site?.path == Array("team/a=b.git".utf8))
    let user = request.user
    #expect(user == Array("ann".utf8))
    let isRight = request.takePassword()?.withBytes {
      constantTimeEqual($0, Array("first=".utf8).span)
    }
    #expect(isRight == true)
  }

  @Test(arguments: [
    "", "protocol=https\n", "host=a.org\n", "protocol=\nhost=a.org\n", "protocol=https\nhost=\n",
    "protocol=https\nhost=a.org/b\n", "\nprotocol=https\nhost=a.org\n",
  ])
  func `what names no site`(text: String) {
    let site = CredentialRequest(Array(text.utf8).span).site
    #expect(site == nil)
  }
}
