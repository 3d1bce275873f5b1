"""The inner XML of a vault byte for byte, with plain text in place of every enciphered value.

Works on the bytes alone: no XML library's idea of white space, quotes or order comes between.
"""

from __future__ import annotations

import base64
import re
from dataclasses import dataclass
from pathlib import Path

from . import judges, shared

TOKEN = re.compile(
    rb"""<!--.*?-->|<!\[CDATA\[.*?\]\]>|<\?.*?\?>|<(?:[^"'<>]|"[^"]*"|'[^']*')*>""", re.S)
NAME = re.compile(rb"</?([^\s/>]+)")
PROTECTED = re.compile(rb"""\s+Protected=("[^"]*"|'[^']*')""")
# Some programs leave it out of KDBX 3.1; a save states it.
HEADER_HASH = re.compile(rb"<HeaderHash>[^<]*</HeaderHash>|<HeaderHash\s*/>")
REFERENCE = re.compile(rb"""(<Value\s+Ref=")(\d+)(")""")


@dataclass
class Element:
    """An element of the tree: where it starts and ends, and the UUID in it."""

    name: bytes
    start: int
    end: int = 0
    uuid: str = ""


def deciphered(xml: bytes, decipher) -> bytes:
    """The XML with each protected value in the clear, marked so that it is taken for no markup."""
    out, position = [], 0
    while token := TOKEN.search(xml, position):
        tag = token[0]
        out.append(xml[position : token.start()])
        position = token.end()
        mark = PROTECTED.search(tag) if tag[1:2] not in b"!?/" else None
        if mark is None or mark[1][1:-1].lower() != b"true" or tag.endswith(b"/>"):
            out.append(tag)
            continue
        end = xml.index(b"<", position)
        clear = decipher(base64.b64decode(xml[position:end], validate=False))
        # One spelling: the only one that all programs take, and so what a save writes.
        out += [PROTECTED.sub(b' Protected="True"', tag), b"{clear:" + clear.hex().encode() + b"}"]
        position = end
    return b"".join(out) + xml[position:]


def elements(xml: bytes) -> list[Element]:
    """The groups and entries in document order, old versions left out."""
    found, line = [], []
    for token in TOKEN.finditer(xml):
        tag = token[0]
        if tag[1:2] in b"!?":
            continue
        name = NAME.match(tag)[1]
        if tag[1:2] == b"/":
            ended = line.pop()
            if isinstance(ended, Element):
                ended.end = token.end()
            continue
        inside = {item.name if isinstance(item, Element) else item for item in line}
        item = name
        if name in (b"Group", b"Entry") and b"History" not in inside:
            item = Element(name, token.start())
            found.append(item)
        if name == b"UUID" and line and isinstance(line[-1], Element):
            text = xml[token.end() : xml.index(b"<", token.end())]
            line[-1].uuid = judges.uuid_hex(text.decode())
        if not tag.endswith(b"/>"):
            line.append(item)
        elif isinstance(item, Element):
            item.end = token.end()
    return found


class PlainXML:
    """What a vault holds, for a comparison in which nothing is passed over in silence."""

    def __init__(self, path: Path, case: shared.Case):
        dump = shared.dumper()
        header = dump.parse_header(path.read_bytes())
        keyfile = case.keyfile.read_bytes() if case.keyfile else None
        xml, stream, key, binaries, _, _ = dump.raw_open(
            header, case.password, keyfile, case.responder)
        decipher = dump.inner_stream(stream, key) if stream else lambda data: data
        self.binaries = binaries
        self.bytes = deciphered(xml, decipher)

    def entries(self) -> list[Element]:
        return [element for element in elements(self.bytes) if element.name == b"Entry"]

    def rest(self, entry: Element | None) -> bytes:
        """All but one entry, and but what a save must renew: the hash of the header."""
        text = self.bytes
        if entry:
            text = text[: entry.start] + text[entry.end :]
        text = HEADER_HASH.sub(b"", text)
        if self.binaries is not None:
            text = REFERENCE.sub(self.named, text)
        return text.removeprefix(b"\xef\xbb\xbf")

    def named(self, reference) -> bytes:
        """A reference by the content that it means: a save may number contents anew."""
        number = int(reference[2])
        if number >= len(self.binaries):
            return reference[0]
        flags, content = self.binaries[number]
        return reference[1] + f"{flags}:{judges.digest(content)}".encode() + reference[3]
