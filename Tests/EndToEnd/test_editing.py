"""Every way in which a shell writes a file is one edit of one field: judged by other programs."""

import errno
import os
import shutil
import subprocess
import time

import pytest
from support import programs

OLD = "correct horse battery staple"
PATH = "Internet/GitHub"


def shell(command: str, folder, **variables) -> subprocess.CompletedProcess:
    """A command line, run in a folder of the mount, that must succeed and say nothing."""
    done = subprocess.run(
        ["bash", "-c", command], cwd=folder, capture_output=True, text=True, timeout=60,
        env=os.environ | variables,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""
    return done


# What is written to `password`, in as many ways as tools have, and what it must then be.
WAYS = {
    "echo": ("echo new-secret > password", "new-secret"),
    "printf": ("printf %s new-secret > password", "new-secret"),
    "echo and append": ("echo -n more >> password", OLD + "more"),
    "append twice": ("printf 1 >> password; printf 2 >> password", OLD + "12"),
    "append a line": ("echo second >> password", OLD + "\nsecond\n"),
    "sed -i": ("sed -i s/horse/cow/ password", "correct cow battery staple"),
    "sed -i.bak": ("sed -i.bak s/horse/cow/ password && rm password.bak",
                   "correct cow battery staple"),
    "perl -i": ("perl -i -pe 's/horse/cow/' password", "correct cow battery staple"),
    "tee": ("echo new-secret | tee password > /dev/null", "new-secret"),
    "dd": ("echo new-secret | dd of=password status=none", "new-secret"),
    "dd in place": ("printf CORRECT | dd of=password conv=notrunc status=none",
                    "CORRECT horse battery staple"),
    "truncate": ("truncate -s 7 password", "correct"),
    "cp": ('cp "$OUTSIDE" password', "from outside"),
    "cp -a": ('cp -a "$OUTSIDE" password', "from outside"),
    "mv": ('cp "$OUTSIDE" "$OUTSIDE.2" && mv "$OUTSIDE.2" password', "from outside"),
    "install": ('install -m 600 "$OUTSIDE" password', "from outside"),
    "rsync": ('rsync -a "$OUTSIDE" password', "from outside"),
    "rsync --inplace": ('rsync --inplace "$OUTSIDE" password', "from outside"),
    "two commands, one file": ("(echo a; echo b) > password", "a\nb\n"),
    "python": ("python3 -c \"open('password', 'w').write('from python')\"", "from python"),
    "empty": (": > password", ""),
    "rm": ("rm password", ""),
    "rename over": ("printf new-secret > tmpA1b2C3d4 && mv tmpA1b2C3d4 password", "new-secret"),
}


@pytest.mark.parametrize("way", WAYS)
def test_a_field_is_edited(way, mounted, github, before, folder):
    command, value = WAYS[way]
    outside = folder / "outside"
    outside.write_text("from outside\n")
    if "tmpA1b2C3d4" in command:
        # The name counts as temporary only when it was made for nobody else to have.
        command = command.replace("printf", "set -o noclobber; printf")
    shell(command, github, OUTSIDE=str(outside))
    if way == "rm":
        assert not (github / "password").exists()
    else:
        assert (github / "password").read_text() == value
        assert os.stat(github / "password").st_size == len(value)
    mounted.unmount()
    before.expect({PATH: {"Password": (OLD, value), "history": 1}})


def test_a_text_of_many_lines_is_kept_as_it_is(mounted, github, before):
    shell("printf 'one\\n\\nthree\\n\\n' > notes", github)
    assert (github / "notes").read_text() == "one\n\nthree\n\n"
    mounted.unmount()
    before.expect({PATH: {"Notes": ("two\nlines", "one\n\nthree\n\n"), "history": 1}})


def test_several_fields_in_one_save_make_one_history_item(mounted, github, before):
    shell("echo a > password; echo b > password; echo bob > username; echo Rex > 'Security question'",
          github)
    shell("echo other > password", mounted / "Internet" / "a%2Fb")
    mounted.unmount()
    before.expect({
        PATH: {"Password": (OLD, "b"), "UserName": ("alice", "bob"),
               "Security question": ("First pet?", "Rex"), "history": 1},
        "Internet/a/b": {"Password": ("slash", "other"), "history": 1},
    })


class TestNoChange:
    @pytest.mark.parametrize("command", [
        'printf %s "$(cat password)" > password',
        'printf "%s\\n" "$(cat password)" > password',
        "cp password \"$OUTSIDE\" && cp \"$OUTSIDE\" password",
        "sed -i s/nowhere/x/ password",
        "printf '' >> password",
        "printf 'one\\n' > .url.swp; rm .url.swp",
        "touch password url",
        "chmod 600 password; chown $(id -u) password",
        "code=$(cat totp); echo $code > totp",
        "printf x > password; printf %s '" + OLD + "' > password",
    ])
    def test_the_file_is_not_touched(self, command, mounted, github, before, folder):
        shell(command, github, OUTSIDE=str(folder / "outside"))
        mounted.unmount()
        before.expect_untouched()


class TestNewFields:
    def test_a_new_name_is_a_new_custom_field_and_protected(self, mounted, github, before):
        shell("echo 0420 > PIN; printf 'a\\nb\\n' > 'Two lines'", github)
        assert (github / "PIN").read_text() == "0420"
        mounted.unmount()
        now = before.expect({
            PATH: {"PIN": (None, "0420"), "Two lines": (None, "a\nb\n"), "history": 1},
        })
        for reading in now.values():
            assert reading.entry(PATH).protected["PIN"]

    def test_a_dotted_name_is_a_field_like_any_other(self, mounted, github, before):
        shell("echo 1 > .hidden", github)
        mounted.unmount()
        before.expect({PATH: {".hidden": (None, "1"), "history": 1}})

    def test_a_custom_field_is_removed(self, mounted, github, before):
        shell("rm 'Security question'", github)
        mounted.unmount()
        before.expect({PATH: {"Security question": ("First pet?", None), "history": 1}})

    def test_a_custom_field_is_renamed(self, mounted, github, before):
        shell("mv 'Recovery codes' Codes", github)
        assert (github / "Codes").read_text() == "1111-2222\n3333-4444\n"
        mounted.unmount()
        now = before.expect({PATH: {
            "Recovery codes": ("1111-2222\n3333-4444\n", None),
            "Codes": (None, "1111-2222\n3333-4444\n"),
            "history": 1,
        }})
        assert now["own reader"].entry(PATH).protected["Codes"]

    def test_the_size_of_a_code_follows_its_secret(self, mounted):
        entry = mounted / "Internet" / "a%2Fb"
        shell("echo 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP' > totp", entry)
        assert (entry / "totp").stat().st_size == 6
        shell("echo 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP&digits=8' > otp", entry)
        assert (entry / "totp").stat().st_size == 8
        assert len((entry / "totp").read_text()) == 8

    def test_a_secret_typed_into_totp_makes_a_code(self, mounted, before):
        entry = mounted / "Internet" / "a%2Fb"
        shell("echo 'otpauth://totp/x?secret=JBSWY3DPEHPK3PXP' > totp", entry)
        assert (entry / "otp").read_text() == "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"
        assert len((entry / "totp").read_text()) == 6
        mounted.unmount()
        before.expect({"Internet/a/b": {
            "otp": (None, "otpauth://totp/x?secret=JBSWY3DPEHPK3PXP"), "history": 1,
        }})

    def test_a_tag_is_appended(self, mounted, github, before):
        shell("echo one > tags; echo two >> tags; echo three | tee -a tags", github)
        assert (github / "tags").read_text() == "one\ntwo\nthree"
        mounted.unmount()
        assert before.read()["own reader"].entry(PATH).tags == "one;two;three"

    def test_tags_and_expiry(self, mounted, github, before):
        shell("printf 'work\\nhome\\n' > tags; echo 2033-01-02 > expires", github)
        assert (github / "tags").read_text() == "work\nhome"
        assert (github / "expires").read_text() == "2033-01-02T00:00:00Z"
        shell("rm expires", mounted / "Internet" / "Mail")
        mounted.unmount()
        found = before.read()["own reader"]
        entry = found.entry(PATH)
        assert entry.tags == "work;home"
        assert entry.times["Expires"] == "True" and entry.times["ExpiryTime"] == 1_988_236_800
        assert len(entry.history) == 3
        mail = found.entry("Internet/Mail")
        assert mail.times["Expires"] == "False"
        stored = before.readings["own reader"].entry("Internet/Mail").times["ExpiryTime"]
        assert mail.times["ExpiryTime"] == stored


class TestRefusedValues:
    """A value that a vault can't hold is refused, loudly, and the old one stays."""

    @pytest.mark.parametrize("name, value, number", [
        ("username", b"\xff\xfe", errno.EILSEQ),
        ("username", b"a\0b", errno.EINVAL),
        ("password", b"caf\xc3", errno.EILSEQ),
        ("tags", b"one;two", errno.EINVAL),
        ("tags", b"one,two", errno.EINVAL),
        ("expires", b"tomorrow", errno.EINVAL),
        ("totp", b"not base32 !", errno.EINVAL),
        ("binary", b"\x89PNG\r\n\x1a\n\0\0", errno.EINVAL),
    ])
    def test_at_write_or_close(self, name, value, number, mounted, github, before):
        with pytest.raises(OSError) as caught:
            descriptor = os.open(github / name, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                os.write(descriptor, value)
            finally:
                os.close(descriptor)
        assert caught.value.errno in (number, errno.EILSEQ if b"\x89" in value else number)
        # A new name goes with its last handle, whose release nobody waits for.
        programs.wait_until(lambda: not (github / "binary").exists(), "what was refused goes")
        mounted.unmount()
        before.expect_untouched()

    def test_a_field_has_a_largest_size(self, mounted, github, before):
        descriptor = os.open(github / "notes", os.O_WRONLY)
        with pytest.raises(OSError) as caught:
            os.pwrite(descriptor, b"x", 17 << 20)
        assert caught.value.errno == errno.EFBIG
        with pytest.raises(OSError):
            os.close(descriptor)
        mounted.unmount()
        before.expect_untouched()

    @pytest.mark.parametrize("name", ["Title", "Password", "UserName", "x%2fy", "q%41"])
    def test_names_that_would_not_come_back(self, name, mounted, github, before):
        with pytest.raises(OSError) as caught:
            (github / name).write_text("x")
        assert caught.value.errno == errno.EINVAL
        mounted.unmount()
        before.expect_untouched()

    def test_in_the_wrong_place(self, mounted, github, before):
        tries = {
            "a file in a group": (lambda: (mounted / "Internet" / "note").write_text("x"), errno.EPERM),
            "a file at the top": (lambda: (mounted / "note").write_text("x"), errno.EPERM),
            "an entry in an entry": (lambda: os.mkdir(github / "sub"), errno.EPERM),
            "a pipe": (lambda: os.mkfifo(github / "pipe"), errno.EPERM),
            "a link in a group": (lambda: os.symlink("x", mounted / "Work" / "link"), errno.EPERM),
            "a trash folder": (lambda: os.mkdir(mounted / ".Trash"), errno.EPERM),
            "a name too long": (lambda: os.mkdir(mounted / ("n" * 256)), errno.ENAMETOOLONG),
            "a foreign attribute": (
                lambda: os.setxattr(github / "url", "user.note", b"x"), errno.EOPNOTSUPP),
            "another owner": (lambda: os.chown(github / "url", os.getuid() + 1, -1), errno.EPERM),
        }
        found = {}
        for what, (attempt, _) in tries.items():
            try:
                attempt()
                found[what] = None
            except OSError as error:
                found[what] = errno.errorcode[error.errno]
        assert found == {what: errno.errorcode[number] for what, (_, number) in tries.items()}
        mounted.unmount()
        before.expect_untouched()


class TestOpenFiles:
    def test_an_open_file_shows_one_value_from_open_to_close(self, github):
        with open(github / "password", "rb", buffering=0) as file:
            (github / "password").write_text("changed meanwhile")
            assert file.read(100) == OLD.encode()
        assert (github / "password").read_text() == "changed meanwhile"

    def test_a_reader_sees_the_old_value_until_the_writer_closes(self, github):
        descriptor = os.open(github / "password", os.O_WRONLY | os.O_TRUNC)
        os.write(descriptor, b"half")
        assert (github / "password").read_text() == OLD
        os.write(descriptor, b" done\n")
        os.close(descriptor)
        assert (github / "password").read_text() == "half done"

    def test_two_appenders_both_arrive(self, mounted, github, before):
        one = os.open(github / "notes", os.O_WRONLY | os.O_APPEND)
        two = os.open(github / "notes", os.O_WRONLY | os.O_APPEND)
        os.write(one, b"first\n")
        os.write(two, b"second\n")
        os.close(one)
        os.close(two)
        mounted.unmount()
        text = "two\nlines\nfirst\nsecond\n"
        before.expect({PATH: {"Notes": ("two\nlines", text), "history": 1}})

    def test_a_changed_field_has_the_time_of_the_change(self, github):
        start = time.time_ns()
        (github / "url").write_text("https://example.org")
        assert os.stat(github / "url").st_mtime_ns >= start - 10_000_000
        assert os.stat(github / "username").st_mtime <= start


def test_exact_keeps_the_final_line_feed(vault, before, place):
    mount = programs.mount(vault, place, "-o", "exact,autosave=0", password="fixture")
    shell("echo x > url", mount / PATH)
    assert (mount / PATH / "url").read_text() == "x\n"
    mount.unmount()
    before.expect({PATH: {"URL": ("https://github.com/login", "x\n"), "history": 1}})


class TestAttachments:
    def test_added_replaced_and_removed(self, mounted, github, before, folder):
        content = os.urandom(300_000)
        (folder / "photo.jpg").write_bytes(content)
        attachments = github / "attachments"
        shutil.copy(folder / "photo.jpg", attachments)
        (attachments / "id_ed25519").write_bytes(b"a new key\n")
        os.unlink(attachments / "every byte.bin")
        assert (attachments / "photo.jpg").read_bytes() == content
        assert sorted(os.listdir(attachments)) == ["id_ed25519", "photo.jpg"]
        mounted.unmount()
        old = before.readings["own reader"].entry(PATH).attachments
        now = before.expect({PATH: {
            "@photo.jpg": (None, content),
            "@id_ed25519": (b"not a real key\n", b"a new key\n"),
            "@every byte.bin": (old["every byte.bin"], None),
            "history": 1,
        }})
        history = now["own reader"].entry(PATH).history[-1]
        assert history.attachments == old

    def test_the_first_one_in_an_entry_that_had_none(self, mounted, before):
        entry = mounted / "Internet" / "a%2Fb"
        os.mkdir(entry / "attachments")
        (entry / "attachments" / "empty").write_bytes(b"")
        (entry / "attachments" / "line").write_bytes(b"kept\n")
        mounted.unmount()
        before.expect({"Internet/a/b": {
            "@empty": (None, b""), "@line": (None, b"kept\n"), "history": 1,
        }})

    def test_renamed(self, mounted, github, before):
        os.rename(github / "attachments" / "id_ed25519", github / "attachments" / "key")
        mounted.unmount()
        content = b"not a real key\n"
        before.expect({PATH: {"@id_ed25519": (content, None), "@key": (None, content), "history": 1}})

    def test_the_last_one_removed_takes_the_folder_with_it(self, mounted, before):
        shell("rm -r attachments", mounted / "Internet" / "Mail")
        assert not (mounted / "Internet" / "Mail" / "attachments").exists()
        mounted.unmount()
        before.expect({"Internet/Mail": {"@id_ed25519": (b"not a real key\n", None), "history": 1}})
