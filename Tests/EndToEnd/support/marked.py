"""A vault whose every value is a mark that occurs nowhere else."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, field
from pathlib import Path

from pykeepass import PyKeePass, create_database

MASTER = "MARK-master-0c4d9e51b7"


@dataclass
class Marked:
    path: Path
    count: int
    user: str = "MARK-user-1-a90d22c4"
    written: str = "MARK-pw-written-41aa07be"
    edited: str = "MARK-pw-edited-77c01d3f"
    # A field's notes aren't protected by this vault's settings; what they say is plain text.
    written_notes: str = "MARK-notes-written-9d31c5"
    attachment: bytes = b"MARK-attachment-old-5cc0f1e2"
    new_attachment: bytes = b"MARK-attachment-new-10ad7b96"
    protected: list[str] = field(default_factory=list)
    plain: list[str] = field(default_factory=list)
    keys: list[bytes] = field(default_factory=list)

    def password(self, number: int) -> str:
        return f"MARK-pw-{number}-" + hashlib.sha256(str(number).encode()).hexdigest()[:12]


def marked_vault(path: Path, count: int = 20) -> Marked:
    vault = create_database(str(path), password=MASTER)
    # A key derivation of a moment: what it costs is not what is looked at here.
    parameters = vault.kdbx.header.value.dynamic_header.kdf_parameters.data.dict
    parameters["M"].value = 1 << 20
    parameters["I"].value = 1
    marked = Marked(path, count)
    group = vault.add_group(vault.root_group, "Group")
    for number in range(1, count + 1):
        user = marked.user if number == 1 else f"MARK-user-{number}-{number * 7919:x}"
        entry = vault.add_entry(
            group, f"entry {number}", user, marked.password(number), url=f"MARK-url-{number:04d}x",
            notes=f"MARK-notes-{number:04d}x")
        entry.set_custom_property("PIN", f"MARK-pin-{number:04d}x", protect=True)
        marked.protected += [marked.password(number), f"MARK-pin-{number:04d}x"]
        marked.plain += [user, f"MARK-url-{number:04d}x", f"MARK-notes-{number:04d}x"]
    first = vault.find_entries(title="entry 1", first=True)
    first.add_attachment(vault.add_binary(marked.attachment), "file")
    vault.save()
    marked.protected += [
        marked.written, marked.edited, marked.attachment.decode(), marked.new_attachment.decode()]
    marked.plain.append(marked.written_notes)
    marked.keys = keys_of(path)
    return marked


def keys_of(path: Path) -> list[bytes]:
    """The password's hash, the composite key, and what the key derivation makes of it."""
    hashed = hashlib.sha256(MASTER.encode()).digest()
    opened = PyKeePass(str(path), password=MASTER)
    return [hashed, hashlib.sha256(hashed).digest(), opened.transformed_key]
