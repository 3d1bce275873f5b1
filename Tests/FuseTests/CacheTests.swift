import Testing

/// What the kernel holds cached for an hour is forgotten when it is told so.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProbeMount.isPossible, "mounting needs root and /dev/fuse"))
struct CacheTests {
  @Test func `attributes change at once, also by a request of another file`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      echo 12345 > a; touch grows-behind; stat -c %s a; echo a > grows-behind; stat -c %s a; cat a
      """)
    #expect(output == "6\n7\n12345\n+")
  }

  @Test func `names are forgotten, though the request of a neighbour says so`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      echo 1 > old; touch renames-behind; cat old
      for i in $(seq 200); do
        echo old new > renames-behind
        until [ -e new ] && ! [ -e old ]; do sleep 0.01; done
        echo new old > renames-behind
        until [ -e old ] && ! [ -e new ]; do sleep 0.01; done
      done
      ls
      """)
    #expect(output == "1\nold\nrenames-behind\n")
  }

  @Test func `a cached listing is dropped`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      touch makes-behind; ls; ls; echo more > makes-behind
      until ls | grep more; do sleep 0.01; done
      touch yet; ls; rm yet; ls
      """)
    #expect(
      output == """
        makes-behind
        makes-behind
        more
        makes-behind
        more
        yet
        makes-behind
        more

        """)
  }
}
