import Testing

/// How answers reach the kernel when all doesn't go straight.
@Suite(
  .serialized, .timeLimit(.minutes(2)),
  .enabled(if: ProbeMount.isPossible, "mounting needs root and /dev/fuse"))
struct ReplyTests {
  @Test func `a reply that is dropped says EIO`() throws {
    let mount = try ProbeMount()
    let output = mount.run("echo x > drops-reply; cat drops-reply")
    #expect(output == "cat: drops-reply: Input/output error\nstatus 1\n")
  }

  @Test func `a reply may come later, from another thread, and be a failure`() throws {
    let mount = try ProbeMount(threads: 1)
    let output = mount.run(
      """
      touch synced-later sync-fails-later; sync synced-later; sync sync-fails-later
      """)
    #expect(
      output == "sync: error syncing 'sync-fails-later': No space left on device\nstatus 1\n")
  }

  @Test func `whoever waits for an answer can be interrupted`() throws {
    let mount = try ProbeMount()
    // Signals that end a process, and one that only interrupts the call.
    let output = mount.run(
      """
      touch never-synced
      timeout -s TERM 0.2 sync never-synced; echo $?
      timeout -s KILL 0.2 sync never-synced 2> /dev/null; echo $?
      perl -MPOSIX -MIO::Handle -e '
        sigaction(SIGALRM, POSIX::SigAction->new(sub {}));
        open F, "+<", "never-synced"; alarm 1; F->sync; print $!, "\\n"'
      """)
    #expect(output == "124\n137\nInterrupted system call\n")
  }

  @Test func `a thread that waits for nobody serves the others meanwhile`() throws {
    let mount = try ProbeMount(threads: 1)
    let output = mount.run(
      """
      touch never-synced; sync never-synced & sleep 0.2; echo x > a; cat a; kill $!
      """)
    #expect(output == "x\n")
  }

  @Test func `references of the kernel's are all given back`() throws {
    let mount = try ProbeMount()
    let output = mount.run(
      """
      touch references; mkdir d; seq 500 | (cd d; xargs touch); ls -l d > /dev/null; rm -r d
      for i in $(seq 100); do [ "$(cat references)" = 1 ] && break; sleep 0.1; done
      cat references
      """)
    #expect(output == "1\n")
  }
}
