"""What processes do with a file besides saving it whole: odd offsets, two at once, killed between."""

import errno
import mmap
import os
import signal
import subprocess
import time

import pytest
from support import methods, programs
from test_editing import OLD, PATH, shell


def refused(attempt) -> str | None:
    """The errno of what must fail, by its name."""
    try:
        attempt()
    except OSError as error:
        return errno.errorcode[error.errno]
    return None


class TestNamesOfTheUser:
    """A name is temporary only if a program would make it from one that stands there."""

    @pytest.mark.parametrize("name", [
        ".npmrc", "tmppassword", "backup~", "notes.txt", ".env.local", "core", "#42", ".DS_Store",
        "tmpA1b2", "sedan", "XXL", "old.bak", "x.swp", "~", "4914", ".goutputstream", "DEADJOE2",
        "file.orig", "a b~", "nothing.save", ".other.swp", "token.o123456",
    ])
    def test_a_file_of_that_name_is_stored(self, name, mounted, github, before):
        (github / name).write_text("mine\n")
        mounted.unmount()
        before.expect({PATH: {name: (None, "mine"), "history": 1}})

    def test_a_name_that_was_refused_can_be_written_at_once(self, mounted, github, before):
        """The kernel still holds the name of the file that the refusal took back."""
        for number in range(50):
            name = github / f"new {number % 5}"
            assert refused(lambda: name.write_bytes(b"a\xffb")) == "EILSEQ"
            name.write_bytes(b"ab")
            assert name.read_bytes() == b"ab"
            name.unlink()
        mounted.unmount()
        before.expect_untouched()

    def test_copied_into_an_entry(self, mounted, github, before, folder):
        (folder / ".npmrc").write_text("//registry.example/:_authToken=abc\nsave=true\n")
        shell('cp "$OUT/.npmrc" .; cp "$OUT/.npmrc" attachments/', github, OUT=str(folder))
        mounted.unmount()
        text = "//registry.example/:_authToken=abc\nsave=true\n"
        before.expect({PATH: {
            ".npmrc": (None, text), "@.npmrc": (None, text.encode()), "history": 1}})

    def test_a_field_of_the_vault_is_never_temporary(self, mounted, github, before, vault, place):
        """`url~` was stored as a field before an editor would have called it a backup."""
        shell("printf mine > keep; mv keep .url.x", github)
        mounted.unmount()
        before.expect({PATH: {".url.x": (None, "mine"), "history": 1}})

    def test_a_backup_of_a_field_that_is_a_field_itself(self, mounted, github, before):
        shell("printf mine > backup~; printf x > backup", github)
        assert (github / "backup~").read_text() == "mine"
        mounted.unmount()
        before.expect({PATH: {"backup~": (None, "mine"), "backup": (None, "x"), "history": 1}})

    def test_a_photo_is_refused_aloud(self, mounted, github, before, folder):
        (folder / "photo.jpg").write_bytes(b"\xff\xd8\xff\xe0\0\x10JFIF" + os.urandom(5000))
        done = subprocess.run(["cp", folder / "photo.jpg", github], capture_output=True, text=True)
        assert done.returncode != 0 and "photo.jpg" in done.stderr
        assert not (github / "photo.jpg").exists()
        mounted.unmount()
        before.expect_untouched()

    @pytest.mark.parametrize("name", ["url~", ".url.swp", ".#url", "#url#", "4913", "DEADJOE",
                                      "url.bak", "url.save", ".url.AbCd12", "url.o123456"])
    def test_a_temporary_name_is_not_stored(self, name, mounted, github, before):
        (github / name).write_bytes(b"\0\xff binary \n")
        assert (github / name).read_bytes() == b"\0\xff binary \n"
        assert name in os.listdir(github)
        assert programs.run("save", mounted.place).code == 0
        assert (github / name).exists()
        mounted.unmount()
        before.expect_untouched()


