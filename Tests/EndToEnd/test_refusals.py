"""Bad input gets one clear line and the right exit code; nothing is mounted, nothing changes."""

import os
import shutil
import struct
import subprocess

import pytest
from conftest import FIXTURES
from support import fixtures, kdbx, programs

USAGE, NO_PASSWORD, PLACE, WRONG_KEY, EMPTY, VAULT = 1, 9, 10, 12, 22, 23


def refused(*arguments, code, place, words=(), **more) -> programs.Done:
    """Runs kdbxfs, which must refuse with `code` and a message that holds all `words`."""
    folder = place.parent / "vaults"
    before = {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()}
    done = programs.run(*arguments, **more)
    assert done.code == code, done.err
    assert done.out == b""
    assert len(done.errors) == 1, done.err
    for line in done.err.splitlines():
        assert line.startswith(("kdbxfs: error: ", "kdbxfs: hint: ")), line
    message = done.err.lower()
    for word in words:
        assert word.lower() in message, f"{word!r} is not in {done.err!r}"
    assert "fixture" not in message.replace(str(FIXTURES).lower(), ""), "the password is in the message"
    assert programs.mount_at(place) is None
    assert {path.name: path.read_bytes() for path in folder.iterdir() if path.is_file()} == before
    return done


class TestCredentials:
    def test_a_wrong_password(self, vault, place):
        refused(vault, place, password="wrong", code=WRONG_KEY, place=place, words=["password"])

    def test_an_empty_password(self, vault, place):
        refused(vault, place, password="", code=EMPTY, place=place, words=["empty"])

    def test_a_blank_more(self, vault, place):
        refused(vault, place, password="fixture ", code=WRONG_KEY, place=place)
        refused(vault, place, password=b"fixture\n\n", code=WRONG_KEY, place=place)

    def test_one_line_end_is_dropped(self, vault, place):
        for ending in (b"", b"\n", b"\r\n"):
            programs.mount(vault, place, password=None, *self.passfile(vault, ending)).unmount()

    def passfile(self, vault, ending):
        file = vault.parent.parent / "password"
        file.write_bytes(b"fixture" + ending)
        return ["--passfile", file]

    def test_a_key_file_the_vault_has_not(self, vault, place):
        key = FIXTURES / "key-raw32.key"
        refused("--keyfile", key, vault, place, password="fixture", code=WRONG_KEY, place=place)

    def test_the_key_file_is_missing_from_the_command(self, folder, place):
        vault = shutil.copy(
            FIXTURES / "kdbx4.0-argon2d-aes-plain-password-xml1.kdbx", folder / "vaults")
        refused(vault, place, password="fixture", code=WRONG_KEY, place=place)

    def test_another_key_file(self, folder, place):
        vault = shutil.copy(
            FIXTURES / "kdbx4.0-argon2d-aes-plain-password-xml1.kdbx", folder / "vaults")
        key = FIXTURES / "key-hashed.key"
        refused("--keyfile", key, vault, place, password="fixture", code=WRONG_KEY, place=place)

    @pytest.mark.parametrize("damage", [
        (b"80818283", b"00818283"), (b"<Version>2.0", b"<Version>3.0"), (b"</Data>", b""),
        (b"80818283", b"8x818283"),
    ])
    def test_a_damaged_key_file(self, damage, vault, place, folder):
        key = folder / "damaged.keyx"
        key.write_bytes((FIXTURES / "key-xml2.keyx").read_bytes().replace(*damage))
        refused("--keyfile", key, vault, place, password="fixture", code=WRONG_KEY, place=place)

    def test_an_empty_key_file(self, vault, place, folder):
        key = folder / "empty.key"
        key.touch()
        refused("--keyfile", key, vault, place, password="fixture", code=WRONG_KEY, place=place)

    def test_a_key_file_that_cannot_be_read(self, vault, place, folder):
        for key in (folder / "none.key", folder):
            refused("--keyfile", key, vault, place, password="fixture", code=NO_PASSWORD, place=place,
                    words=["key file"])

    def test_a_password_file_that_cannot_be_read(self, vault, place, folder):
        refused("--passfile", folder / "none", vault, place, code=NO_PASSWORD, place=place)

    def test_a_password_program_that_fails(self, vault, place):
        for command in (["--extpass", "false"], ["--extpass", "no-such-program"]):
            refused(*command, vault, place, code=NO_PASSWORD, place=place)

    def test_no_source_of_a_password_at_all(self, vault, place):
        refused(vault, place, password=None, code=NO_PASSWORD, place=place)

    def test_no_password_where_one_is_needed(self, vault, place):
        refused("--no-password", vault, place, code=WRONG_KEY, place=place)


