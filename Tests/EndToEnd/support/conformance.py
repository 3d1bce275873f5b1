"""docs/conformance.md: written by a test run, and held against the next one.

Tests tell what they have shown by `record_property("conformance", [SECTION, ROW, COLUMN])`; a test of
a case of the corpus is known by its number. A run with KDBXFS_CONFORMANCE=FOLDER leaves there what
it has seen, one file a run, and `scripts/conformance` makes the page of them.
"""

from __future__ import annotations

import datetime
import json
import os
import platform
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
PAGE = ROOT / "docs" / "conformance.md"
METHODS, CALLS, CASES = "methods", "calls", "cases"

# What made the result: packages whose programs the methods run, and what judges.
PACKAGES = [
    "libfuse3-3", "coreutils", "bash", "vim", "neovim", "nano", "emacs-nox", "joe", "jed", "micro",
    "mc", "kakoune", "ed", "sed", "perl-base", "moreutils", "rsync", "patch", "python3",
    "libglib2.0-bin", "keepassxc",
]


class Recorder:
    """The part of pytest that collects; only the process that sees all results writes."""

    def __init__(self, folder: Path, name: str):
        self.file = folder / f"{name}.json"
        self.seen: dict[str, dict[str, dict[str, bool]]] = {}

    def pytest_runtest_logreport(self, report):
        if report.skipped or (report.when != "call" and report.passed):
            return
        found = [value for name, value in report.user_properties if name == "conformance"]
        # That a vault shows its facts is less than its case asks for, but where it must be refused.
        number = re.search(
            r"::test_(\d{3})_|test_a_vault_is_refused\[(\d{3})-|TestCase(\d{3})", report.nodeid)
        if number and "corpus/" in report.nodeid:
            found.append([CASES, next(filter(None, number.groups())), ""])
        for section, row, column in found:
            rows = self.seen.setdefault(section, {}).setdefault(row, {})
            rows[column] = rows.get(column, True) and report.passed

    def pytest_sessionfinish(self, session):
        self.file.parent.mkdir(parents=True, exist_ok=True)
        self.file.write_text(json.dumps(self.seen, ensure_ascii=False, indent=1))


def plugin(config) -> Recorder | None:
    folder = os.environ.get("KDBXFS_CONFORMANCE")
    if not folder or hasattr(config, "workerinput"):
        return None
    return Recorder(ROOT / folder, os.environ.get("KDBXFS_CONFORMANCE_NAME", "run"))


# The page


def collected(folder: Path) -> dict:
    """What all runs in a folder have seen, together."""
    seen: dict = {}
    for file in sorted(folder.glob("*.json")):
        for section, rows in json.loads(file.read_text()).items():
            for row, columns in rows.items():
                known = seen.setdefault(section, {}).setdefault(row, {})
                for column, passed in columns.items():
                    known[column] = known.get(column, True) and passed
    return seen


def versions() -> list[str]:
    def of(package: str) -> str:
        done = subprocess.run(["dpkg-query", "-W", "-f", "${Version}", package],
                              capture_output=True, text=True)
        return f"{package} {done.stdout}" if done.returncode == 0 else f"no {package}"

    return [f"Linux {platform.release()}", *map(of, PACKAGES)]


def verdict(passed: bool | None) -> str:
    return {True: "yes", False: "**no**", None: "not run"}[passed]


