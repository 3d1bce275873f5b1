"""Makes Tests/Fixtures and docs/sample.kdbx: pykeepass writes the files, keepassxc-cli checks them.

Each fixture holds the same tree; its name is the recipe it was wrapped by. All passwords are
`fixture`, the sample's is `sample`. What is in them was made up.
"""

from __future__ import annotations

import base64
import datetime
import io
import os
import struct
import sys
import uuid
from pathlib import Path

from lxml import etree
from lxml.builder import E
from pykeepass import PyKeePass

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from support import judges, kdbx  # noqa: E402

ROOT = Path(__file__).resolve().parents[3]
FIXTURES = ROOT / "Tests" / "Fixtures"
SAMPLE = ROOT / "docs" / "sample.kdbx"

OTP = "otpauth://totp/GitHub:alice?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQ&issuer=GitHub"
OTP256 = (
    "otpauth://totp/Mail:bob?secret=GEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZDGNBVGY3TQOJQGEZA"
    "&algorithm=SHA256&digits=8&period=60"
)
EVERY_BYTE = bytes(range(256)) * 5
ZERO = base64.b64encode(bytes(16)).decode()


# Elements


def identity(name: str) -> str:
    """The same UUID for the same name in every run."""
    return base64.b64encode(uuid.uuid5(uuid.NAMESPACE_URL, "kdbxfs:" + name).bytes).decode()


def moment(text: str) -> str:
    when = datetime.datetime.fromisoformat(text).replace(tzinfo=datetime.UTC)
    return base64.b64encode(struct.pack("<q", int(when.timestamp()) + judges.YEAR_ONE)).decode()


def times(created: str, modified: str, expiry: str | None = None):
    return E.Times(
        E.CreationTime(moment(created)),
        E.LastModificationTime(moment(modified)),
        E.LastAccessTime(moment(modified)),
        E.ExpiryTime(moment(expiry or created)),
        E.Expires(str(expiry is not None)),
        E.UsageCount("0"),
        E.LocationChanged(moment(created)),
    )


class Content:
    """A vault's document in the making, and its attachments."""

    def __init__(self, name: str):
        self.binaries: list[bytes] = []
        self.name = name
        self.meta = E.Meta(
            E.Generator("kdbxfs fixtures"),
            E.DatabaseName(name),
            E.DatabaseNameChanged(moment("2024-01-01 08:00:00")),
            E.DatabaseDescription(),
            E.DatabaseDescriptionChanged(moment("2024-01-01 08:00:00")),
            E.DefaultUserName(),
            E.DefaultUserNameChanged(moment("2024-01-01 08:00:00")),
            E.MaintenanceHistoryDays("365"),
            E.Color(),
            E.MasterKeyChanged(moment("2024-01-01 08:00:00")),
            E.MasterKeyChangeRec("-1"),
            E.MasterKeyChangeForce("-1"),
            E.MemoryProtection(
                E.ProtectTitle("False"),
                E.ProtectUserName("False"),
                E.ProtectPassword("True"),
                E.ProtectURL("False"),
                E.ProtectNotes("False"),
            ),
            E.RecycleBinEnabled("True"),
            E.RecycleBinUUID(identity("Recycle Bin")),
            E.RecycleBinChanged(moment("2024-01-01 08:00:00")),
            E.EntryTemplatesGroup(ZERO),
            E.EntryTemplatesGroupChanged(moment("2024-01-01 08:00:00")),
            E.HistoryMaxItems("10"),
            E.HistoryMaxSize("6291456"),
            E.LastSelectedGroup(ZERO),
            E.LastTopVisibleGroup(ZERO),
            E.CustomData(),
        )
        self.root = self.group(name, "2024-01-01 08:00:00")
        self.deleted = E.DeletedObjects()

    def group(self, name: str, created: str, *children, key: str | None = None, icon: int = 48):
        bin_like = name == "Recycle Bin"
        return E.Group(
            E.UUID(identity(key or name)),
            E.Name(name),
            E.Notes(),
            E.IconID("43" if bin_like else str(icon)),
            times(created, created),
            E.IsExpanded(str(not bin_like)),
            E.DefaultAutoTypeSequence(),
            E.EnableAutoType("false" if bin_like else "null"),
            E.EnableSearching("false" if bin_like else "null"),
            E.LastTopVisibleEntry(ZERO),
            *children,
        )

    def binary(self, name: str, content: bytes):
        if content not in self.binaries:
            self.binaries.append(content)
        reference = E.Value(Ref=str(self.binaries.index(content)))
        return E.Binary(E.Key(name), reference)

    def entry(
        self,
        title: str,
        created: str,
        modified: str | None = None,
        *,
        key: str | None = None,
        fields: dict[str, str] = {},
        secret: dict[str, str] = {},
        tags: str = "",
        expiry: str | None = None,
        attachments: dict[str, bytes] = {},
        extra=(),
        history=(),
    ):
        strings = [E.String(E.Key("Title"), E.Value(title))]
        for name in ("UserName", "Password", "URL", "Notes"):
            value = E.Value(fields.get(name, ""))
            if name == "Password":
                value.set("Protected", "True")
            strings.append(E.String(E.Key(name), value))
        for name, text in fields.items():
            if name not in judges.STANDARD:
                strings.append(E.String(E.Key(name), E.Value(text)))
        for name, text in secret.items():
            strings.append(E.String(E.Key(name), E.Value(text, Protected="True")))
        return E.Entry(
            E.UUID(identity(key or title)),
            E.IconID("0"),
            E.ForegroundColor(),
            E.BackgroundColor(),
            E.OverrideURL(),
            E.Tags(tags),
            times(created, modified or created, expiry),
            *strings,
            *[self.binary(name, content) for name, content in attachments.items()],
            E.AutoType(E.Enabled("True"), E.DataTransferObfuscation("0"), E.DefaultSequence()),
            *extra,
            *([E.History(*history)] if history else []),
        )

    def tree(self):
        return E.KeePassFile(self.meta, E.Root(self.root, self.deleted))


