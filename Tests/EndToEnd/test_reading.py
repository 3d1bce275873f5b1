"""What the mounted tree shows is what the vault holds, and looking changes nothing."""

import base64
import errno
import hmac
import json
import os
import stat
import struct
import subprocess
import time
import urllib.parse
from pathlib import Path

import pytest
from conftest import FIXTURES
from support import fixtures, kdbx, programs
from support.fixtures import EVERY_BYTE, OTP, OTP256, RECIPES

LINE_TO_LINE = "1111-2222\n3333-4444\n"
EDITED = 1_769_850_900  # 2026-01-31T09:15:00Z


def names(folder) -> set[str]:
    return set(os.listdir(folder))


class TestTree:
    def test_groups_and_entries_are_directories(self, mounted, before):
        untitled = before.readings["own reader"].entry("").uuid[:8]
        assert names(mounted.place) == {
            f"untitled ~{untitled}", "Internet", "Work", "Grüße 🔑", "Recycle Bin",
        }
        assert names(mounted / "Internet") == {"GitHub", "Mail", "a%2Fb"}
        assert names(mounted / "Work" / "Servers") == {"www"}
        assert names(mounted / "Work" / "Empty") == set()
        assert names(mounted / "Grüße 🔑") == {"café"}

    def test_the_twin_made_first_keeps_the_name(self, mounted, before):
        second = next(
            entry for entry in before.readings["own reader"].entries.values()
            if entry.strings["Password"] == "two"
        )
        other = f"Twin ~{second.uuid[:8]}"
        assert names(mounted / "Work") == {"Servers", "Empty", "Twin", other}
        assert (mounted / "Work" / "Twin" / "password").read_text() == "one"
        assert (mounted / "Work" / other / "password").read_text() == "two"

    def test_an_entry_lists_its_fields(self, github, mounted):
        fixed = {"username", "password", "url", "notes"}
        assert names(github) == fixed | {
            "Recovery codes", "Security question", "otp", "totp", "tags", "attachments",
        }
        assert names(mounted / "Internet" / "Mail") == fixed | {
            "otp", "totp", "expires", "attachments",
        }
        assert names(mounted / "Internet" / "a%2Fb") == fixed

    def test_a_name_is_found_only_as_it_is_listed(self, mounted):
        for wrong in ("internet", "Internet/GitHub/Password", "Internet/a%2fb", "Internet/GitHub/x",
                      "Grüße 🔑/cafe\u0301", "Internet/Mail/tags"):
            assert not (mounted / wrong).exists(), wrong


class TestValues:
    FIELDS = {
        "Internet/GitHub/username": "alice",
        "Internet/GitHub/password": "correct horse battery staple",
        "Internet/GitHub/url": "https://github.com/login",
        "Internet/GitHub/notes": "two\nlines",
        "Internet/GitHub/Recovery codes": LINE_TO_LINE,
        "Internet/GitHub/Security question": "First pet?",
        "Internet/GitHub/otp": OTP,
        "Internet/GitHub/tags": "code\nwork",
        "Internet/Mail/url": "",
        "Internet/Mail/expires": "2031-05-06T07:08:09Z",
        "Internet/a%2Fb/password": "slash",
        "Work/Servers/www/password": "\t blanks ",
        "Grüße 🔑/café/password": "größer & <besser>",
        "Recycle Bin/old/password": "thrown away",
    }

    def test_reading_gives_exactly_the_value(self, mounted):
        found = {path: (mounted / path).read_bytes().decode() for path in self.FIELDS}
        assert found == self.FIELDS

    def test_sizes_are_exact(self, mounted):
        for path, value in self.FIELDS.items():
            assert os.stat(mounted / path).st_size == len(value.encode()), path

    def test_a_value_can_be_read_in_pieces(self, github):
        with open(github / "password", "rb", buffering=0) as file:
            assert file.read(7) == b"correct"
            assert os.pread(file.fileno(), 5, 8) == b"horse"
            assert os.pread(file.fileno(), 100, 28) == b""
            assert os.pread(file.fileno(), 100, 5000) == b""

    def test_attachments_are_byte_for_byte(self, github, mounted):
        attachments = github / "attachments"
        assert names(attachments) == {"id_ed25519", "every byte.bin"}
        assert (attachments / "every byte.bin").read_bytes() == EVERY_BYTE
        assert (attachments / "id_ed25519").read_bytes() == b"not a real key\n"
        assert os.stat(attachments / "every byte.bin").st_size == len(EVERY_BYTE)
        assert (mounted / "Internet/Mail/attachments/id_ed25519").read_bytes() == b"not a real key\n"


