import CPlatform
import Glibc

/// Another user that this process may become: what mount(8)'s helpers do for whom they mount.
package struct UserSwitch: Hashable, Sendable {
  package enum Failure: Error, Hashable {
    /// There is no such user.
    case unknownUser
    /// Only root may become someone else.
    case notRoot
    case system(Errno)
  }

  private let name: [UInt8]
  private let user: UInt32
  private let group: UInt32
  private let home: [UInt8]

  /// Looks up a user by name or number; `group` is another primary group than the user's own.
  package init(to text: [UInt8], group other: UInt32? = nil) throws(Failure) {
    let number = UInt32(decimal: text)
    var user: UInt32 = 0
    var group: UInt32 = 0
    let size = 1 << 14
    var texts = [CChar](repeating: 0, count: size)
    let name = text.map { CChar(bitPattern: $0) } + [0]
    let found = unsafe platform_find_user(
      name, number == nil ? 0 : 1, number ?? 0, &user, &group, &texts, size)
    guard found > 0 else { throw found == 0 ? .unknownUser : .system(Errno(rawValue: errno)) }
    // The name, a NUL, the home folder, a NUL.
    let bytes = texts.map { UInt8(bitPattern: $0) }
    let parts = bytes.split(separator: 0, maxSplits: 2, omittingEmptySubsequences: false)
    self.name = Array(parts[0])
    home = Array(parts[1])
    self.user = user
    self.group = other ?? group
  }

  /// The user's name, fit for a line of text.
  var title: String { Path(name).description }

  /// Becomes the user for good, with the user's groups, and an environment that a login would give;
  /// call it while this process has one thread, and before anything of the user's is read.
  ///
  /// Nothing happens where the process is the user's already.
  package func become() throws(Failure) {
    guard user != Process.user || group != Process.group else { return }
    guard Process.user == 0 else { throw .notRoot }
    let texts = [name, home].map { text in text.map { CChar(bitPattern: $0) } + [0] }
    do throws(Errno) {
      try systemCall { unsafe platform_become(texts[0], user, group) }
    } catch {
      throw .system(error)
    }
    setEnvironment()
  }

  private func setEnvironment() {
    func set(_ variable: String, _ value: [UInt8]) {
      let value = value.map { CChar(bitPattern: $0) } + [0]
      _ = unsafe setenv(variable, value, 1)
    }
    for variable in ["XDG_CONFIG_HOME", "XDG_STATE_HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME"] {
      unsafe unsetenv(variable)
    }
    for variable in ["XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS", "DISPLAY", "WAYLAND_DISPLAY"] {
      unsafe unsetenv(variable)
    }
    set("HOME", home)
    set("USER", name)
    set("LOGNAME", name)
    set("PATH", Array("/usr/local/bin:/usr/bin:/bin".utf8))
  }
}
