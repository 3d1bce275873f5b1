"""How a vault's titles, fields and attachments are named in the tree: the rules of docs/tree.md,
written a second time and from the page alone, over bytes."""

from __future__ import annotations

import hashlib

NAME_MAX = 255
RESERVED = {
    name.encode()
    for name in "username password url notes totp hotp tags expires attachments .history .json .env".split()
}
STANDARD = {"UserName": b"username", "Password": b"password", "URL": b"url", "Notes": b"notes"}
HEX = b"0123456789abcdefABCDEF"


def escaped(raw: bytes, reserved=frozenset()) -> bytes:
    """Rule 1: what can't stand in a file name is `%XX`, and so is what would read as that."""
    if raw in (b".", b".."):
        return raw.replace(b".", b"%2E")
    out = bytearray()
    position = 0
    while position < len(raw):
        byte, after = raw[position], raw[position + 1 : position + 3]
        # U+0080 to U+009F are the two bytes C2 80 to C2 9F.
        if byte == 0xC2 and after[:1] and 0x80 <= after[0] <= 0x9F:
            out += b"%%%02X%%%02X" % (byte, after[0])
            position += 2
            continue
        literal = byte == ord("%") and len(after) == 2 and all(digit in HEX for digit in after)
        if byte < 0x20 or byte in (0x7F, ord("/")) or literal:
            out += b"%%%02X" % byte
        else:
            out.append(byte)
        position += 1
    name = bytes(out)
    return b"%%%02X" % name[0] + name[1:] if name in reserved else name


def cut(name: bytes, room: int) -> bytes:
    """The most whole characters of `name` that fit in `room`; an escape is one."""
    end = 0
    while end < len(name):
        byte = name[end]
        if byte == ord("%") and len(name) >= end + 3 and all(d in HEX for d in name[end + 1 : end + 3]):
            width = 3
        else:
            width = 1 if byte < 0xC0 else 2 if byte < 0xE0 else 3 if byte < 0xF0 else 4
        if end + width > room:
            break
        end += width
    return name[:end]


def sibling_names(siblings: list[dict], at_top: bool) -> dict[int, bytes]:
    """Rules 2 to 4 for the children of one group: their place in `siblings` to their name.

    A sibling has `name` (bytes), `uuid` (hex) and `created` (a comparable time, or None).
    """
    reserved = {b".kdbxfs"} if at_top else frozenset()
    names, plain = {}, {}
    for place, sibling in enumerate(siblings):
        base = escaped(sibling["name"], reserved)
        if base and len(base) <= NAME_MAX:
            plain.setdefault(base, []).append(place)

    def age(place):
        created = siblings[place]["created"]
        return (created is not None, created, siblings[place]["uuid"])

    for base, places in plain.items():
        names[min(places, key=age)] = base
    taken = set(names.values())
    for place, sibling in enumerate(siblings):
        if place in names:
            continue
        base = escaped(sibling["name"], reserved) or b"untitled"
        for digits in range(8, 33):
            suffix = b" ~" + sibling["uuid"][:digits].encode()
            name = cut(base, NAME_MAX - len(suffix)) + suffix
            if name not in taken:
                break
        names[place] = name
        taken.add(name)
    return names


def own_names(keys: list[bytes], reserved) -> list[bytes]:
    """Rule 5 for fields or attachments: the names of `keys`, in their order."""
    names = []
    for place, key in enumerate(keys):
        name = escaped(key, reserved) or b"%00"
        if len(name) > NAME_MAX:
            suffix = b" ~" + hashlib.sha256(key).hexdigest()[:8].encode()
            name = cut(name, NAME_MAX - len(suffix)) + suffix
        earlier = keys[:place].count(key)
        if key in keys[place + 1 :]:
            name += b" (%d)" % (earlier + 2)
        names.append(name)
    return names


def field_names(keys: list[str]) -> list[bytes | None]:
    """The file names of an entry's strings; None for the title, which is the directory's name."""
    raw = [key.encode("utf-8", "surrogateescape") for key in keys]
    names = own_names(raw, RESERVED)
    out: list[bytes | None] = []
    for place, (key, name) in enumerate(zip(keys, names, strict=True)):
        is_shown = key not in keys[place + 1 :]
        if key == "Title" and is_shown:
            out.append(None)
        else:
            out.append(STANDARD[key] if key in STANDARD and is_shown else name)
    return out


def attachment_names(names: list[str]) -> list[bytes]:
    return own_names([name.encode("utf-8", "surrogateescape") for name in names], frozenset())
