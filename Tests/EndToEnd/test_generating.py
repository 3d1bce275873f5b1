"""New passwords: `kdbxfs generate`, and the files that make one at each open."""

from __future__ import annotations

import gzip
import re
import shutil
import string
import subprocess

import pytest
from support import programs

LIST = gzip.decompress((programs.ROOT / "Sources/CWordList/eff_large_wordlist.gz").read_bytes()).decode()
WORDS = set(LIST.split())


def generate(*arguments) -> tuple[str, int]:
    done = programs.run("generate", *arguments)
    assert done.code == 0, done.err
    (bits,) = re.fullmatch(r"kdbxfs: (\d+) bits\n", done.err).groups()
    password = done.out.decode()
    assert password.endswith("\n")
    return password[:-1], int(bits)


def test_characters():
    password, bits = generate()
    assert len(password) == 24 and bits in range(150, 157)
    kinds = [string.ascii_lowercase, string.ascii_uppercase, string.digits, string.punctuation]
    assert all(set(password) & set(kind) for kind in kinds)
    assert generate()[0] != password
    assert generate("4", "--classes", "digits")[1] == 13
    clear, _ = generate("1024", "--no-lookalikes")
    assert len(clear) == 1024 and not set(clear) & set("0O1Il|8B6G5S2Z")


def test_words():
    password, bits = generate("words")
    assert bits == 77 and re.fullmatch(r"[a-z]+(-[a-z]+)+", password)
    password, bits = generate("words", "9", "--separator", " ")
    assert bits == 116 and len(password.split(" ")) == 9 and set(password.split(" ")) <= WORDS


def test_a_word_list_of_ones_own(folder):
    (folder / "list").write_text("".join(f"{i}\tw{i}\n" for i in range(4096)))
    password, bits = generate("words", "3", "--separator", "", "--wordlist", folder / "list")
    assert bits == 36 and re.fullmatch(r"(w\d+){3}", password)
    (folder / "list").write_text("few\nwords\n")
    done = programs.run("generate", "words", "--wordlist", folder / "list")
    assert (done.code, done.out) == (1, b"") and "word list" in done.errors[0]


@pytest.mark.parametrize("arguments", [
    ["0"], ["1025"], ["ten"], ["words", "0"], ["words", "129"], ["8", "9"],
    ["--separator", "x"], ["words", "--no-lookalikes"], ["--classes", "lower,"],
    ["words", "--wordlist", "nowhere"]], ids=" ".join)
def test_bad_input_prints_no_password(arguments):
    done = programs.run("generate", *arguments)
    assert (done.code, done.out, len(done.errors)) == (1, b"", 1)


def test_cp_sets_a_password(mounted, github, before):
    views = mounted / ".kdbxfs" / "generate"
    shutil.copyfile(views / "24", github / "password")
    first = (github / "password").read_text()
    assert len(first) == 24
    subprocess.run(["cp", views / "words", github / "password"], check=True)
    words = (github / "password").read_text()
    assert len(words.split("-")) >= 6
    # It believes in sizes, and gives up where they are wrong.
    subprocess.run(["rsync", "--inplace", "--ignore-times", views / "words", github / "password"], check=True)
    assert (github / "password").read_text() not in (first, words)
    subprocess.run(["cp", views / "32", github / "password"], check=True)
    last = (github / "password").read_text()
    mounted.unmount()
    before.expect({"Internet/GitHub": {
        "Password": ("correct horse battery staple", last), "history": 1}})


def test_every_read_is_another(mounted):
    views = mounted / ".kdbxfs" / "generate"
    assert len({(views / "16").read_text() for _ in range(50)}) == 50
    assert len({(views / "words").read_text() for _ in range(50)}) == 50
    assert (views / "1000").stat().st_size == 1000
    with pytest.raises(PermissionError):
        (views / "24").write_text("mine")
    with pytest.raises(FileNotFoundError):
        (views / "0").read_text()
    mounted.unmount()