class TestVaultFile:
    def test_not_there_or_not_readable(self, folder, place):
        refused(folder / "vaults" / "none.kdbx", place, password="x", code=VAULT, place=place)
        refused(folder / "vaults", place, password="x", code=VAULT, place=place)

    @pytest.mark.skipif(os.getuid() == 0, reason="root reads everything")
    def test_without_the_right_to_read(self, vault, place):
        vault.chmod(0)
        done = programs.run(vault, place, password="fixture")
        vault.chmod(0o600)
        assert done.code == VAULT and len(done.errors) == 1

    @pytest.mark.parametrize("content, words", [
        (b"", ["not"]),
        (b"hello, world\n" * 30, ["not"]),
        (b"\x03\xd9\xa2\x9a", []),
        (bytes.fromhex("03d9a29a65fb4bb5") + bytes(200), ["version 0.0"]),
        (bytes.fromhex("03d9a29a67fb4bb500000500") + bytes(200), ["version"]),
        (bytes.fromhex("03d9a29a67fb4bb5ffffffff") + bytes(200), ["version"]),
    ], ids=["empty", "text", "half a signature", "KeePass 1", "version 5", "version 65535"])
    def test_no_vault_of_ours(self, content, words, folder, place):
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(content)
        refused(vault, place, password="x", code=VAULT, place=place, words=words)

    def test_a_pipe_is_no_vault(self, folder, place):
        pipe = folder / "vaults" / "pipe"
        os.mkfifo(pipe)
        done = programs.run(pipe, place, password="x")
        assert done.code == VAULT and len(done.errors) == 1


def pieces(data: bytes) -> dict[str, int]:
    """Where each field of a file starts, and its end: every place where it can be cut."""
    header = kdbx.Header.read(data)
    wide = 4 if header.major >= 4 else 2
    out, position = {"signature": 0, "version": 8}, 12
    for number, value in header.fields:
        out[f"field {number}"] = position
        out[f"value of field {number}"] = position + 1 + wide
        position += 1 + wide + len(value)
    if header.major < 4:
        # The closing block ends before the last bytes, which are padding and say nothing.
        out |= {"ciphertext": position, "closing block": len(data) - 48}
        return out
    out |= {"header hash": position, "header HMAC": position + 32}
    position, number = position + 64, 0
    while position < len(data):
        (count,) = struct.unpack_from("<I", data, position + 32)
        out |= {f"HMAC {number}": position, f"size {number}": position + 32}
        if count:
            out[f"block {number}"] = position + 36
        position, number = position + 36 + count, number + 1
    return out


CONTENT = fixtures.fixture_content()
WRAPPED = {
    # Its header is guarded by the hash of it in the document alone.
    "kdbx3.1": kdbx.write(fixtures.as_version3(CONTENT), kdbx.Recipe((3, 1)), "pw"),
    "kdbx4.0": kdbx.write(CONTENT.tree(), kdbx.Recipe(), "pw"),
    "kdbx4.1": kdbx.write(
        CONTENT.tree(), kdbx.Recipe((4, 1), "chacha20", "argon2id", gzip=False), "pw"),
}
PLACES = [(name, what) for name, data in WRAPPED.items() for what in pieces(data)]


class TestDamage:
    """Cut off or changed at every field: never a trap, never a mount."""

    def attempt(self, data, folder, place):
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(data)
        done = programs.run(vault, place, password="pw")
        # A changed seed or salt is another key: the format can't tell it from a wrong password.
        assert done.code in (VAULT, WRONG_KEY), done.err
        assert len(done.errors) == 1
        assert programs.mount_at(place) is None
        assert vault.read_bytes() == data
        return done

    @pytest.mark.parametrize("name, what", PLACES, ids=lambda value: value)
    def test_cut_off(self, name, what, folder, place):
        cut = pieces(WRAPPED[name])[what]
        done = self.attempt(WRAPPED[name][:cut], folder, place)
        assert done.code == VAULT, done.err
        self.attempt(WRAPPED[name][: cut + 1], folder, place)

    @pytest.mark.parametrize("name, what", PLACES, ids=lambda value: value)
    def test_one_bit_changed(self, name, what, folder, place):
        data = bytearray(WRAPPED[name])
        data[pieces(data)[what]] ^= 0x40
        self.attempt(bytes(data), folder, place)

    def test_a_byte_too_much(self, folder, place):
        self.attempt(WRAPPED["kdbx3.1"] + b"x", folder, place)

    def test_whole_it_opens(self, folder, place):
        vault = folder / "vaults" / "vault.kdbx"
        for data in WRAPPED.values():
            vault.write_bytes(data)
            programs.mount(vault, place, password="pw").unmount()