def fixture_content() -> Content:
    vault = Content("Fixture")
    github = dict(key="GitHub", tags="code;work")
    old = {"UserName": "alice", "URL": "https://github.com/login", "Notes": "two\nlines"}
    versions = [
        vault.entry("GitHub", "2024-01-02 09:00:00", when, **github,
                    fields=old | {"Password": password}, attachments=files)
        for when, password, files in [
            ("2024-01-02 09:00:00", "first", {}),
            ("2024-02-03 10:11:12", "second", {"id_ed25519": b"an old key\n"}),
        ]
    ]
    vault.root.extend([
        vault.entry("", "2024-03-01 00:00:00", key="untitled", fields={"UserName": "nobody"}),
        vault.group(
            "Internet", "2024-01-01 08:00:00",
            vault.entry(
                "GitHub", "2024-01-02 09:00:00", "2026-01-31 09:15:00", **github,
                fields=old | {"Password": "correct horse battery staple",
                              "Security question": "First pet?"},
                secret={"Recovery codes": "1111-2222\n3333-4444\n", "otp": OTP},
                attachments={"id_ed25519": b"not a real key\n", "every byte.bin": EVERY_BYTE},
                extra=[E.CustomData(E.Item(E.Key("plugin"), E.Value("kept"))),
                       E.FutureElement("kept too", version="5")],
                history=versions,
            ),
            vault.entry(
                "Mail", "2024-01-03 09:00:00", fields={"UserName": "bob", "Password": "pass"},
                secret={"otp": OTP256}, expiry="2031-05-06 07:08:09",
                attachments={"id_ed25519": b"not a real key\n"},
            ),
            vault.entry("a/b", "2024-01-04 09:00:00", fields={"Password": "slash"}),
        ),
        vault.group(
            "Work", "2024-01-01 08:00:00",
            vault.entry("Twin", "2024-01-05 09:00:00", key="twin 1", fields={"Password": "one"}),
            vault.entry("Twin", "2024-01-06 09:00:00", key="twin 2", fields={"Password": "two"}),
            vault.group(
                "Servers", "2024-01-01 08:00:00",
                vault.entry("www", "2024-01-07 09:00:00",
                            fields={"UserName": "root", "Password": "\t blanks "}),
            ),
            vault.group("Empty", "2024-01-01 08:00:00"),
        ),
        vault.group(
            "Grüße 🔑", "2024-01-01 08:00:00",
            vault.entry("café", "2024-01-08 09:00:00", fields={"Password": "größer & <besser>"}),
        ),
        vault.group(
            "Recycle Bin", "2024-01-01 08:00:00",
            vault.entry("old", "2024-01-09 09:00:00", fields={"Password": "thrown away"}),
        ),
    ])
    vault.meta.append(E.FutureSetting("kept", kind="new"))
    vault.deleted.append(
        E.DeletedObject(E.UUID(identity("gone")), E.DeletionTime(moment("2024-05-01 00:00:00")))
    )
    return vault