# An editor that has moved the old file aside, and is killed before it made the new one.
KILLED = {
    "vim": methods.vim("--cmd", "set backup"),
    "neovim": methods.neovim("--cmd", "set backup backupdir=."),
    "emacs": methods.emacs(),
    "jed": methods.jed,
    "sed -i.bak": methods.shell('sed -i.bak s/horse/cow/ "$NAME"'),
    "GIO": methods.shell('printf new | gio save --backup "$NAME"'),
}


class Halted(methods.Stage):
    """A stage on which every program sleeps after it renamed something, to be killed there."""

    def start(self, command):
        calls = "rename,renameat,renameat2"
        tracer = ["strace", "-f", "-o", os.devnull, "-e", f"trace={calls}",
                  "-e", f"inject={calls}:delay_exit=60000000"]
        return super().start([*tracer, *command])

    def waits(self, child, text):
        """Waits for a text, or for the moment when the name has gone and nothing shows any more."""
        if text not in ("Wrote", "written"):
            super().waits(child, text)

    def ends(self, child, says=None):
        """Kills it, once the name has gone."""
        programs.wait_until(lambda: self.name not in os.listdir(self.folder), "the rename", 60)
        # The tracer last, which leads the session: it holds them, and without it they would go on.
        found = subprocess.run(["pgrep", "-s", str(child.pid)], capture_output=True, check=True)
        for pid in sorted(map(int, found.stdout.split()), key=lambda pid: pid == child.pid):
            os.kill(pid, signal.SIGKILL)
        child.wait()
        child.close()


@pytest.mark.parametrize("editor", KILLED)
def test_killed_between_its_renames(editor, mounted, github, before, folder, vault, place):
    kind = methods.Kind("", "password", "Password", OLD, " very")
    outside = folder / "outside"
    outside.mkdir()
    halted = Halted(kind, github, outside)
    KILLED[editor](halted)
    assert not (github / "password").exists()
    assert programs.run("save", mounted.place).code == 0
    mounted.unmount()
    before.expect_untouched()
    again = programs.mount(vault, place, password="fixture")
    assert (again / PATH / "password").read_text() == OLD
    again.unmount()


