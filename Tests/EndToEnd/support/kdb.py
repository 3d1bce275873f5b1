"""Writes KeePass 1 files (`.kdb`): one group, one entry."""

from __future__ import annotations

import re
import struct

from Cryptodome.Cipher import AES

from . import kdbx
from .kdbx import sha256

SIGNATURE = bytes.fromhex("03d9a29a65fb4bb5")
# 2023-11-14 22:13:20, and what means never.
TIME, NEVER = bytes.fromhex("1f9edd6354"), bytes.fromhex("2edf397efb")
ROUNDS = 100


def key_of_file(data: bytes) -> bytes:
    """The key that a key file holds: 32 bytes, 64 hex digits, or the hash of all, XML too."""
    if len(data) == 32:
        return data
    if re.fullmatch(rb"[0-9a-fA-F]{64}", data):
        return bytes.fromhex(data.decode())
    return sha256(data)


def composite_key(password: str | None, keyfile: bytes | None) -> bytes:
    """The key before its derivation; KeePass 1 has passwords in Windows-1252."""
    if keyfile is None:
        return sha256(password.encode("cp1252"))
    if password is None:
        return key_of_file(keyfile)
    return sha256(sha256(password.encode("cp1252")), key_of_file(keyfile))


def field(number: int, content: bytes) -> bytes:
    return struct.pack("<HI", number, len(content)) + content


def text(number: int, content: str) -> bytes:
    return field(number, content.encode() + b"\0")


def write(group: str, title: str, secret: str, password: str | None, keyfile: bytes | None) -> bytes:
    """A file with the entry `title` in `group`, whose password is `secret`."""
    end = field(0xFFFF, b"")
    plain = field(1, struct.pack("<I", 1)) + text(2, group)
    plain += b"".join(field(n, TIME) for n in (3, 4, 5)) + field(6, NEVER)
    plain += field(7, struct.pack("<I", 1)) + field(8, struct.pack("<H", 0)) + end
    plain += field(1, bytes(15) + b"\1") + field(2, struct.pack("<I", 1)) + field(3, struct.pack("<I", 0))
    plain += text(4, title) + text(5, "") + text(6, "") + text(7, secret) + text(8, "")
    plain += b"".join(field(n, TIME) for n in (9, 10, 11)) + field(12, NEVER) + end
    master_seed, vector, seed = bytes(16), bytes([1]) * 16, bytes([2]) * 32
    header = SIGNATURE + struct.pack("<II", 3, 0x00030004) + master_seed + vector
    header += struct.pack("<II", 1, 1) + sha256(plain) + seed + struct.pack("<I", ROUNDS)
    key = sha256(master_seed, kdbx.aes_kdf(composite_key(password, keyfile), seed, ROUNDS))
    padding = 16 - len(plain) % 16
    return header + AES.new(key, AES.MODE_CBC, vector).encrypt(plain + bytes([padding]) * padding)