def sample_content() -> Content:
    vault = Content("Sample")
    github = dict(key="sample GitHub", tags="code;work")
    about = {"UserName": "alice", "URL": "https://github.com/login"}
    notes = "Signed up with the work address.\nThe key in attachments/ is on the laptop.\n"
    versions = [
        vault.entry("GitHub", "2024-03-04 09:10:00", when, **github,
                    fields=about | {"Password": password})
        for when, password in [("2024-03-04 09:10:00", "hunter2"),
                               ("2025-06-17 18:40:22", "Tr0ub4dor&3")]
    ]
    vault.root.extend([
        vault.group(
            "Internet", "2024-03-01 08:00:00",
            vault.entry(
                "GitHub", "2024-03-04 09:10:00", "2026-01-31 09:15:00", **github,
                fields=about | {"Password": "correct horse battery staple", "Notes": notes},
                secret={"Recovery codes": "4fa1-09cd\n8be2-77f0\nd35c-a114\n", "otp": OTP},
                attachments={"id_ed25519.pub": b"ssh-ed25519 AAAAC3NzaSample alice@laptop\n"},
                history=versions,
            ),
            vault.entry(
                "Mail", "2024-03-04 09:30:00", "2025-11-02 20:00:00", key="sample Mail",
                fields={"UserName": "alice@example.org", "Password": "inbox-zero-9",
                        "URL": "https://mail.example.org", "IMAP server": "imap.example.org"},
                expiry="2030-12-31 23:59:59",
            ),
            vault.entry(
                "Forum / Linux", "2024-05-11 21:00:00", key="sample forum",
                fields={"UserName": "penguin", "Password": "no-spaces-please",
                        "Notes": "The slash in the title is %2F in the tree."},
            ),
            key="sample Internet", icon=1,
        ),
        vault.group(
            "Home", "2024-03-01 08:00:00",
            vault.entry("Wi-Fi", "2024-03-05 10:00:00", key="sample Wi-Fi",
                        fields={"UserName": "SSID: burrow", "Password": "rabbit-hole-42"}),
            vault.entry("Bank", "2024-03-06 10:00:00", key="sample Bank", tags="money",
                        fields={"UserName": "a.lice", "URL": "https://bank.example.org",
                                "IBAN": "XX00 0000 0000 0000", "Password": "vault-of-gold"},
                        secret={"PIN": "0420"},
                        attachments={"standing orders.csv": b"what,when\nrent,1st\n"}),
            key="sample Home", icon=60,
        ),
        vault.group(
            "Recycle Bin", "2024-03-01 08:00:00",
            vault.entry("Old forum", "2024-03-07 10:00:00", key="sample old",
                        fields={"UserName": "alice", "Password": "forgotten"}),
        ),
    ])
    return vault


# Files


def as_version3(content: Content):
    """The document as KDBX 3 has it: ISO times, attachments inside, nothing of version 4."""
    tree = content.tree()
    for element in tree.iter():
        if element.tag in ("Item", "DeletedObject", "Times", "Meta"):
            for child in element:
                if child.tag.endswith(("Time", "Changed")):
                    when = judges.unix_time(child.text)
                    stamp = datetime.datetime.fromtimestamp(when, datetime.UTC)
                    child.text = stamp.strftime("%Y-%m-%dT%H:%M:%SZ")
    for entry in tree.iter("Entry"):
        for data in entry.findall("CustomData"):
            entry.remove(data)
    pool = E.Binaries()
    for number, binary in enumerate(content.binaries):
        pool.append(E.Binary(base64.b64encode(binary).decode(), ID=str(number)))
    meta = tree.find("Meta")
    meta.append(pool)
    meta.insert(1, E.HeaderHash())
    return tree


