import Glibc

/// The vaults and cases that the project is judged by; they lie beside the package, not in it.
package enum SharedFolder {
  /// `KDBXFS_SHARED`, else the folder `shared` beside the package; nil when there is neither.
  package static let path: String? = {
    if let named = unsafe getenv("KDBXFS_SHARED") { return unsafe String(cString: named) }
    let parts = #filePath.split(separator: "/").dropLast(3)
    let beside = "/" + parts.dropLast().joined(separator: "/") + "/shared"
    return unsafe access(beside + "/vaults/manifest.json", R_OK) == 0 ? beside : nil
  }()

  package static let isThere = path != nil

  /// Said by the tests that are skipped.
  package static let hint =
    "the shared vaults are not there: set KDBXFS_SHARED to the folder that holds vaults/"

  /// The bytes of a file below the folder; nil when it can't be read.
  package static func bytes(_ name: String) -> [UInt8]? {
    guard let path = Self.path, let file = unsafe fopen(path + "/" + name, "rb") else { return nil }
    defer { unsafe _ = fclose(file) }
    var bytes: [UInt8] = []
    var chunk = [UInt8](repeating: 0, count: 65536)
    while true {
      let count = unsafe fread(&chunk, 1, chunk.count, file)
      guard count > 0 else { return bytes }
      bytes += chunk[..<count]
    }
  }

  package static func json(_ name: String) throws -> JSON? {
    guard let bytes = bytes(name) else { return nil }
    return try JSON(parsing: bytes)
  }

  /// The names in a folder, sorted.
  package static func list(_ name: String) -> [String] {
    guard let path = Self.path, let stream = unsafe opendir(path + "/" + name) else { return [] }
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