class TestOffsets:
    """A value is what the bytes of one handle make when it settles, in whatever order they came."""

    def written(self, path, pieces, flags=os.O_WRONLY, end=None):
        descriptor = os.open(path, flags)
        for offset, data in pieces:
            assert os.pwrite(descriptor, data, offset) == len(data)
        if end is not None:
            os.ftruncate(descriptor, end)
        os.close(descriptor)
        return path.read_text()

    def test_in_any_order(self, mounted, github, before):
        pieces = [(10, b"k" * 5), (0, b"a" * 5), (5, b"f" * 5)]
        found = self.written(github / "url", pieces, os.O_WRONLY | os.O_TRUNC)
        assert found == "aaaaafffffkkkkk"
        mounted.unmount()
        before.expect({PATH: {"URL": ("https://github.com/login", "aaaaafffffkkkkk"), "history": 1}})

    def test_overlapping(self, github):
        pieces = [(0, b"0123456789"), (3, b"abc"), (5, b"XYZ"), (9, b"!")]
        assert self.written(github / "url", pieces, os.O_WRONLY | os.O_TRUNC) == "012abXYZ8!"

    def test_a_part_of_what_is_there(self, github):
        assert self.written(github / "url", [(8, b"GITHUB")]) == "https://GITHUB.com/login"

    def test_characters_cut_between_two_writes(self, github):
        text = "größer 🔑".encode()
        pieces = [(i, text[i : i + 1]) for i in range(len(text))]
        assert self.written(github / "url", pieces, os.O_WRONLY | os.O_TRUNC) == "größer 🔑"

    def test_a_hole_is_refused_when_it_settles(self, mounted, github, before):
        descriptor = os.open(github / "url", os.O_WRONLY)
        assert os.pwrite(descriptor, b"x", 100) == 1
        assert refused(lambda: os.close(descriptor)) == "EINVAL"
        assert (github / "url").read_text() == "https://github.com/login"
        mounted.unmount()
        before.expect_untouched()

    def test_a_hole_that_is_filled_is_none(self, github):
        pieces = [(4, b"late"), (0, b"now ")]
        assert self.written(github / "url", pieces, os.O_WRONLY | os.O_TRUNC) == "now late"

    def test_a_hole_in_an_attachment_is_zeros(self, mounted, github, before):
        descriptor = os.open(github / "attachments" / "sparse", os.O_WRONLY | os.O_CREAT)
        os.pwrite(descriptor, b"end", 5000)
        os.close(descriptor)
        assert (github / "attachments" / "sparse").read_bytes() == bytes(5000) + b"end"
        mounted.unmount()
        before.expect({PATH: {"@sparse": (None, bytes(5000) + b"end"), "history": 1}})

    @pytest.mark.parametrize("size", [0, 1, 7, 23, 24])
    def test_shrunk_by_truncate(self, size, mounted, github, before):
        os.truncate(github / "url", size)
        value = "https://github.com/login"[:size]
        assert os.stat(github / "url").st_size == size
        assert (github / "url").read_text() == value
        mounted.unmount()
        if size == 24:
            before.expect_untouched()
        else:
            before.expect({PATH: {"URL": ("https://github.com/login", value), "history": 1}})

    def test_shrunk_on_a_handle(self, github):
        assert self.written(github / "url", [(0, b"HTTPS")], end=5) == "HTTPS"

    def test_grown_by_truncate_is_a_hole(self, mounted, github, before):
        assert refused(lambda: os.truncate(github / "url", 100)) == "EINVAL"
        mounted.unmount()
        before.expect_untouched()

    def test_read_and_written_by_one_handle(self, mounted, github, before):
        descriptor = os.open(github / "password", os.O_RDWR)
        assert os.pread(descriptor, 100, 0) == OLD.encode()
        os.pwrite(descriptor, b"CORRECT", 0)
        assert os.pread(descriptor, 100, 0) == b"CORRECT horse battery staple"
        assert os.lseek(descriptor, 0, os.SEEK_END) == len(OLD)
        os.ftruncate(descriptor, 7)
        assert os.pread(descriptor, 100, 0) == b"CORRECT"
        assert os.lseek(descriptor, 0, os.SEEK_END) == 7
        assert (github / "password").read_text() == OLD
        os.close(descriptor)
        assert (github / "password").read_text() == "CORRECT"
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, "CORRECT"), "history": 1}})

    def test_appended_whatever_the_offset(self, github):
        descriptor = os.open(github / "url", os.O_WRONLY | os.O_APPEND)
        os.pwrite(descriptor, b"/a", 0)
        os.lseek(descriptor, 3, os.SEEK_SET)
        os.write(descriptor, b"/b")
        os.close(descriptor)
        assert (github / "url").read_text() == "https://github.com/login/a/b"

    def test_a_mebibyte_of_notes(self, mounted, github, before):
        text = "".join(f"line {i:06}: größer 🔑\n" for i in range(40_000))
        assert len(text.encode()) > 1 << 20
        (github / "notes").write_text(text)
        assert (github / "notes").read_text() == text
        assert os.stat(github / "notes").st_size == len(text.encode())
        mounted.unmount()
        before.expect({PATH: {"Notes": ("two\nlines", text), "history": 1}})

    def test_the_largest_field_and_one_more(self, mounted, github, before):
        text = "x" * (16 << 20)
        (github / "notes").write_text(text)
        descriptor = os.open(github / "notes", os.O_WRONLY | os.O_APPEND)
        assert refused(lambda: os.write(descriptor, b"y")) in ("EFBIG", None)
        refused(lambda: os.close(descriptor))
        assert os.stat(github / "notes").st_size == 16 << 20


