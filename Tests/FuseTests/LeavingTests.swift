import Testing

/// The ways out of a mount.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProbeMount.isPossible, "mounting needs root and /dev/fuse"))
struct LeavingTests {
  @Test func `a mount in use says that it is busy, and stays`() throws {
    let mount = try ProbeMount()
    let output = mount.run("touch unmounts; echo busy > unmounts; sleep 0.5; ls")
    #expect(mount.nextLine() == "unmount 16")
    #expect(output == "unmounts\n")
    #expect(mount.isAttached)
  }

  @Test func `a mount that nobody uses goes, and so does its program`() throws {
    let mount = try ProbeMount()
    _ = mount.run("touch unmounts; echo busy > unmounts")
    #expect(mount.isOver())
    #expect(!mount.isAttached)
  }

  @Test func `a lazy unmount leaves those who use it to finish`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      echo x > a; exec 3< a; touch unmounts; echo lazy > unmounts
      while grep -qF " $PWD " /proc/self/mountinfo; do sleep 0.01; done; cat <&3
      """)
    #expect(output == "x\n")
    #expect(mount.isOver())
  }

  @Test func `serving that is stopped takes the mount along`() throws {
    let mount = try ProbeMount()
    _ = mount.run("touch stops; echo now > stops")
    #expect(mount.isOver())
    #expect(!mount.isAttached)
  }

  @Test func `threads that wait for requests are woken to stop`() throws {
    let mount = try ProbeMount()
    _ = mount.run("touch stops-later; echo now > stops-later")
    // Nothing is asked of the mount meanwhile, which goes when the last thread has left.
    let waited = Shell.run(
      """
      n=0; while grep -qF ' \(mount.path) ' /proc/self/mountinfo; do
        n=$((n + 1)); [ $n -lt 100 ] || { echo still there; break; }; sleep 0.05; done
      """, in: "/")
    #expect(waited == "")
  }

  @Test func `an unmount by others ends the serving`() throws {
    let mount = try ProbeMount()
    #expect(Shell.run("umount '\(mount.path)'", in: "/") == "")
    #expect(mount.isOver())
  }

  @Test func `another mount at our place is left alone`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      touch unmounts; (sleep 0.01; echo lazy > unmounts) &
      cd /; mount -t tmpfs over '\(mount.path)'; sleep 0.5; stat -f -c %T '\(mount.path)'
      umount '\(mount.path)'
      """)
    #expect(output == "tmpfs\n")
    // EBUSY: ours is still in the table, and no path leads to it.
    #expect(mount.nextLine() == "unmount 16")
  }
}
