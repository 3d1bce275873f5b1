"""Each call of the kernel's FUSE interface, by the system calls that lead to it."""

import re

import pytest
from support import calls, methods, programs
from support.judges import Witness


@pytest.mark.parametrize("call", calls.CALLS, ids=lambda call: call.name)
def test_call(call, folder, place, record_property):
    record_property("conformance", ["calls", call.name, ""])
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes(methods.vault_bytes())
    log = methods.RequestLog(folder / "requests.log")
    mount = programs.mount(vault, place, "-d", "-o", "autosave=0", password="pw", front=True,
                           log=log.path)
    results = call.tries(place / "a field")
    assert [found for found, _ in results] == [wanted for _, wanted in results]
    if call.seen:
        # Nobody waits for a RELEASE.
        programs.wait_until(
            lambda: call.name in {request.split("|")[0] for request in log.since(0)}, call.name, 20)
    mount.unmount()
    Witness(vault, "pw")


def test_every_call_of_the_kernel_is_in_the_table():
    """The table has what `linux/fuse.h` of this machine has."""
    from pathlib import Path

    header = Path("/usr/include/linux/fuse.h")
    if not header.exists():
        pytest.skip("no linux/fuse.h: the kernel's headers (linux-libc-dev) aren't there")
    known = set(re.findall(r"^\tFUSE_([A-Z0-9_]+)\s+= \d+,", header.read_text(), re.M))
    opcodes = set(re.findall(r"enum fuse_opcode \{(.*?)\};", header.read_text(), re.S)[0].split())
    wanted = {name for name in known if f"FUSE_{name}" in opcodes and "RESERVED" not in name}
    assert wanted - {call.name for call in calls.CALLS} == set()


class TestRequestLog:
    def test_it_has_names_and_no_content(self, vault, before, place, folder):
        log = folder / "log"
        mount = programs.mount(vault, place, "-d", "-o", "autosave=0", password="fixture",
                               front=True, log=log)
        entry = mount / "Internet" / "GitHub"
        value = (entry / "password").read_text()
        (entry / "url").write_text("https://secret.example")
        assert not (entry / "nothing").exists()
        mount.unmount()
        said = log.read_text()
        assert re.search(r"^kdbxfs: \d+ LOOKUP \d+ 'password'$", said, re.M)
        number = re.search(r"^kdbxfs: (\d+) LOOKUP \d+ 'nothing'$", said, re.M)[1]
        assert f"kdbxfs: {number} failed: No such file or directory\n" in said
        number = re.search(r"^kdbxfs: (\d+) WRITE \d+ 22 at 0$", said, re.M)[1]
        assert f"kdbxfs: {number} done\n" in said
        assert value not in said and "secret.example" not in said and "fixture" not in said

    def test_there_is_none_without_the_option(self, vault, before, place):
        mount = programs.mount(vault, place, "-o", "autosave=0", password="fixture", front=True)
        assert (mount / "Internet").exists()
        mount.unmount()
        assert mount.said == ""