def code(uri: str, moment: float) -> str:
    """The one-time code of an otpauth URI, by RFC 6238."""
    query = dict(urllib.parse.parse_qsl(uri.split("?", 1)[1]))
    secret = query["secret"] + "=" * (-len(query["secret"]) % 8)
    counter = struct.pack(">Q", int(moment) // int(query.get("period", 30)))
    mac = hmac.digest(base64.b32decode(secret), counter, query.get("algorithm", "SHA1").lower())
    start = mac[-1] & 15
    number = struct.unpack(">I", mac[start : start + 4])[0] & 0x7FFF_FFFF
    digits = int(query.get("digits", 6))
    return str(number % 10**digits).zfill(digits)


class TestCodes:
    @pytest.mark.parametrize("entry, uri", [("GitHub", OTP), ("Mail", OTP256)])
    def test_the_code_is_the_one_of_now(self, mounted, entry, uri):
        file = mounted / "Internet" / entry / "totp"
        start = time.time()
        shown = file.read_text()
        assert shown in {code(uri, start), code(uri, time.time())}
        assert os.stat(file).st_size == len(shown)

    def test_the_known_code_of_the_standard(self):
        assert code(OTP + "&digits=8", 59) == "94287082"


class TestHistory:
    def test_old_versions_can_be_read(self, github):
        versions = github / ".history"
        assert names(versions) == {"2024-01-02T09:00:00Z", "2024-02-03T10:11:12Z"}
        first, second = sorted(versions.iterdir())
        assert (first / "password").read_text() == "first"
        assert (second / "password").read_text() == "second"
        assert (second / "attachments" / "id_ed25519").read_bytes() == b"an old key\n"
        assert (second / "tags").read_text() == "code\nwork"

    def test_old_versions_cannot_be_written(self, github):
        version = github / ".history" / "2024-01-02T09:00:00Z"
        assert stat.S_IMODE(os.stat(version / "password").st_mode) == 0o400
        with pytest.raises(PermissionError):
            (version / "password").write_text("new")
        with pytest.raises(OSError):
            (version / "more").write_text("new")
        with pytest.raises(OSError):
            os.unlink(version / "password")
        assert (version / "password").read_text() == "first"

    def test_what_is_not_listed_does_not_show(self, github, mounted):
        assert ".history" not in names(github)
        assert ".kdbxfs" not in names(mounted.place)


class TestAttributes:
    def test_modes_and_owner(self, github, mounted):
        for folder in (mounted.place, mounted / "Internet", github, github / "attachments"):
            found = os.stat(folder)
            assert stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o700
            assert (found.st_uid, found.st_gid) == (os.getuid(), os.getgid())
        for name in ("username", "Recovery codes", "tags", "attachments/id_ed25519", "totp"):
            found = os.stat(github / name)
            assert stat.S_ISREG(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o600
            assert found.st_uid == os.getuid()

    def test_the_mount_is_closed_to_others_and_to_programs(self, mounted):
        entry = programs.mount_at(mounted.place)
        assert entry.kind == "fuse.kdbxfs"
        assert {"nodev", "nosuid", "noexec"} <= set(entry.options.split(","))

    def test_times_are_the_vaults(self, github, mounted, before):
        for path in ("", "username", "notes", "attachments/id_ed25519"):
            found = os.stat(github / path)
            assert found.st_mtime == found.st_ctime == EDITED, path
        reading = before.readings["own reader"]
        group = reading.group("Internet/").times
        assert os.stat(mounted / "Internet").st_mtime == group["LastModificationTime"]
        entry = reading.entry("Internet/GitHub").times
        assert os.stat(github).st_atime == entry["LastAccessTime"]

    def test_inode_numbers_are_stable_and_different(self, mounted):
        def look():
            return {
                path: os.lstat(path).st_ino
                for base, folders, files in os.walk(mounted.place)
                for path in [os.path.join(base, name) for name in folders + files]
            }

        first, second = look(), look()
        assert first == second
        assert len(set(first.values())) == len(first) > 40
        assert os.stat(mounted.place).st_ino == 1

    def test_listing_and_stat_agree_on_inodes(self, github):
        with os.scandir(github) as entries:
            for entry in entries:
                assert entry.inode() == os.stat(entry.path).st_ino, entry.name
                assert entry.is_dir() == stat.S_ISDIR(os.stat(entry.path).st_mode)

    def test_custom_attributes_tell_about_the_entry(self, github, before):
        uuid = before.readings["own reader"].entry("Internet/GitHub").uuid
        found = os.getxattr(github, "user.kdbx.uuid").decode()
        assert found.replace("-", "").lower() == uuid
        flags = {
            name: os.getxattr(github / name, "user.kdbx.protected")
            for name in ("password", "Recovery codes", "username", "Security question")
        }
        assert flags == {"password": b"1", "Recovery codes": b"1", "username": b"0",
                         "Security question": b"0"}
        with pytest.raises(OSError) as caught:
            os.getxattr(github, "user.unknown")
        assert caught.value.errno in (errno.EOPNOTSUPP, errno.ENODATA)


@pytest.mark.parametrize("recipe", RECIPES)
def test_every_recipe_mounts_and_shows_the_same(recipe, folder, place):
    """Versions, ciphers, key derivations, compression, kinds of key file, no and empty password."""
    _, password, keyfile = RECIPES[recipe]
    options = ["--keyfile", FIXTURES / keyfile] if keyfile else []
    options += ["--no-password"] if password is None else []
    # Mounted where it lies, so it must not be written: nothing below changes it.
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes((FIXTURES / f"{recipe}.kdbx").read_bytes())
    mount = programs.mount(vault, place, *options, password=password)
    found = {path: (mount / path).read_bytes().decode() for path in TestValues.FIELDS}
    assert found == TestValues.FIELDS
    assert (mount / "Internet/GitHub/attachments/every byte.bin").read_bytes() == EVERY_BYTE
    assert len(names(mount / "Internet/GitHub/.history")) == 2
    mount.unmount()
    assert vault.read_bytes() == (FIXTURES / f"{recipe}.kdbx").read_bytes()


def test_an_empty_attachment_that_is_marked_as_compressed(folder, place):
    """As KeePass writes it in KDBX 3, where nothing was compressed."""
    content = fixtures.Content("Empty")
    content.root.append(content.entry("e", "2024-01-01 00:00:00", attachments={"none": b""}))
    tree = fixtures.as_version3(content)
    tree.find("Meta/Binaries/Binary").set("Compressed", "True")
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes(kdbx.write(tree, kdbx.Recipe((3, 1)), "pw"))
    mount = programs.mount(vault, place, password="pw")
    assert (mount / "e" / "attachments" / "none").read_bytes() == b""
    mount.unmount()


def test_looking_at_everything_changes_nothing(mounted, before):
    for base, folders, files in os.walk(mounted.place):
        for name in files:
            Path(base, name).read_bytes()
        for name in folders:
            os.stat(os.path.join(base, name))
    found = subprocess.run(["grep", "-r", "horse", mounted.place], capture_output=True, text=True)
    assert "Internet/GitHub/password" in found.stdout
    os.utime(mounted / "Internet" / "GitHub" / "url")
    mounted.unmount()
    before.expect_untouched()



def test_only_what_is_looked_at_is_built(mounted):
    def nodes() -> int:
        done = programs.run("status", "--json", mounted.place)
        return json.loads(done.out)["nodes"]

    assert nodes() == 1  # the root
    top = os.listdir(mounted.place)
    group = os.listdir(mounted / "Internet")
    assert nodes() <= 1 + len(top) + len(group)
