// What no file shows, and what counts for the size of an old version all the same.

extension Entry {
  /// A window and what is typed there.
  package struct Association: Sendable {
    package let window: StoredText
    package let sequence: StoredText
  }

  /// Data of a plug-in.
  package struct DataItem: Sendable {
    package let key: StoredText
    package let value: StoredText
  }

  /// The address that a browser is sent to instead of the field's; empty for none.
  package var overrideURL: StoredText { element.text(.overrideURL, in: values) ?? .empty }

  /// What auto-type types where no association says otherwise.
  package var defaultSequence: StoredText {
    parts(of: .autoType).last?.text(.defaultSequence, in: values) ?? .empty
  }

  package var associations: [Association] {
    parts(of: .autoType).flatMap { parts($0, .association) }.map { part in
      Association(
        window: part.text(.window, in: values) ?? .empty,
        sequence: part.text(.keystrokeSequence, in: values) ?? .empty)
    }
  }

  package var dataItems: [DataItem] {
    parts(of: .customData).flatMap { parts($0, .item) }.map { part in
      DataItem(
        key: part.text(.key, in: values) ?? .empty, value: part.text(.value, in: values) ?? .empty)
    }
  }

  private func parts(of kind: ElementKind) -> [EditableElement] { parts(element, kind) }

  private func parts(_ element: EditableElement, _ kind: ElementKind) -> [EditableElement] {
    element.children.filter { $0.kind == kind }.map { $0.expanded(in: values) }
  }
}
