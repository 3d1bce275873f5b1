"""The corpus of vaults and cases, which is no part of the project: KDBXFS_SHARED, or ../shared."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from . import judges, kdbx, responder
from .programs import ROOT

SHARED = Path(os.environ.get("KDBXFS_SHARED") or ROOT.parent / "shared").resolve()


def dumper():
    """The corpus's own reader, which knows formats and ciphers that ours leaves alone."""
    spec = importlib.util.spec_from_file_location("dump_vault", SHARED / "tools" / "dump_vault.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@dataclass
class Case:
    record: dict

    @property
    def id(self) -> str:
        return self.record["id"]

    @property
    def vault(self) -> Path:
        return SHARED / "vaults" / self.record["file"]

    @property
    def password(self) -> str | None:
        return self.record["credentials"]["password"]

    @property
    def keyfile(self) -> Path | None:
        name = self.record["credentials"]["keyfile"]
        return SHARED / "vaults" / name if name else None

    @property
    def wants_response(self) -> bool:
        """Whether a hardware key has a part in the key."""
        credentials = self.record["credentials"]
        return any(credentials.get(name) for name in
                   ("challenge_response_secret", "challenge_responses"))

    @property
    def answers(self) -> list[str]:
        """What a responder must be told to answer as the hardware key does; empty without one."""
        credentials = self.record["credentials"]
        if secret := credentials.get("challenge_response_secret"):
            return [secret]
        known = credentials.get("challenge_responses") or {}
        return [f"{challenge}={answer}" for challenge, answer in known.items()]

    @property
    def responder(self):
        """The hardware key for readers in Python; None without one."""
        words = self.answers
        return (lambda challenge: responder.answer(words, challenge)) if words else None

    @property
    def opens(self) -> bool:
        return self.record["expect"] == "opens"

    @cached_property
    def expected(self) -> dict:
        return json.loads((SHARED / "vaults" / self.record["expected"]).read_text())

    @property
    def header(self) -> dict:
        return self.expected.get("header", {}) if self.record.get("expected") else {}

    @property
    def cost(self) -> float:
        """Roughly the seconds that one derivation of the key takes."""
        kdf = self.header.get("kdf", {})
        memory = (kdf.get("memory_bytes") or 0) * (kdf.get("iterations") or 0)
        return (kdf.get("rounds") or 0) / 3e7 + memory / 1.5e9

    @property
    def options(self) -> list:
        options = ["--keyfile", self.keyfile] if self.keyfile else []
        if self.wants_response:
            for word in [sys.executable, responder.__file__, *self.answers]:
                options += ["--challenge-response", word]
        return options + (["--no-password"] if self.password is None else [])

    def opened_by(self, program: str) -> bool:
        return bool((self.record.get("opened_by") or {}).get(program))


def cases(*expectations: str) -> list[Case]:
    """The cases of these expectations, the quickest first."""
    manifest = SHARED / "vaults" / "manifest.json"
    if not manifest.exists():
        return []
    records = json.loads(manifest.read_text())["cases"]
    found = [Case(record) for record in records if record["expect"] in expectations]
    return sorted(found, key=lambda case: (case.cost, case.id))


def key_files() -> list[dict]:
    manifest = SHARED / "vaults" / "manifest.json"
    return json.loads(manifest.read_text())["key_files"] if manifest.exists() else []


def transformed_key(case: Case, path: Path) -> bytes:
    """The derived key of a vault; pykeepass takes it, and is spared its slow AES-KDF."""
    dump = dumper()
    header = dump.parse_header(path.read_bytes())
    keyfile = case.keyfile.read_bytes() if case.keyfile else None
    part = None
    if case.responder and header.major >= 4:
        part = dump.sha256(case.responder(header.transform_seed))
    return dump.transform(header, dump.composite(case.password, keyfile, part))


def read_with_dumper(path, password, keyfile=None, responder=None) -> judges.Reading:
    dump = dumper()
    header = dump.parse_header(Path(path).read_bytes())
    key = Path(keyfile).read_bytes() if keyfile else None
    xml, stream, stream_key, binaries, _, _ = dump.raw_open(header, password, key, responder)
    tree, _ = dump.raw_tree(xml, stream, stream_key)
    pool = None if binaries is None else [content for _, content in binaries]
    reading = judges.Builder(tree, pool).build()
    reading.version = header.major, header.minor
    reading.tree = tree
    return reading


__all__ = ["SHARED", "Case", "cases", "dumper", "kdbx", "key_files", "read_with_dumper"]
