import Glibc
import Testing

/// The vaults and cases that the project is judged by; they lie beside the package, not in it.
enum SharedData {
  /// `KDBXFS_SHARED`, else the folder `shared` beside the package; nil when there is neither.
  static let folder: String? = {
    if let named = unsafe getenv("KDBXFS_SHARED") { return unsafe String(cString: named) }
    let parts = #filePath.split(separator: "/").dropLast(4)
    let beside = "/" + parts.dropLast().joined(separator: "/") + "/shared"
    return unsafe access(beside, R_OK) == 0 ? beside : nil
  }()

  static let isThere: Bool = folder != nil

  /// The bytes of a file below the folder; nil when it can't be read.
  static func bytes(_ path: String) -> [UInt8]? {
    guard let folder, let file = unsafe fopen(folder + "/" + path, "rb") else { return nil }
    defer { unsafe _ = fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  static func json(_ path: String) throws -> JSON? {
    guard let bytes = bytes(path) else { return nil }
    return try JSON(parsing: bytes)
  }

  /// The names in a folder, sorted.
  static func list(_ path: String) -> [String] {
    guard let folder, let stream = unsafe opendir(folder + "/" + path) else { return [] }
    defer { unsafe _ = closedir(stream) }
    var names: [String] = []
    while let entry = unsafe readdir(stream) {
      let name = unsafe withUnsafePointer(to: &entry.pointee.d_name) { pointer in
        unsafe pointer.withMemoryRebound(to: CChar.self, capacity: 256) {
          unsafe String(cString: $0)
        }
      }
      if !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted()
  }
}
