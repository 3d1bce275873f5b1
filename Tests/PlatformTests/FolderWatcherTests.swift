import Platform
import Testing

@Suite struct FolderWatcherTests {
  @Test func `tells which files changed in its folders, and in no other`() throws {
    let (folder, other) = (try Folder(), try Folder())
    try folder.write("1", to: "before")
    let watcher = try FolderWatcher()
    watcher.watch([folder.path])
    #expect(watcher.takeEvents() == [])
    try folder.write("2", to: "before")
    try folder.write("1", to: "new")
    try other.write("1", to: "elsewhere")
    let happened = try poll([PollRequest(watcher.descriptor.number, .readable)])
    #expect(happened == [.readable])
    #expect(watcher.takeEvents() == [folder["before"], folder["new"]])
    #expect(watcher.takeEvents() == [])
    try Files.rename(folder["new"], to: folder["before"])
    #expect(watcher.takeEvents() == [folder["before"], folder["new"]])
    try Files.remove(folder["before"])
    #expect(watcher.takeEvents() == [folder["before"]])
    watcher.watch([other.path])
    _ = watcher.takeEvents()
    try folder.write("1", to: "new")
    try other.write("2", to: "elsewhere")
    #expect(watcher.takeEvents() == [other["elsewhere"]])
  }

  @Test func `a folder that goes and comes again is watched anew`() throws {
    let folder = try Folder()
    let inner = folder["inner"]
    try Files.makeDirectory(inner)
    let watcher = try FolderWatcher()
    watcher.watch([inner])
    try Files.removeDirectory(inner)
    #expect(watcher.takeEvents() == nil)
    try Files.makeDirectory(inner)
    watcher.watch([inner])
    try folder.write("1", to: "inner/file")
    #expect(watcher.takeEvents() == [inner.appending("file")])
  }
}
