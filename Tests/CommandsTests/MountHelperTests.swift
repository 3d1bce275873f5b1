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

  @Test(
    arguments: [
      ("v m -o ro,setuid=alice,idle=5m", "ro,idle=5m", "alice", nil),
      ("v m -o uid=1000,gid=100", "", "1000", "100"),
      ("v m -o uid=1000,setuid=alice,user=bob", "user=bob", "alice", nil),
      ("v m -o user,fsname=setuid=x", "user,fsname=setuid=x", nil, nil),
    ] as [(String, String, String?, String?)])
  func `for whom to mount is taken out`(
    line: String, options: String, user: String?, group: String?
  ) {
    let request = MountHelper.translate(line.split(separator: " ").map { Array($0.utf8) })
    #expect(request.arguments.last == Array(options.utf8))
    #expect(request.user == user.map { Array($0.utf8) })
    #expect(request.group == group.map { Array($0.utf8) })
  }

  @Test(arguments: [
    ("m", "umount m"), ("m -l", "umount m --lazy"), ("m -fnrv -t fuse.kdbxfs", "umount m"),
    ("-N /proc/7/ns/mnt m -lf", "umount m --lazy"), ("m -x", "umount m -x"),
  ])
  func `what umount(8) says is said as we understand it`(line: String, means: String) {
    let words = MountHelper.translateUnmount(line.split(separator: " ").map { Array($0.utf8) })
    #expect(words.map { String(decoding: $0, as: UTF8.self) }.joined(separator: " ") == means)
  }

  @Test func `pretending is understood`() {
    #expect(Self.translate("v m -f") == ("v m", true))
    #expect(Self.translate("v m -sfnv -o ro") == ("v m -o ro", true))
  }
}