def methods_section(rows: dict) -> list[str]:
    from . import methods

    modes = ["by itself", "between all steps"]
    kinds = [kind.title for kind in methods.KINDS]
    lines = [
        "## Save methods", "",
        "Each program, on a terminal, in a real mount. After it the file has the new value, the entry"
        " exactly one history item more, with the old state in it, and nothing else in the vault"
        " differs, as `keepassxc-cli`, `pykeepass` and our own reader see it. The program must have"
        " been seen to make the requests that it is known by, its temporary names above all. Once"
        " with the autosave on, once with a save before every request that may change something.", "",
        "| method | seen to make | " + " | ".join(kinds) + " |",
        "| --- | --- |" + " --- |" * len(kinds),
    ]
    for method in methods.METHODS:
        seen = ", ".join(f"`{request.replace('|', ' ').replace('@', 'NAME')}`"
                         for request in method.requests)
        cells = []
        for kind in methods.KINDS:
            if not method.suits(kind):
                cells.append("–")
                continue
            results = [rows.get(method.name, {}).get(f"{kind.title}, {mode}") for mode in modes]
            both = {results[0], results[1]}
            cells.append(verdict(results[0]) if len(both) == 1 else
                         ", ".join(f"{verdict(r)} ({m})" for r, m in zip(results, modes)))
        lines.append(f"| {method.name} | {seen} | " + " | ".join(cells) + " |")
    return [*lines, "", "–: the program only changes what is there.", ""]


def calls_section(rows: dict) -> list[str]:
    from . import calls

    lines = [
        "## The kernel's interface", "",
        "Every call that the kernel's side of FUSE knows (`fuse_opcode` in `linux/fuse.h`), and what"
        " comes of it, tried by the system calls that lead to it.", "",
        "| call | answer | why | shown |", "| --- | --- | --- | --- |",
    ]
    for call in calls.CALLS:
        lines.append(f"| {call.name} | {call.answer} | {call.why} | "
                     f"{verdict(rows.get(call.name, {}).get(''))} |")
    return [*lines, ""]


def cases_section(rows: dict) -> list[str]:
    from . import shared

    lines = [
        "## Cases from practice", "",
        "Conditions that users of KeePass programs and of file systems like this have met, rebuilt as"
        " small vaults, each with its right behaviour (`cases/` of the shared corpus).", "",
        "| case | what it is about | right |", "| --- | --- | --- |",
    ]
    for folder in sorted((shared.SHARED / "cases").glob("*/case.md")):
        name = folder.parent.name
        title = folder.read_text().splitlines()[0].removeprefix("# ").split(" ", 1)[1]
        lines.append(f"| {name} | {title} | {verdict(rows.get(name[:3], {}).get(''))} |")
    return [*lines, ""]


SECTIONS = {METHODS: methods_section, CALLS: calls_section, CASES: cases_section}
HEAD = """# Conformance

Made by `scripts/conformance --write` of what the last run of `scripts/test` has shown; a run that shows
something else fails.

"""


def sections(seen: dict) -> dict[str, list[str]]:
    return {name: make(seen[name]) for name, make in SECTIONS.items() if name in seen}


def split(page: str) -> dict[str, str]:
    """A page's sections by their headings."""
    parts = re.split(r"(?m)^(?=## )", page)
    return {part.splitlines()[0]: part.strip() for part in parts[1:]}


def main(arguments: list[str]) -> int:
    folder = ROOT / ".build" / "conformance"
    seen = collected(folder)
    if not seen:
        print(f"conformance: error: no run has left anything in {folder}", file=sys.stderr)
        return 1
    made = sections(seen)
    if arguments == ["--write"]:
        lacking = SECTIONS.keys() - made.keys()
        if lacking:
            print(f"conformance: error: no run has shown: {', '.join(sorted(lacking))}",
                  file=sys.stderr)
            return 1
        today = datetime.datetime.now(datetime.UTC).date().isoformat()
        text = HEAD + f"## Run\n\nOn {today}, with " + ", ".join(versions()) + ".\n\n"
        text += "\n".join(line for lines in made.values() for line in lines)
        PAGE.write_text(text.rstrip() + "\n")
        return 0
    written = split(PAGE.read_text())
    wrong = False
    for lines in made.values():
        fresh = "\n".join(lines).strip()
        stands = written.get(lines[0], "")
        for line in sorted(set(fresh.splitlines()) ^ set(stands.splitlines())):
            wrong = True
            print("conformance: " + ("run:  " if line in fresh.splitlines() else "page: ") + line)
    if wrong:
        print("conformance: error: docs/conformance.md differs from this run", file=sys.stderr)
    return int(wrong)
