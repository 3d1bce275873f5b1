"""Runs rows and prints one table: `python -m bench --build DIR [ROW…]`."""

from __future__ import annotations

import argparse
import os
import platform
import subprocess
import sys
from datetime import date
from pathlib import Path

# They declare the rows, in this order.
from . import idle, opening, saving, tree, growth  # noqa: F401, I001
from .bench import Bench
from .rows import ROWS

HEAD = "| goal | what | beside | ours | theirs | ratio | CPU | wanted | reached |"


def machine() -> str:
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    model = next(line.split(":")[1].strip() for line in lines if line.startswith("model name"))
    peer = subprocess.run(["keepassxc-cli", "--version"], capture_output=True, text=True)
    return (f"{date.today()}, {os.cpu_count()} processors ({model}), Linux {platform.release()}, "
            f"keepassxc-cli {peer.stdout.strip()}")


def main() -> int:
    parser = argparse.ArgumentParser(prog="scripts/bench", description=__doc__)
    parser.add_argument("rows", nargs="*", metavar="ROW", help="rows to run; all where none is named")
    parser.add_argument("--build", type=Path, required=True, help="where the release programs are")
    parser.add_argument("--folder", type=Path, required=True, help="where vaults are made and kept")
    parser.add_argument("--list", action="store_true", help="list the rows, run none")
    arguments = parser.parse_args()
    if arguments.list:
        for name, (what, _) in ROWS.items():
            print(f"{name:6} {what}")
        return 0
    unknown = [name for name in arguments.rows if name not in ROWS]
    if unknown:
        parser.error(f"no such row: {', '.join(unknown)}; --list tells the rows")
    bench = Bench(arguments.folder, arguments.build)
    print(machine())
    print("Ours: direct I/O, the wiping request loop and sealed values on.")
    print("CPU: the same ratio of CPU time, where that of both sides can be told.\n")
    print(HEAD)
    print("| --- " * 9 + "|")
    failed = 0
    for name in arguments.rows or ROWS:
        what, measure = ROWS[name]
        try:
            for figure in measure(bench):
                print(f"| {name} | {what} | {figure.what} | {figure.ours} | {figure.peer} | "
                      f"{figure.ratio:.2f} | {figure.cpu_text} | {figure.wanted} | "
                      f"{figure.reached} |", flush=True)
        except (OSError, RuntimeError, subprocess.CalledProcessError) as error:
            failed += 1
            print(f"{name}: could not be measured: {error}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
