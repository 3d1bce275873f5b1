import CPlatform
import Glibc

/// Keeps secrets out of what a dying or observed process leaves behind.
package enum ProcessHardening {
  /// Call first thing in `main`, before any secret is read.
  package static func apply() throws(Errno) {
    // Swift's crash handler prints the memory that registers point to. Give crashes back to the
    // kernel, and then have the kernel write no core file. What is ignored stays so, for what `run` runs.
    for fatal in [SIGILL, SIGTRAP, SIGABRT, SIGFPE, SIGBUS, SIGSEGV, SIGQUIT] {
      platform_unhandle(fatal)
    }
    var none = rlimit(rlim_cur: 0, rlim_max: 0)
    try systemCall { unsafe setrlimit(__rlimit_resource_t(RLIMIT_CORE.rawValue), &none) }
    try systemCall { platform_forbid_tracing() }
  }
}
