import CPlatform

/// Lends a context of nettle's to `body`: in one place, so that the key is nowhere else, and overwritten
/// afterwards, with what nettle has left on the stack (a block of a key stream, for one).
func withNettleContext<Context>(
  _ empty: Context, _ body: (UnsafeMutablePointer<Context>) -> Void
) {
  unsafe withUnsafeTemporaryAllocation(of: Context.self, capacity: 1) { place in
    guard let context = place.baseAddress else { return }
    unsafe context.initialize(to: empty)
    unsafe body(context)
    unsafe platform_wipe(context, MemoryLayout<Context>.size)
    platform_wipe_stack()
  }
}
