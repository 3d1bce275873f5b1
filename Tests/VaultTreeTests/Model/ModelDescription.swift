import Testing

@testable import VaultTree

/// A tree as lines, one a directory or file, so that two can be compared and a difference read.
enum Lines {
  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes, as: UTF8.self).debugDescription
  }

  /// What the tree shows.
  static func of(_ shell: Shell, withHistory: Bool = false) throws -> [String] {
    var lines: [String] = []
    func walk(_ path: String) throws {
      for name in try shell.ls(path) {
        let inner = path.isEmpty ? name : path + "/" + name
        guard try shell.stat(inner).kind == .directory else {
          lines.append("\(inner) = \(text(try shell.bytes(inner)))")
          continue
        }
        if path.isEmpty, name == ModelTree.bin { continue }
        if (try? shell.stat(inner + "/.history")) != nil {
          lines.append("\(inner): entry")
          if withHistory {
            lines.append("\(inner): \(try shell.ls(inner + "/.history").count) old versions")
          }
        } else if (try? shell.stat(inner + "/.notes")) != nil {
          lines.append("\(inner): group")
        } else {
          lines.append("\(inner): directory")
        }
        try walk(inner)
      }
    }
    try walk("")
    return lines.sorted()
  }

  /// What is in the recycle bin, whose names may have taken a suffix.
  static func ofBin(_ shell: Shell) throws -> [String] {
    let bin = ModelTree.bin
    var items: [String] = []
    for name in try shell.ls(bin) {
      let title = name.split(separator: " ~").first.map(String.init) ?? name
      var lines: [String] = []
      func walk(_ path: String, _ shown: String) throws {
        if (try? shell.stat(path + "/.history")) != nil {
          lines.append("\(shown): entry")
          lines.append("\(shown): \(try shell.ls(path + "/.history").count) old versions")
        } else if (try? shell.stat(path + "/.notes")) != nil {
          lines.append("\(shown): group")
        } else if try shell.stat(path).kind == .directory {
          lines.append("\(shown): directory")
        } else {
          lines.append("\(shown) = \(text(try shell.bytes(path)))")
          return
        }
        for inner in try shell.ls(path) { try walk(path + "/" + inner, shown + "/" + inner) }
      }
      try walk(bin + "/" + name, title)
      items.append(lines.sorted().joined(separator: "\n"))
    }
    return items.sorted()
  }
}

extension ModelTree {
  /// What the tree should show.
  func lines(withHistory: Bool = false) -> [String] {
    var lines: [String] = []
    func walk(_ children: [String: Node], _ path: String) {
      for (name, node) in children {
        lines += Self.lines(of: node, path.isEmpty ? name : path + "/" + name, withHistory)
        if !node.isEntry { walk(node.children, path.isEmpty ? name : path + "/" + name) }
      }
    }
    walk(root, "")
    return lines.sorted()
  }

  /// What should be in the recycle bin after a remount.
  func binLines() -> [String] {
    removed.map { item in
      var lines: [String] = []
      func walk(_ node: Node, _ path: String) {
        lines += Self.lines(of: node, path, true)
        for (name, inner) in node.children { walk(inner, path + "/" + name) }
      }
      walk(item.node, item.title)
      return lines.sorted().joined(separator: "\n")
    }.sorted()
  }

  private static func lines(of node: Node, _ path: String, _ withHistory: Bool) -> [String] {
    switch node {
    case .group: return ["\(path): group"]
    case .undecided: return ["\(path): directory"]
    case .entry(let entry):
      var lines = ["\(path): entry"]
      if withHistory { lines.append("\(path): \(entry.historyCount) old versions") }
      for (name, field) in entry.fields {
        lines.append("\(path)/\(name) = \(Lines.text(field.value))")
      }
      for (name, file) in entry.scratch {
        lines.append("\(path)/\(name) = \(Lines.text(file.bytes))")
      }
      if !entry.tags.isEmpty { lines.append("\(path)/tags = \(Lines.text(entry.tags))") }
      if entry.showsAttachments { lines.append("\(path)/attachments: directory") }
      for (name, bytes) in entry.attachments {
        lines.append("\(path)/attachments/\(name) = \(Lines.text(bytes))")
      }
      for (name, file) in entry.attachmentScratch {
        lines.append("\(path)/attachments/\(name) = \(Lines.text(file.bytes))")
      }
      return lines
    }
  }
}
