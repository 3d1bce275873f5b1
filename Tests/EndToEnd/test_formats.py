"""Which formats are mounted for writing, and as what they are saved."""

from __future__ import annotations

import errno

import pytest
from support import fixtures, kdbx, programs

PASSWORD = "formats"


def make_vault(folder, version, signature=kdbx.SIGNATURE, cipher="aes"):
    content = fixtures.Content("Formats")
    content.root.append(
        content.entry("GitHub", "2024-01-02 08:00:00", fields={"Password": "first"}))
    path = folder / "vaults" / "vault.kdbx"
    recipe = kdbx.Recipe(version=version, cipher=cipher)
    # The header's hash in the document is of KDBX 3.1 and later.
    path.write_bytes(kdbx.write(content.tree(), recipe, PASSWORD, signature=signature))
    return path


@pytest.mark.parametrize("version", [(2, 0), (2, 4), (3, 0), (3, 1), (4, 0), (4, 1)], ids=str)
def test_a_known_format_is_saved_as_it_was(folder, place, version):
    vault = make_vault(folder, version)
    mounted = programs.mount(vault, place, password=PASSWORD)
    assert mounted.said == ""
    (place / "GitHub/password").write_text("second")
    mounted.unmount()
    saved = kdbx.read(vault.read_bytes(), PASSWORD)
    assert saved.header.version == version
    values = [value.text for value in saved.tree.iterfind("Root/Group/Entry/String/Value")]
    assert "second" in values


@pytest.mark.parametrize("version", [(3, 2), (4, 2), (4, 9), (1, 2)], ids=str)
def test_what_could_lose_something_is_mounted_read_only(folder, place, version):
    vault = make_vault(folder, version)
    before = vault.read_bytes()
    mounted = programs.mount(vault, place, password=PASSWORD)
    assert f"format version {version[0]}.{version[1]}" in mounted.said
    assert "read-only" in mounted.said
    assert (place / "GitHub/password").read_text() == "first"
    with pytest.raises(OSError) as caught:
        (place / "GitHub/password").write_text("second")
    assert caught.value.errno == errno.EROFS
    mounted.unmount()
    assert vault.read_bytes() == before


def test_the_signature_before_the_release_is_read_only(folder, place):
    vault = make_vault(folder, (3, 0), signature=bytes.fromhex("03d9a29a66fb4bb5"))
    mounted = programs.mount(vault, place, "--ro", password=PASSWORD)
    # Who asked for it need not be told.
    assert mounted.said == ""
    mounted.unmount()
    mounted = programs.mount(vault, place, password=PASSWORD)
    assert "before its release: mounted read-only" in mounted.said
    mounted.unmount()


def test_a_newer_major_version_is_refused(folder, place):
    vault = folder / "vaults" / "vault.kdbx"
    vault.write_bytes(kdbx.SIGNATURE + bytes.fromhex("00000500") + bytes(200))
    done = programs.run(vault, place, password=PASSWORD)
    assert done.code == 23 and "version 5.0" in done.err


# What a machine may have for all programs that use OpenSSL; each leaves no ChaCha20, the first no hash either.
CONFIGURATIONS = {
    "no-provider": "providers = providers\n[providers]\nbase = base\n[base]\nactivate = 1\n",
    "fips-only": "alg_section = algorithms\n[algorithms]\ndefault_properties = fips=yes\n",
}


@pytest.mark.parametrize("cipher", ["aes", "chacha20"])
@pytest.mark.parametrize("name", CONFIGURATIONS)
def test_no_configuration_of_openssl_takes_a_cipher_away(folder, place, name, cipher):
    configuration = folder / "openssl.cnf"
    configuration.write_text(f"openssl_conf = start\n[start]\n{CONFIGURATIONS[name]}")
    vault = make_vault(folder, (4, 0), cipher=cipher)
    mounted = programs.mount(vault, place, password=PASSWORD,
                             env={"OPENSSL_CONF": str(configuration)})
    assert (place / "GitHub/password").read_text() == "first"
    (place / "GitHub/password").write_text("second")
    mounted.unmount()
    saved = kdbx.read(vault.read_bytes(), PASSWORD)
    values = [value.text for value in saved.tree.iterfind("Root/Group/Entry/String/Value")]
    assert "second" in values
