"""How the cost of opening and saving grows with what a vault holds; no peers, no goals."""

from .measuring import in_turn, median, resident_megabytes
from .rows import Figure, row, seconds
from .saving import saved

# Each beside a thousand entries, a tenth of them with three old versions.
USUAL = "cheap", 1000
SAVES = 8
LARGER = {
    "10 entries": ("cheap", 10),
    "10,000 entries": ("cheap", 10_000),
    "100,000 entries": ("cheap", 100_000),
    "10 old versions an entry": ("history-10", 1000),
    "100 old versions an entry": ("history-100", 1000),
    "10 KiB attached to an entry": ("attached-10K", 1000),
    "100 KiB attached to an entry": ("attached-100K", 1000),
}


def cost(bench, kind: str, entries: int) -> dict[str, float]:
    """CPU seconds and megabytes."""
    vault = bench.vault(entries, kind)
    (opened,) = in_turn(bench.cat(vault), runs=5)
    with bench.mounted(bench.copy(vault)) as (place, pid):
        # The mean: the kernel tells a process' time in ticks of 10 ms.
        save = sum(saved(place, pid, number).cpu for number in range(SAVES)) / SAVES
        resident = resident_megabytes(pid)
    return {
        "file": vault.stat().st_size / 1e6, "open, CPU": median(run.cpu for run in opened),
        "open, peak memory": median(run.peak for run in opened), "save, CPU": save,
        "mounted and saved, resident": resident}


@row("growth", "beside 1,000 entries")
def growth(bench):
    usual = cost(bench, *USUAL)
    for what, (kind, entries) in LARGER.items():
        for name, figure in cost(bench, kind, entries).items():
            text = seconds if name.endswith("CPU") else lambda value: f"{value:.1f} MB"
            yield Figure(f"{what}: {name}", text(figure), text(usual[name]), figure / usual[name])