class TestHostile:
    """Files that are wrapped rightly and ask for too much."""

    def vault(self, folder, recipe, **items):
        """A vault whose header was changed after it was made, its plain hash set right again."""
        data = kdbx.write(fixtures.fixture_content().tree(), recipe, "pw")
        header = kdbx.Header.read(data)
        rest = data[len(header.raw) + 32 :]
        header.set(11, kdbx.write_dictionary(header.kdf | items))
        raw = header.bytes()
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(raw + kdbx.sha256(raw) + rest)
        return vault

    @pytest.mark.parametrize("name, kind, value", [
        ("M", 5, struct.pack("<Q", 1 << 40)), ("M", 5, struct.pack("<Q", (1 << 64) - 1024)),
        ("M", 5, struct.pack("<Q", 0)), ("I", 5, struct.pack("<Q", 0)),
        ("I", 5, struct.pack("<Q", (1 << 64) - 1)), ("P", 4, struct.pack("<I", 0)),
        ("P", 4, struct.pack("<I", 1 << 30)), ("V", 4, struct.pack("<I", 99)),
        ("S", 0x42, b""), ("$UUID", 0x42, bytes(16)), ("$UUID", 0x42, b"short"),
        ("M", 5, b"\0\0\1"),
    ])
    def test_absurd_key_derivation_is_refused_before_it_runs(self, name, kind, value, folder, place):
        vault = self.vault(folder, kdbx.Recipe(), **{name: (kind, value)})
        refused(vault, place, password="pw", code=VAULT, place=place)

    def test_absurd_rounds(self, folder, place):
        vault = self.vault(folder, kdbx.Recipe(kdf="aeskdf"), R=(5, struct.pack("<Q", (1 << 64) - 1)))
        refused(vault, place, password="pw", code=VAULT, place=place)

    @pytest.mark.parametrize("find, put", [
        (b"<KeePassFile", b'<!DOCTYPE a [<!ENTITY b "c">]><KeePassFile'),
        (b"</KeePassFile>", b""),
        (b"<Name>Work</Name>", b"<Name>Work</Nome>"),
        (b"<Name>Work</Name>", b"<Name>&undefined;</Name>"),
        (b"<Name>Work</Name>", b"<Name>&#0;</Name>"),
        (b"<Name>Work</Name>", b"<Name>\xff</Name>"),
        (b"<Name>Work</Name>", b"<Name" + b" a='b'" * 2 + b">Work</Name>"),
        (b"<Name>Work</Name>", b"<x>" * 100_000 + b"</x>" * 100_000),
        (b"<Root>", b"<Rest>"),
    ], ids=["document type", "cut off", "tags that don't match", "an entity nobody declared",
            "a character XML has not", "no UTF-8", "an attribute twice", "too deep", "no root"])
    def test_a_document_that_is_none(self, find, put, folder, place):
        vault = folder / "vaults" / "vault.kdbx"
        vault.write_bytes(kdbx.write(fixtures.fixture_content().tree(), kdbx.Recipe(), "pw",
                                     rewrite=lambda xml: xml.replace(find, put, 1)))
        refused(vault, place, password="pw", code=VAULT, place=place)


