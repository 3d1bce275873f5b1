package import KDBX
package import Vault

/// Where groups and entries are shown in the tree of a vault that was just mounted.
package enum NodePaths {
  /// The path of each of `children` from the top, without a `/` before it; the root's is empty.
  ///
  /// Costs the names of every directory on the way.
  package static func paths(of children: Set<ChildID>, in vault: Vault) -> [ChildID: [UInt8]] {
    var names: [GroupID: [ChildID: [UInt8]]] = [:]
    var paths: [ChildID: [UInt8]] = [:]
    for child in children {
      var parts: [[UInt8]] = []
      var current = child
      while let parent = vault.document.parent(of: current) {
        let known = names[parent] ?? Self.names(in: parent, of: vault)
        names[parent] = known
        parts.append(known[current] ?? [])
        current = .group(parent)
      }
      paths[child] = Array(parts.reversed().joined(separator: [UInt8(ascii: "/")]))
    }
    return paths
  }

  private static func names(in group: GroupID, of vault: Vault) -> [ChildID: [UInt8]] {
    let children = vault.children(of: group)
    let place: NamePlace = group == vault.document.root ? .top : .group
    let names = SiblingNames.names(for: children, in: place)
    return Dictionary(uniqueKeysWithValues: zip(children.map(\.id), names))
  }
}
