import Testing

/// Programs at a mount of ``Fuse``, served by `fuse-probe`.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProbeMount.isPossible, "mounting needs root and /dev/fuse"))
struct MountTests {
  /// What is typed, and what must come of it.
  struct Session: Sendable, CustomTestStringConvertible {
    var what: String
    var script: String
    var output: String
    var testDescription: String { what }
  }

  static let sessions = [
    Session(
      what: "writing, appending, shortening",
      script: """
        echo one > a; echo two >> a; cat a; truncate -s 2 a; cat a; echo; : > a; stat -c %s a
        """,
      output: "one\ntwo\non\n0\n"),
    Session(
      what: "directories, copies, moves, removal",
      script: """
        mkdir -p d/e; echo x > d/e/f; cp -a d g; mv g/e/f g/h; find . | sort; rm -r d g; ls -A
        """,
      output: ".\n./d\n./d/e\n./d/e/f\n./g\n./g/e\n./g/h\n"),
    Session(
      what: "links",
      script: """
        echo x > a; ln a b; stat -c %h a; ln -s a c; readlink c; cat c; rm a; cat b; rm b c
        """,
      output: "2\na\nx\nx\n"),
    Session(
      what: "errors",
      script: """
        cat no; mkdir d d; touch d/f; rmdir d; cat d; cd d/f; rm -r d; mkfifo p; true
        """,
      output: """
        cat: no: No such file or directory
        mkdir: cannot create directory 'd': File exists
        rmdir: failed to remove 'd': Directory not empty
        cat: d: Is a directory
        sh: 1: cd: can't cd to d/f
        mkfifo: cannot create fifo 'p': Operation not permitted

        """),
    Session(
      what: "renaming onto a name, and not",
      script: """
        echo 1 > a; echo 2 > b; mv -n a b; cat a b; mv a b; cat b; ls; rm b
        """,
      output: "1\n2\n1\nb\n"),
    Session(
      what: "names are bytes",
      script: #"touch "$(printf 'x\377y')" "$(printf 'a\nb')"; ls | od -An -c; rm *"#,
      output: "   a  \\n   b  \\n   x 377   y  \\n\n"),
    Session(
      what: "attributes that can be changed",
      script: """
        touch -d '2020-01-02 03:04:05.678 UTC' a; chmod 640 a
        TZ=UTC stat -c '%a %y' a; stat -f -c '%l %b %a %S' .; rm a
        """,
      output: "640 2020-01-02 03:04:05.678000000 +0000\n255 1000 600 4096\n"),
    Session(
      what: "what FUSE has no need to know falls back",
      script: """
        echo x > a; fallocate -l 10 a; cp --reflink=auto a b; cat b; flock a echo locked; rm a b
        """,
      output: "fallocate: fallocate failed: Operation not supported\nx\nlocked\n"),
  ]

  @Test(arguments: sessions)
  func `programs see a file system`(session: Session) throws {
    let mount = try ProbeMount()
    #expect(mount.run(session.script) == session.output)
  }

  @Test(arguments: [1, 2, 5])
  func `large files go through whole, in any piece`(threads: Int) throws {
    let mount = try ProbeMount(threads: threads)
    let output = mount.run(
      """
      random=$(mktemp -p /tmp); head -c 5000001 /dev/urandom > $random
      dd if=$random of=a bs=1M status=none; cmp a $random
      dd if=$random of=b bs=777 count=2000 status=none; head -c 1554000 $random | cmp - b
      dd if=a of=c bs=3000001 status=none; cmp c $random; rm $random
      dd if=a bs=1 skip=4999999 status=none | wc -c
      dd if=a bs=1 skip=9223372036854775000 count=1 status=none | wc -c
      """)
    #expect(output == "2\n0\n")
  }

  @Test func `long listings come in pieces, with and without attributes`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      mkdir d; cd d; seq -f 'a-name-that-is-a-little-longer-%g' 3000 | xargs touch
      ls -f | sort -u | wc -l; ls -f | wc -l; ls -l | wc -l; find . -size 0 -type f | wc -l
      """)
    #expect(output == "3002\n3002\n3001\n3000\n")
  }

  @Test func `extended attributes are kept, listed and removed`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      touch a; setfattr -n user.x -v yes a; setfattr -n user.y -v '' a
      getfattr -d a; getfattr --only-values -n user.x a; echo
      setfattr -x user.x a; getfattr a; getfattr -n user.no a; true
      """)
    #expect(
      output == """
        # file: a
        user.x="yes"
        user.y=""

        yes
        # file: a
        user.y

        a: user.no: No such attribute

        """)
  }
}