class Writer:
    """A process of its own that holds the password open: a fork of ours would close what it inherits."""

    def __init__(self, folder, action):
        script = f"""
import os
file = os.open("password", os.O_WRONLY)
{action}
print("ready", flush=True)
input()
os.close(file)
"""
        self.child = subprocess.Popen(["/usr/bin/python3", "-c", script], cwd=folder, text=True,
                                      stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        assert self.child.stdout.readline() == "ready\n"

    def closes(self):
        self.child.communicate("\n")
        assert self.child.returncode == 0

    def dies(self):
        self.child.kill()
        self.child.communicate()


class TestTogether:
    def test_two_writers_the_last_to_close_counts(self, mounted, github, before):
        one = os.open(github / "password", os.O_WRONLY | os.O_TRUNC)
        two = os.open(github / "password", os.O_WRONLY | os.O_TRUNC)
        os.write(one, b"first, and longer\n")
        os.write(two, b"second\n")
        os.close(two)
        assert (github / "password").read_text() == "second"
        os.close(one)
        assert (github / "password").read_text() == "first, and longer"
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, "first, and longer"), "history": 1}})

    def test_two_editors_of_one_field(self, mounted, github, before):
        """`sed -i` renames over a file that another still writes: neither makes a mix."""
        writer = Writer(github, "os.pwrite(file, b'CORRECT', 0)")
        shell("sed -i s/horse/cow/ password", github)
        assert (github / "password").read_text() == "correct cow battery staple"
        writer.closes()
        found = (github / "password").read_text()
        assert found in ("correct cow battery staple", "CORRECT horse battery staple")
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, found), "history": 1}})

    def test_many_writers_of_one_field(self, mounted, github, before):
        script = "for i in $(seq 50); do echo {0}-$i-{0}-$i > password; done"
        children = [subprocess.Popen(["bash", "-c", script.replace("{0}", str(n))], cwd=github,
                                     stderr=subprocess.PIPE) for n in range(4)]
        for child in children:
            _, said = child.communicate(timeout=120)
            assert (child.returncode, said) == (0, b"")
        value = (github / "password").read_text()
        assert value in [f"{n}-50-{n}-50" for n in range(4)]
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, value), "history": 1}})

    def test_a_reader_holds_the_file_across_saves(self, mounted, github, before):
        with open(github / "password", "rb", buffering=0) as file:
            assert file.read(7) == b"correct"
            (github / "password").write_text("changed")
            assert programs.run("save", mounted.place).code == 0
            assert file.read() == OLD.encode()[7:]
            os.unlink(github / "password")
            assert programs.run("save", mounted.place).code == 0
            file.seek(0)
            assert file.read() == OLD.encode()
            assert os.fstat(file.fileno()).st_size == len(OLD)
        mounted.unmount()
        now = before.read()
        for reading in now.values():
            assert reading.entry(PATH).strings["Password"] == ""
            assert len(reading.entry(PATH).history) == 4

    def test_a_private_mapping_of_a_file_and_its_successor(self, github):
        with open(github / "password", "rb") as file:
            with mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as mapped:
                assert mapped[:] == OLD.encode()
        (github / "password").write_text("a longer value than there was before, by far")
        with open(github / "password", "rb") as file:
            with mmap.mmap(file.fileno(), 0, mmap.MAP_PRIVATE, mmap.PROT_READ) as mapped:
                assert mapped[:] == b"a longer value than there was before, by far"

    def test_a_writer_that_dies_settles_what_it_wrote(self, mounted, github, before):
        """The kernel closes what a killed process held: a close like any other."""
        writer = Writer(github, "os.ftruncate(file, 0); os.write(file, b'half')")
        assert (github / "password").read_text() == OLD
        writer.dies()
        programs.wait_until(lambda: (github / "password").read_text() == "half", "the close")
        mounted.unmount()
        before.expect({PATH: {"Password": (OLD, "half"), "history": 1}})


def test_time_of_a_change_shows_at_once(github):
    start = time.time()
    descriptor = os.open(github / "url", os.O_WRONLY | os.O_TRUNC)
    os.write(descriptor, b"x")
    assert os.lseek(descriptor, 0, os.SEEK_END) == 1
    assert os.stat(github / "url").st_size == len("https://github.com/login")
    os.close(descriptor)
    assert os.stat(github / "url").st_size == 1
    assert os.stat(github / "url").st_mtime >= start - 0.1
