/// A record that something was deleted for good.
package struct DeletedObject: Hashable, Sendable {
  package let uuid: VaultUUID
  /// `nil` where the file says none that can be read.
  package let deletionTime: VaultTime?

  package init(uuid: VaultUUID, deletionTime: VaultTime?) {
    self.uuid = uuid
    self.deletionTime = deletionTime
  }
}

/// One of the records, as an element.
private struct DeletedObjectView: ElementView {
  static let order: [ElementKind] = [.uuid, .deletionTime]
  var element: EditableElement
  let values: ValueSource?
}

/// The list of those records, as an element.
struct DeletedObjects: Sendable {
  var element: EditableElement
  let values: ValueSource?

  var records: [DeletedObject] {
    element.children.compactMap { child in
      child.kind == .deletedObject ? record(child) : nil
    }
  }

  private func record(_ child: EditableChild) -> DeletedObject {
    let view = DeletedObjectView(element: child.expanded(in: values), values: values)
    return DeletedObject(
      uuid: view.uuid(.uuid) ?? .zero, deletionTime: view.time(.deletionTime))
  }

  mutating func add(_ uuid: VaultUUID, at time: VaultTime, version: FormatVersion) {
    let record = EditableElement(
      .deletedObject,
      children: [
        EditableChild(.uuid, uuid.base64), EditableChild(.deletionTime, time.text(for: version)),
      ])
    element.insert(.deletedObject, .element(record), order: [.deletedObject], in: values)
  }

  mutating func remove(_ uuid: VaultUUID) {
    let kept = element.children.filter { child in
      child.kind != .deletedObject || record(child).uuid != uuid
    }
    element.children = kept
  }
}
