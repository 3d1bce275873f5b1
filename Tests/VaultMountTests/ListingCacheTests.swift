import Fuse
import Testing
import VaultMount

@Suite struct ListingCacheTests {
  static let fresh = DirectoryCaching(fillsCache: true, keepsCache: false)
  static let kept = DirectoryCaching(fillsCache: true, keepsCache: true)

  let cache = ListingCache()
  let directory = InodeNumber(rawValue: 7)

  @Test func `the first to open fills the cache, later ones take from it`() {
    #expect(cache.open(directory) == Self.fresh)
    #expect(cache.open(directory) == Self.kept)
    cache.close(directory)
    cache.close(directory)
    #expect(cache.open(directory) == Self.kept)
  }

  @Test func `after a change the cache is dropped`() {
    _ = cache.open(directory)
    cache.close(directory)
    cache.change(directory)
    #expect(cache.open(directory) == Self.fresh)
    #expect(cache.open(directory) == Self.kept)
  }

  @Test func `while a handle from before a change is open, the cache is out of use`() {
    _ = cache.open(directory)
    cache.change(directory)
    #expect(cache.open(directory) == .none)
    #expect(cache.open(directory) == .none)
    cache.close(directory)
    cache.close(directory)
    #expect(cache.open(directory) == .none)
    cache.close(directory)
    cache.close(directory)
    #expect(cache.open(directory) == Self.fresh)
  }

  @Test func `what the kernel has forgotten starts afresh`() {
    _ = cache.open(directory)
    cache.close(directory)
    cache.forget(directory)
    #expect(cache.open(directory) == Self.fresh)
  }

  @Test func `directories don't touch each other`() {
    _ = cache.open(directory)
    cache.change(InodeNumber(rawValue: 8))
    #expect(cache.open(directory) == Self.kept)
  }
}
