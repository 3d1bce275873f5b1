"""What the documents show is what happens."""

import os
import re
import shutil
import subprocess

import pexpect
import pytest
from conftest import SAMPLE
from support import judges, programs


def transcript() -> list[tuple[str, list[str]]]:
    """The README's first console block: each command, and the lines that follow it."""
    text = (programs.ROOT / "README.md").read_text()
    block = re.search(r"```console\n(.*?)```", text, re.DOTALL)[1]
    steps: list[tuple[str, list[str]]] = []
    for line in block.splitlines():
        if line.startswith("$ "):
            steps.append((line[2:], []))
        else:
            steps[-1][1].append(line)
    return steps


def test_the_readme_transcript(folder):
    """Copied line by line into a shell, it does what it shows; but for the code, which is of now."""
    vault = folder / "passwords.kdbx"
    shutil.copy(SAMPLE, vault)
    (folder / "vault").mkdir()
    before = judges.Witness(vault, "sample")
    (folder / "bin").mkdir()
    (folder / "bin" / "kdbxfs").symlink_to(programs.program())
    environment = os.environ | {
        "HOME": str(folder), "PATH": f"{folder / 'bin'}:{os.environ['PATH']}", "LC_ALL": "C.UTF-8",
    }
    for command, shown in transcript():
        child = pexpect.spawn("bash", ["-c", command], env=environment, encoding="utf-8", timeout=60)
        if shown and shown[0].startswith("Password"):
            child.expect(re.escape(shown[0]))
            child.waitnoecho(10)
            child.sendline("sample")
            shown = []
        child.expect(pexpect.EOF)
        child.close()
        assert child.exitstatus == 0, (command, child.before)
        said = child.before.strip()
        if command.endswith("totp"):
            assert re.fullmatch(r"\d{6}", said) and re.fullmatch(r"\d{6}", shown[0])
        else:
            assert said == "\n".join(shown), command
    before.expect({
        "Internet/GitHub": {
            "Password": ("correct horse battery staple", "new-secret"), "history": 1},
        "Work/": {"new": True},
        "Work/db1": {"new": {"Title": "db1", "UserName": "root"}},
    })


def test_every_exit_code_of_the_program_is_documented():
    source = (programs.ROOT / "Sources" / "Commands" / "ExitCode.swift").read_text()
    page = (programs.ROOT / "docs" / "command-line.md").read_text()
    codes = {int(number) for number in re.findall(r"^  case \w+ = (\d+)$", source, re.MULTILINE)}
    told = {int(number) for number in re.findall(r"^\| (\d+) \|", page, re.MULTILINE)}
    assert told == codes and len(codes) > 10


def test_the_manual_has_the_options_commands_and_codes_of_the_help():
    page = (programs.ROOT / "docs/man/kdbxfs.1").read_text()
    told = programs.run("--help").out.decode()
    options = set(re.findall(r"(?<![\w-])--?([a-z][a-z-]*|V)\b", told.split("Example:")[0]))
    listed = re.findall(r"^\.It Fl (.*)$", page, re.MULTILINE)
    assert set(re.findall(r"(?:^|, )-?([a-zV][a-z-]*)", "\n".join(listed), re.MULTILINE)) == options
    commands = set(re.findall(r"^ +kdbxfs ([a-z-]+)", told, re.MULTILINE))
    assert set(re.findall(r"^\.Nm\n\.Cm ([a-z-]+)$", page, re.MULTILINE)) == commands
    codes = re.search(r"Exit codes: (.*?)\.\n", told, re.DOTALL)[1]
    assert set(re.findall(r"\b\d+\b", codes)) <= set(re.findall(r"^\.It (\d+)$", page, re.MULTILINE))


@pytest.mark.parametrize("page", sorted((programs.ROOT / "docs/man").iterdir()), ids=lambda p: p.name)
def test_the_manual_is_well_formed(page):
    done = subprocess.run(["groff", "-mdoc", "-ww", "-Tutf8", page], capture_output=True, text=True)
    assert (done.returncode, done.stderr) == (0, "")


@pytest.mark.parametrize("page", ["README.md", "CHANGELOG.md", *[
    f"docs/{page.name}" for page in sorted((programs.ROOT / "docs").glob("*.md"))]])
def test_links_lead_somewhere(page):
    file = programs.ROOT / page
    for link in re.findall(r"\]\(([^)#]+)\)", file.read_text()):
        if not link.startswith("http"):
            assert (file.parent / link).exists(), link


def named_tests(page: str) -> set[str]:
    """The tests that the tables of a page name: what stands in backticks in the last column."""
    rows = re.findall(r"^\|.*\|\s([^|]*)\|$", (programs.ROOT / "docs" / page).read_text(), re.M)
    # Outside the tables a page names tests by their whole name only.
    text = re.findall(r"`(test_\w+)`", (programs.ROOT / "docs" / page).read_text())
    return {name for row in rows for name in re.findall(r"`([^`]+)`", row)} | set(text)


def known_tests() -> set[str]:
    root = programs.ROOT / "Tests"
    swift = "\n".join(path.read_text() for path in root.rglob("*.swift"))
    python = "\n".join(path.read_text() for path in (root / "EndToEnd").rglob("test_*.py"))
    return set(re.findall(r"func `([^`]+)`", swift)) | set(re.findall(r"def (test_\w+)", python))


@pytest.mark.parametrize("page", ["traps.md", "guards.md"])
def test_the_tests_that_a_page_names_are_there(page):
    """A renaming must not lose them."""
    named = named_tests(page)
    assert len(named) > 15 and named <= known_tests()


def test_the_rules_of_the_format_have_their_rows():
    """Every section of the rules has a table of tests."""
    rules = (programs.ROOT / "docs/kdbx.md").read_text()
    sections = {number for number in re.findall(r"^###? (\d+(?:\.\d)?) ", rules, re.M)
                if int(number.split(".")[0]) in (1, 2, 3, 4, 5, 10)}
    rows = (programs.ROOT / "docs/traps.md").read_text()
    headings = " ".join(re.findall(r"^## ([\d. and]+) ", rows, re.M)).split()
    # A section of several has its rows in these.
    assert {number for number in sections if number not in headings} <= {"1", "3", "4"}


def test_the_places_of_tests_in_the_threat_model_are_there():
    for name in named_tests("threat-model.md"):
        assert list((programs.ROOT / "Tests").glob(f"{name}*")), name


class TestQuickstart:
    def run(self, *arguments):
        return subprocess.run(
            [programs.ROOT / "scripts" / "quickstart", *arguments], stdin=subprocess.DEVNULL,
            capture_output=True, text=True, timeout=1500, env=os.environ | {"LC_ALL": "C.UTF-8"})

    @pytest.mark.skipif(os.getuid() != 0, reason="builds in the project's own folder")
    def test_it_mounts_the_sample_and_says_what_to_try(self):
        """In the project itself, as a person runs it; twice, as a person does."""
        place = programs.ROOT / "demo" / "vault"
        if programs.mount_at(place):
            pytest.skip("a person's sample is mounted")
        try:
            for _ in range(2):
                done = self.run()
                assert done.returncode == 0, done.stderr
                assert (place / "Internet/GitHub/username").read_text() == "alice"
                assert "umount" in done.stdout
        finally:
            assert programs.run("umount", place).code == 0
            programs.wait_until(
                lambda: not programs.processes_naming(place), "the serving process ends")
