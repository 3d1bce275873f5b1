import Commands
import Testing

@Suite struct MountHelperTests {
  static func translate(_ line: String) -> (arguments: String, pretends: Bool) {
    let words = line.split(separator: " ").map { Array($0.utf8) }
    let request = MountHelper.translate(words)
    let text = request.arguments.map { String(decoding: $0, as: UTF8.self) }
    return (text.joined(separator: " "), request.pretends)
  }

  @Test(arguments: [
    ("v m", "v m"),
    ("v m -o rw,passfile=/p", "v m -o rw,passfile=/p"),
    ("v m -n -v -o ro -t kdbxfs", "v m -o ro"),
    ("v m -nvo ro", "v m -o ro"),
    ("v m -N /proc/7/ns/mnt", "v m"),
    ("v m -s -o ro,frob,x-a=b,fsname=a\\,b,frob=1", "v m -o ro,x-a=b,fsname=a\\,b"),
    ("v m -o frob", "v m -o frob"),
    ("v m --ro", "v m --ro"),
    ("v m -x", "v m -x"),
  ])
  func `what mount(8) says is said as we understand it`(line: String, means: String) {
    #expect(Self.translate(line) == (means, false))
  }

  @Test func `pretending is understood`() {
    #expect(Self.translate("v m -f") == ("v m", true))
    #expect(Self.translate("v m -sfnv -o ro") == ("v m -o ro", true))
  }
}