class TestMountPoint:
    def test_missing_a_file_or_not_empty(self, vault, folder, place):
        (folder / "file").touch()
        (folder / "full").mkdir()
        (folder / "full" / "something").touch()
        for wrong in (folder / "none", folder / "file", folder / "full"):
            # Said before a password is asked for: there is none here.
            done = programs.run(vault, wrong, password=None)
            assert (done.code, len(done.errors)) == (PLACE, 1), done.err
            assert programs.mount_at(wrong) is None

    def test_not_empty_and_wanted_all_the_same(self, vault, folder):
        full = folder / "full"
        full.mkdir()
        (full / "something").touch()
        mount = programs.mount(vault, full, "--nonempty", password="fixture")
        assert (mount / "Internet").is_dir()
        mount.unmount()
        assert os.listdir(full) == ["something"]

    def test_the_vault_lies_below_it(self, vault):
        done = programs.run("--nonempty", vault, vault.parent, password="fixture")
        assert (done.code, len(done.errors)) == (PLACE, 1), done.err

    def test_a_mount_is_there_already(self, vault, mounted, folder):
        copy = shutil.copy(vault, folder / "vaults" / "copy.kdbx")
        done = programs.run(copy, mounted.place, password="fixture")
        assert (done.code, len(done.errors)) == (PLACE, 1), done.err
        assert sum(entry.place == str(mounted.place) for entry in programs.mount_table()) == 1
        mounted.unmount()

    def test_the_vault_is_mounted_elsewhere(self, vault, mounted, folder):
        (folder / "second").mkdir()
        done = programs.run(vault, folder / "second", password="fixture")
        assert done.code == VAULT
        assert str(mounted.place) in done.err
        mounted.unmount()
        # The lock died with the process.
        programs.mount(vault, folder / "second", password="fixture").unmount()

    def test_umount_where_nothing_is_mounted(self, place, folder):
        for wrong in (place, folder / "none", "/"):
            done = programs.run("umount", wrong)
            assert done.code != 0 and len(done.errors) == 1, done.err

    @pytest.mark.skipif(os.getuid() != 0, reason="hiding a device takes root")
    def test_no_fuse_device(self, vault, place):
        script = 'mount --bind /dev/null /dev/fuse; exec "$@"'
        done = subprocess.run(
            ["unshare", "--mount", "--propagation", "private", "bash", "-c", script, "-",
             programs.program(), vault, place],
            input=b"fixture\n", capture_output=True, timeout=60)
        assert done.returncode == 19, done.stderr
        assert done.stderr.count(b"kdbxfs: error: ") == 1


@pytest.mark.parametrize("arguments", [
    [], ["--no-such-option"], ["-o", "no_such_option", "a", "b"], ["only-one"], ["a", "b", "c"],
    ["--keyfile"], ["cat", "vault"], ["ls"], ["info"], ["umount"], ["-o", "autosave=soon", "a", "b"],
])
def test_wrong_use(arguments, folder):
    done = programs.run(*arguments, cwd=folder)
    assert done.code == USAGE, done.err
    assert len(done.errors) == 1 and "hint: " in done.err
    assert done.out == b""



class TestMaxMemory:
    """`--max-memory` bounds what a vault may take before and after its key has been tried."""

    def vault(self, folder, recipe, filler: int = 0):
        vault = folder / "vaults" / "vault.kdbx"
        content = fixtures.Content("Memory")
        content.root.append(content.entry("one", "2024-01-02 09:00:00", fields={"Notes": "x" * filler}))
        vault.write_bytes(kdbx.write(content.tree(), recipe, "fixture"))
        return vault

    def test_of_the_key_derivation(self, folder, place):
        vault = self.vault(folder, kdbx.Recipe(memory_kib=8192))
        refused("--max-memory", "4M", vault, place, password="fixture", code=VAULT, place=place,
                words=["8 MiB of memory", "4 MiB is the limit"])
        assert programs.run("ls", "--max-memory", "8M", vault, password="fixture").out == b"one\n"

    def test_of_what_is_decompressed(self, folder, place):
        vault = self.vault(folder, kdbx.Recipe(), filler=3 << 20)
        assert vault.stat().st_size < 1 << 20
        refused("--max-memory", "2M", vault, place, password="fixture", code=VAULT, place=place,
                words=["holds more than 2 MiB", "compressed data"])
        assert programs.run("ls", "--max-memory", "4M", vault, password="fixture").out == b"one\n"

    def test_without_compression(self, folder, place):
        vault = self.vault(folder, kdbx.Recipe(gzip=False), filler=3 << 20)
        refused("--max-memory", "2M", vault, place, password="fixture", code=VAULT, place=place,
                words=["holds more than 2 MiB"])

    def test_of_a_derivation_that_no_honest_vault_asks_for(self, folder, place):
        """Refused at once by the usual limits: memory, work, rounds."""
        class Absurd(kdbx.Recipe):
            def header(self):
                header = super().header()
                items = header.kdf | changes
                header.set(11, kdbx.write_dictionary(items))
                return header

        for kdf, changes, words in [
            ("argon2d", {"M": (0x05, struct.pack("<Q", 1 << 33))}, "8192 MiB of memory"),
            ("argon2d", {"I": (0x05, struct.pack("<Q", (1 << 32) - 1)),
                         "M": (0x05, struct.pack("<Q", 1 << 30))}, "work over"),
            ("aeskdf", {"R": (0x05, struct.pack("<Q", 1 << 40))}, "rounds"),
        ]:
            vault = folder / "vaults" / "vault.kdbx"
            raw = Absurd(kdf=kdf).header().bytes()
            # No key is derived, so no code is ever looked at.
            vault.write_bytes(raw + kdbx.sha256(raw) + bytes(32) + bytes(36))
            refused(vault, place, password="fixture", code=VAULT, place=place, words=[words])
            vault.unlink()