def make(path: Path, content: Content, recipe: kdbx.Recipe, password: str | None, keyfile=None):
    """Wraps the content as the recipe says, and has pykeepass read it and write the file."""
    key = keyfile.read_bytes() if keyfile else None
    if recipe.version < (4, 0):
        tree, binaries = as_version3(content), []
    else:
        tree, binaries = content.tree(), [(0, binary) for binary in content.binaries]
    draft = io.BytesIO(kdbx.write(tree, recipe, password, key, binaries))
    vault = PyKeePass(draft, password, os.fspath(keyfile) if keyfile else None)
    if (stale := vault.tree.find("Meta/HeaderHash")) is not None:
        # pykeepass renews the header and not this hash of it.
        stale.getparent().remove(stale)
    vault.save(os.fspath(path))
    path.with_suffix(".tmp").unlink(missing_ok=True)
    readings = list(judges.read_by_all(path, password, keyfile).values())
    assert readings[0].paths() == readings[1].paths() == readings[2].paths(), path
    print(path.relative_to(ROOT))


KEY = bytes(range(0x80, 0xA0))
KEY_FILES = {
    "key-xml1.key": b"<?xml version='1.0' encoding='utf-8'?>\n<KeyFile><Meta><Version>1.00</Version>"
    b"</Meta><Key><Data>" + base64.b64encode(KEY) + b"</Data></Key></KeyFile>\n",
    "key-xml2.keyx": b"<?xml version='1.0' encoding='utf-8'?>\n<KeyFile>\n\t<Meta><Version>2.0"
    b"</Version></Meta>\n\t<Key>\n\t\t<Data Hash='%s'>\n\t\t\t80818283 84858687 88898A8B 8C8D8E8F"
    b"\n\t\t\t90919293 94959697 98999A9B 9C9D9E9F\n\t\t</Data>\n\t</Key>\n</KeyFile>\n"
    % kdbx.sha256(KEY)[:4].hex().upper().encode(),
    "key-raw32.key": KEY,
    "key-hex64.key": KEY.hex().encode(),
    "key-hashed.key": b"any file can be a key\n",
}

RECIPES = {
    "kdbx3.1-aeskdf-aes-gzip-password": (kdbx.Recipe((3, 1)), "fixture", None),
    "kdbx3.1-aeskdf-aes-plain-raw32": (kdbx.Recipe((3, 1), gzip=False), None, "key-raw32.key"),
    "kdbx4.0-aeskdf-aes-gzip-password": (kdbx.Recipe(kdf="aeskdf"), "fixture", None),
    "kdbx4.0-aeskdf-chacha20-gzip-emptypassword": (
        kdbx.Recipe(cipher="chacha20", kdf="aeskdf"), "", None),
    "kdbx4.0-argon2d-aes-gzip-password": (kdbx.Recipe(), "fixture", None),
    "kdbx4.0-argon2d-aes-plain-password-xml1": (
        kdbx.Recipe(gzip=False), "fixture", "key-xml1.key"),
    "kdbx4.0-argon2d-chacha20-gzip-password-hex64": (
        kdbx.Recipe(cipher="chacha20", lanes=2), "fixture", "key-hex64.key"),
    "kdbx4.0-argon2id-aes-gzip-hashed": (kdbx.Recipe(kdf="argon2id"), None, "key-hashed.key"),
    "kdbx4.1-argon2id-chacha20-plain-password-xml2": (
        kdbx.Recipe((4, 1), "chacha20", "argon2id", gzip=False), "fixture", "key-xml2.keyx"),
}


def main():
    FIXTURES.mkdir(exist_ok=True)
    for name, content in KEY_FILES.items():
        (FIXTURES / name).write_bytes(content)
    for name, (recipe, password, keyfile) in RECIPES.items():
        content = fixture_content()
        if recipe.version >= (4, 1):
            content.root.find("Group").append(E.Tags("group;tags"))
        key = FIXTURES / keyfile if keyfile else None
        make(FIXTURES / f"{name}.kdbx", content, recipe, password, key)
    usual = kdbx.Recipe((4, 0), memory_kib=16384, iterations=2, lanes=2)
    make(SAMPLE, sample_content(), usual, "sample")


if __name__ == "__main__":
    main()
