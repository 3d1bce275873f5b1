"""Whatever a process sends: odd names, edges of offsets and sizes, no room. The daemon answers."""

import os

import pytest
from support import programs
from support.judges import keepassxc
from test_editing import PATH
from test_writes import refused

LARGEST = (1 << 63) - 1


def attempt(path: bytes) -> str | None:
    """Makes a file and takes it away again; why not, if it can't be made."""
    def make():
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        os.unlink(path)

    return refused(make)


class TestNames:
    def test_of_every_byte(self, mounted, github, before):
        folder = os.fsencode(github)
        found = {byte: attempt(folder + b"/" + bytes([byte])) for byte in range(1, 256)
                 if byte not in b"./"}
        for byte, answer in found.items():
            wanted = {None} if 0x20 <= byte < 0x7F else {"EINVAL", "EILSEQ"}
            assert answer in wanted, (byte, answer)
        mounted.unmount()
        before.expect_untouched()

    def test_of_every_byte_for_folders(self, mounted, before):
        top = os.fsencode(mounted.place)

        def make(name: bytes):
            os.mkdir(top + b"/" + name)
            os.rmdir(top + b"/" + name)

        for byte in range(1, 256):
            if byte in b"./":
                continue
            answer = refused(lambda: make(b"x" + bytes([byte])))
            assert answer in ({None} if 0x20 <= byte < 0x7F else {"EINVAL", "EILSEQ"}), byte
        mounted.unmount()
        before.expect_untouched()

    @pytest.mark.parametrize("name", [
        b"\xc0\xaf", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\xf8\x88\x80\x80\x80", b"a\xff", b"\xc3",
        b"\xef\xbf\xbe", b"\xef\xbf\xbf", b"\xc2\x85", b"%00", b"%", b"%2f", b"...", b"-rf", b" ", b"\t",
    ])
    def test_odd_ones(self, name, mounted, github, before):
        assert attempt(os.fsencode(github) + b"/" + name) in (None, "EINVAL", "EILSEQ")
        assert refused(lambda: os.stat(os.fsencode(mounted.place) + b"/" + name)) == "ENOENT"
        mounted.unmount()
        before.expect_untouched()

    @pytest.mark.parametrize("letter", ["n", "ü", "🔑"])
    def test_of_255_bytes_and_of_256(self, letter, mounted, github, before):
        most = letter * (255 // len(letter.encode()))
        most += "x" * (255 - len(most.encode()))
        (github / most).write_text("v")
        assert (github / most).read_text() == "v"
        (github / "attachments" / most).write_text("a")
        os.mkdir(mounted / most)
        for parent in (github, github / "attachments", mounted.place, mounted / "Work"):
            assert refused(lambda: (parent / (most + "x")).write_text("v")) == "ENAMETOOLONG"
            assert refused(lambda: os.mkdir(parent / (most + "x"))) == "ENAMETOOLONG"
            assert refused(lambda: os.rename(github / most, parent / (most + "x"))) == "ENAMETOOLONG"
        mounted.unmount()
        before.expect({PATH: {most: (None, "v"), "@" + most: (None, b"a"), "history": 1},
                       most + "/": {"new": True}})


class TestOffsets:
    @pytest.mark.parametrize("offset", [1 << 24, 1 << 31, 1 << 32, 1 << 40, LARGEST - 1, LARGEST])
    def test_of_writes(self, offset, mounted, github, before):
        for path in (github / "url", github / "attachments" / "id_ed25519", github / ".url.swp"):
            descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
            for data in (b"x", b"x" * 70_000):
                assert refused(lambda: os.pwrite(descriptor, data, offset)) in (
                    "EFBIG", "EINVAL", "ENOSPC", None if offset == 1 << 24 else "EFBIG")
            refused(lambda: os.close(descriptor))
        mounted.signal(0)
        assert (github / "url").read_text() == "https://github.com/login"
        os.unlink(github / ".url.swp")
        if offset > 1 << 28:
            mounted.unmount()
            before.expect_untouched()

    @pytest.mark.parametrize("offset", [24, 25, 1 << 31, 1 << 40, LARGEST - 1])
    def test_of_reads(self, offset, github):
        with open(github / "url", "rb", buffering=0) as file:
            # The kernel itself refuses a read whose end is no offset.
            count = min(1 << 20, LARGEST - offset)
            assert os.pread(file.fileno(), count, offset) == b""
            assert os.pread(file.fileno(), 1 << 30, 0) == b"https://github.com/login"

    @pytest.mark.parametrize("size", [1 << 25, 1 << 31, 1 << 40, LARGEST])
    def test_of_sizes(self, size, mounted, github, before):
        for name in ("url", ".url.swp"):
            (github / ".url.swp").touch()
            assert refused(lambda: os.truncate(github / name, size)) in (
                "EFBIG", "EINVAL", "ENOSPC", None if (name, size) == (".url.swp", 1 << 25) else "EFBIG")
        mounted.unmount()
        before.expect_untouched()


def test_ever_deeper(mounted, before):
    """As deep as other programs read; deeper is refused, and all that was made is saved."""
    path, depth, answer = mounted.place, 0, None
    descriptor = os.open(path, os.O_RDONLY)
    while depth < 5000 and answer is None:
        answer = refused(lambda: os.mkdir("d", dir_fd=descriptor))
        if answer is None:
            inner = os.open("d", os.O_RDONLY, dir_fd=descriptor)
            os.close(descriptor)
            descriptor, depth = inner, depth + 1
    os.close(descriptor)
    assert answer is not None and depth > 30
    assert programs.run("save", mounted.place).code == 0
    mounted.unmount()
    exported = keepassxc("export", before.path, password="fixture")
    assert exported.count(b"<Name>d</Name>") == depth
