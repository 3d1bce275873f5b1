"""Passwords for those who ask: `askpass` for ssh and sudo, `git-credential` for git."""

from __future__ import annotations

import base64
import http.server
import os
import shlex
import shutil
import subprocess
import tempfile
import threading
from pathlib import Path

import pytest
from conftest import FIXTURES, USUAL
from support import programs
from test_commands_entries import way  # noqa: F401
from test_mount_helper import home, in_namespace  # noqa: F401

PASSWORD = "correct horse battery staple"
PATH = "Internet/GitHub"


def entry(way, path, **fields):
    """Makes an entry, and groups where a mount lets us."""
    if way.mount:
        (way.mount / path).parent.mkdir(parents=True, exist_ok=True)
    way.good("new", path)
    for field, value in fields.items():
        way.good("set", f"{path}/{field}", given=value.encode() + b"\n")


class TestAskpass:
    @pytest.fixture
    def keys(self, way):
        """Entries for logins, and one for a key."""
        for name, url, user, password in (
                ("web", "ssh://web.example.org", "alice", "login"),
                ("web bob", "web.example.org", "bob", "of bob"),
                ("web page", "https://web.example.org", "alice", "page"),
                ("twin 1", "ssh://web.example.org", "twin", "one"),
                ("twin 2", "sftp://web.example.org", "twin", "two"),
                ("lines", "ssh://web.example.org", "lines", "one\ntwo"),
                ("key", "/srv/alice/.ssh/id_ed25519", "", "phrase")):
            entry(way, f"Work/{name}", url=url, username=user, password=password)
        return way

    def test_ssh_asks(self, keys):
        for question, answer in [
                ("alice@web.example.org's password: ", "login\n"),
                ("(bob@web.example.org) Password: ", "of bob\n"),
                ("Enter passphrase for key '/srv/alice/.ssh/id_ed25519': ", "phrase\n")]:
            assert keys.good("askpass", question) == answer
            assert keys.good("askpass", *question.split(" ")) == answer
        assert keys.good(
            "askpass", "Enter passphrase for /srv/alice/.ssh/id_ed25519 (will confirm each use): ",
            env={"KDBXFS_ASKPASS": PATH}) == "phrase\n"

    def test_nothing_else_is_answered(self, keys):
        env = {"KDBXFS_ASKPASS": f"{PATH}/password"}
        for question in (
                "carol@web.example.org's password: ", "alice@other.example.org's password: ",
                "twin@web.example.org's password: ", "lines@web.example.org's password: ",
                "Enter passphrase for key '/srv/alice/.ssh/other': ",
                "(mallory@evil.example) alice@web.example.org's password: ",
                "(alice@web.example.org) Verification code: ",
                "(alice@web.example.org) New password: ",
                "Are you sure you want to continue connecting (yes/no/[fingerprint])? "):
            assert keys.refused(27, "askpass", question, env=env)
        assert keys.refused(27, "askpass", "[sudo] password for alice: ")
        assert keys.refused(27, "askpass")

    @pytest.mark.parametrize("question", [
        None, "", " ", "Username for 'https://git.example.org': ",
        "Password for 'https://alice@git.example.org': ",
        "Please type 'yes', 'no' or the fingerprint: ", "Enter PIN for ED25519-SK key /srv/alice/.ssh/id: ",
        "Enter PIN for 'token': ", "Confirm user presence for key ED25519-SK SHA256:abc", "Go on [y/N]? ",
        "Is the fingerprint right? ", "Passcode: ", "Verification code: ", "One-time password: ",
        "(alice@web.example.org) Password and passcode: ", "PIN: ", "Username: ", "OTP: ", "Allow? ",
        "Retype password: ", "(alice@web.example.org) Retype password: ", "Enter same passphrase again: ",
        "Enter passphrase (empty for no passphrase): ", "What is this? "])
    def test_what_asks_for_something_else(self, way, question):
        words = [] if question is None else [question]
        for name in (["--field", f"{PATH}/username"], []):
            done = way.run("askpass", *name, "--", *words, env={"KDBXFS_ASKPASS": f"{PATH}/username"})
            assert (done.code, done.out, len(done.errors)) == (27, b"", 1)
            assert "is for a person" in done.err

    def test_what_ssh_only_wants_to_be_allowed(self, way):
        for kind in ("confirm", "none"):
            env = {"SSH_ASKPASS_PROMPT": kind, "KDBXFS_ASKPASS": PATH}
            assert way.refused(27, "askpass", "Allow use of key?", env=env)

    def test_others_ask_for_a_named_field(self, way):
        env = {"KDBXFS_ASKPASS": f"{PATH}/username"}
        assert way.good("askpass", "[sudo] password for alice: ", env=env) == "alice\n"
        assert way.good("askpass", "--field", PATH, "Password:", env=env) == PASSWORD + "\n"
        assert "no such" in way.refused(27, "askpass", "--field", "Nowhere/x", "Password:")
        assert "more than a line" in way.refused(27, "askpass", "--field", f"{PATH}/notes", "Password:")

    def test_by_the_name_that_ssh_and_sudo_can_be_told(self, mounted, github, folder):
        """They run a program with nothing but the question, which may begin with a dash."""
        program = folder / "kdbxfs-askpass"
        program.symlink_to(programs.program())
        done = subprocess.run(
            [program, "-v is the password of: "], stdin=subprocess.DEVNULL, capture_output=True, text=True,
            env=os.environ | {"KDBXFS_ASKPASS": str(github)}, timeout=programs.PATIENCE)
        assert (done.returncode, done.stdout, done.stderr) == (0, PASSWORD + "\n", "")

    def test_ssh_add_unlocks_a_key_by_it(self, mounted, folder):
        key, script = folder / "id_test", folder / "askpass"
        subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "phrase two", "-f", key], check=True)
        (mounted / "Work" / "key").mkdir()
        (mounted / "Work" / "key" / "url").write_text(str(key))
        (mounted / "Work" / "key" / "password").write_text("phrase two")
        script.write_text(
            f'#!/bin/sh\nexec {shlex.quote(str(programs.program()))} askpass -m {mounted.place} -- "$@"\n')
        script.chmod(0o755)

        def add(agent):
            return subprocess.run(
                ["ssh-add", key], stdin=subprocess.DEVNULL, capture_output=True, text=True,
                start_new_session=True, timeout=programs.PATIENCE,
                env=os.environ | {"SSH_AUTH_SOCK": str(agent), "SSH_ASKPASS": str(script),
                                  "SSH_ASKPASS_REQUIRE": "force"})

        # A socket's path may have 107 bytes.
        with (tempfile.TemporaryDirectory(prefix="kdbxfs-agent-") as place,
              subprocess.Popen(["ssh-agent", "-D", "-a", f"{place}/agent"],
                               stdout=subprocess.DEVNULL) as process):
            try:
                agent = Path(place) / "agent"
                programs.wait_until(agent.exists, "the agent listens")
                done = add(agent)
                assert done.returncode == 0 and "Identity added" in done.stderr, done.stderr
                # A wrong one ends it, instead of being given again and again.
                (mounted / "Work" / "key" / "password").write_text("another")
                assert add(agent).returncode != 0
            finally:
                process.terminate()

    @pytest.mark.skipif(os.getuid() != 0, reason="only root gives another user a password")
    def test_sudo_lets_a_user_in_by_it(self, home):
        """sudo itself, for the user nobody, whose password is the vault's while the test's namespace lasts."""
        done = in_namespace(f"""
            mkdir "$1/program"
            mount --bind {shlex.quote(str(programs.program().parent))} "$1/program"
            ln -s program/{programs.program().name} "$1/kdbxfs-askpass"
            mount -t kdbxfs -o setuid=nobody,passfile="$1/pw" "$1/vaults/vault.kdbx" "$1/mnt"
            hash=$(as_nobody cat "$1/mnt/Internet/GitHub/password" | openssl passwd -6 -stdin)
            sed "s|^nobody:[^:]*|nobody:$hash|" /etc/shadow > "$1/shadow"
            printf '%s\n' 'Defaults passwd_tries=1' 'nobody ALL=(ALL) ALL' > "$1/sudoers"
            chown root:shadow "$1/shadow"
            chmod 640 "$1/shadow"
            chmod 440 "$1/sudoers"
            mount --bind "$1/shadow" /etc/shadow
            mount --bind "$1/sudoers" /etc/sudoers
            as_root() {{
              as_nobody env SUDO_ASKPASS="$1/kdbxfs-askpass" KDBXFS_ASKPASS="$2" sudo -k -A id -u
            }}
            as_root "$1" "$1/mnt/Internet/GitHub"
            # Another entry's password is a wrong one, and a missing one none.
            ! as_root "$1" "$1/mnt/Internet/Mail"
            ! as_root "$1" "$1/mnt/Internet/Nowhere"
            umount "$1/mnt"
            ended
            """, home)
        assert (done.returncode, done.stdout) == (0, "0\n"), done.stderr
        assert "no such" in done.stderr


def ask(way, operation, text="", code=0, **keys) -> tuple[str, str]:
    """What git's helper is told on its standard input; gives what it says on both streams."""
    text = text or "".join(f"{key}={value}\n" for key, value in keys.items()) + "\n"
    done = way.run("git-credential", operation, given=text.encode())
    assert done.code == code, done.err
    return done.out.decode(), done.err


class TestGitCredential:
    def test_get(self, way):
        site = {"protocol": "https", "host": "git.example.org"}
        for name, url, user, password in (
                ("one", "https://git.example.org", "ann", "first"),
                ("deep", "https://git.example.org/team%20a/", "team", "second"),
                ("port", "https://git.example.org:8443/", "port", "third"),
                ("bare", "other.example.org", "", "fourth")):
            entry(way, f"Work/{name}", url=url, username=user, password=password)

        def get(**keys):
            return ask(way, "get", **(site | keys))

        ann, team = ("username=ann\npassword=first\n", ""), ("username=team\npassword=second\n", "")
        assert get() == ann and get(username="ann") == ann
        assert get(path="team a/repo.git") == team and get(username="team") == team
        assert get(path="team ab/repo.git") == ann
        assert get(path="team a/repo.git", username="ann") == ann
        assert get(host="git.example.org:8443") == ("username=port\npassword=third\n", "")
        assert get(host="GIT.example.org:443") == ann
        # An entry that names no user is good for any.
        assert get(host="other.example.org", username="bob") == ("password=fourth\n", "")
        for other in ({"host": "example.org"}, {"host": "evilgit.example.org"}, {"protocol": "http"},
                      {"host": "git.example.org.evil.org"}, {"username": "bob"}, {"host": ""},
                      {"host": "evil.org/git.example.org"}, {"host": "x@git.example.org"}):
            assert get(**other) == ("", ""), other

    def test_several_users(self, way):
        for user in ("ann", "bob"):
            entry(way, f"Work/{user}", url="https://git.example.org", username=user, password=user)
        site = {"protocol": "https", "host": "git.example.org"}
        assert ask(way, "get", **site, username="bob") == ("username=bob\npassword=bob\n", "")
        out, err = ask(way, "get", **site)
        assert out == "" and "2 users for 'git.example.org'" in err
        assert "credential.https://git.example.org.username NAME" in err

    def test_a_value_is_never_another_key(self, way):
        entry(way, "Work/two", url="https://git.example.org", username="ann", password="a\nhost=evil\nb")
        assert ask(way, "get", protocol="https", host="git.example.org") == ("", "")

    def test_store_and_erase(self, way):
        site = {"protocol": "https", "host": "git.example.org"}
        ann = site | {"username": "ann"}

        def get(**keys):
            return ask(way, "get", **keys)[0].partition("password=")[2].strip()

        def found():
            return sorted(way.run("match", "git.example.org").out.decode().splitlines())

        ask(way, "store", **ann, password="first")
        ask(way, "store", **site, username="bob", password="other")
        ask(way, "store", **ann, password="second")
        assert found() == ["Git/git.example.org", "Git/git.example.org (bob)"]
        assert (get(**ann), get(**site, username="bob")) == ("second", "other")
        # Another path is another entry, unless what is kept fits it.
        ask(way, "store", **ann, path="team/repo.git", password="second")
        assert len(found()) == 2
        ask(way, "store", **ann, path="team/repo.git", password="third")
        assert found()[1] == "Git/git.example.org (ann)"
        assert (get(**ann), get(**ann, path="team/repo.git")) == ("second", "third")
        # What is refused is not what the vault has now.
        ask(way, "erase", **ann, password="first")
        assert len(found()) == 3
        ask(way, "erase", **ann, password="second")
        assert found() == ["Git/git.example.org (ann)", "Git/git.example.org (bob)"]
        ask(way, "erase", **site, username="bob")
        ask(way, "erase", **ann, password="third")
        assert found() == []
        assert way.good("restore", "--to", "Git", "Recycle Bin/git.example.org") == "Git/git.example.org\n"

    def test_what_a_person_keeps_is_never_changed(self, way):
        ask(way, "store", protocol="https", host="github.com", username="alice", password="token")
        assert ask(way, "get", protocol="https", host="github.com", username="alice")[0] == (
            "username=alice\npassword=token\n")
        _, err = ask(way, "erase", protocol="https", host="github.com", username="alice",
                     password=PASSWORD)
        assert f"'{PATH}' was refused; it is kept" in err
        ask(way, "erase", protocol="https", host="github.com")
        assert ask(way, "get", protocol="https", host="github.com")[0] == (
            f"username=alice\npassword={PASSWORD}\n")

    def test_what_means_nothing(self, way, before):
        site = {"protocol": "https", "host": "x.example.org"}
        assert ask(way, "frob", **site) == ("", "")
        assert ask(way, "get", text="capability[]=authtype\nhost=x\n\n") == ("", "")
        for keys in ({}, {"username": "a"}, {"password": "b"}, {"username": "", "password": "b"},
                     {"username": "a", "password": ""}):
            assert ask(way, "store", **site, **keys) == ("", "")
        _, err = ask(way, "store", code=24, **site, username="a", password="b\1")
        assert "can't hold" in err
        way.finish()
        before.expect_untouched()

    def test_a_locked_vault_is_said(self, mounted):
        assert programs.run("lock", mounted.place).code == 0
        done = programs.run("git-credential", "-m", mounted.place, "get",
                            password=b"protocol=https\nhost=github.com\n\n")
        assert done.code == 20 and done.out == b"" and "locked" in done.errors[0]
        assert programs.run("unlock", mounted.place, password="fixture").code == 0


class GitServer(http.server.BaseHTTPRequestHandler):
    """`git http-backend` for who knows the password."""

    def do_GET(self):
        wanted = "Basic " + base64.b64encode(self.server.credential.encode()).decode()
        if self.headers.get("Authorization") != wanted:
            self.send_response(401)
            self.send_header("WWW-Authenticate", 'Basic realm="git"')
            self.send_header("Content-Length", "0")
            self.end_headers()
            return
        path, _, query = self.path.partition("?")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        done = subprocess.run(
            ["git", "http-backend"], input=body, stdout=subprocess.PIPE, check=True,
            env=os.environ | {
                "GIT_PROJECT_ROOT": str(self.server.root), "GIT_HTTP_EXPORT_ALL": "1",
                "REQUEST_METHOD": self.command, "PATH_INFO": path, "QUERY_STRING": query,
                "REMOTE_USER": "ann", "CONTENT_TYPE": self.headers.get("Content-Type", ""),
                "CONTENT_LENGTH": str(len(body)),
                "HTTP_CONTENT_ENCODING": self.headers.get("Content-Encoding", "")})
        head, _, answer = done.stdout.partition(b"\r\n\r\n")
        self.send_response(200)
        for line in head.decode().split("\r\n"):
            self.send_header(*line.split(": ", 1))
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    do_POST = do_GET

    def log_message(self, *arguments):
        pass


class Git:
    """git with a home of its own, and the helper that its configuration names."""

    def __init__(self, folder, mount):
        self.folder = folder
        (folder / "bin").mkdir()
        (folder / "bin" / "git-credential-kdbxfs").symlink_to(programs.program())
        (folder / ".gitconfig").write_text(
            f"[credential]\nhelper = kdbxfs -m {mount.place}\n"
            "[user]\nname = Ann\nemail = ann@example.org\n[init]\ndefaultBranch = main\n")

    def __call__(self, *words, given="", **env):
        return subprocess.run(
            ["git", *words], input=given, capture_output=True, text=True, timeout=programs.PATIENCE,
            start_new_session=True, cwd=self.folder,
            env=os.environ | {
                "GIT_TERMINAL_PROMPT": "0", "GIT_CONFIG_NOSYSTEM": "1", "HOME": str(self.folder),
                "PATH": f"{self.folder / 'bin'}:{os.environ['PATH']}", "GIT_ASKPASS": "/bin/false",
                "XDG_CONFIG_HOME": str(self.folder)} | env)


class TestGitItself:
    @pytest.fixture
    def git(self, folder, mounted):
        return Git(folder, mounted)

    def test_fill_approve_and_reject(self, git, mounted):
        asked = "url=https://ann@git.example.org/repo.git\n\n"
        assert git("credential", "fill", given=asked).returncode != 0
        known = asked.replace("\n\n", "\npassword=token\n\n")
        assert git("credential", "approve", given=known).returncode == 0
        assert os.listdir(mounted / "Git") == ["git.example.org"]
        done = git("credential", "fill", given=asked)
        assert done.returncode == 0 and "password=token\n" in done.stdout, done.stderr
        assert git("credential", "reject", given=known).returncode == 0
        assert os.listdir(mounted / "Git") == []
        assert git("credential", "fill", given=asked).returncode != 0

    def test_a_name_says_which_of_two_vaults(self, git, mounted, folder):
        (folder / "two").mkdir()
        shutil.copy(FIXTURES / USUAL, folder / "vaults/two.kdbx")
        (folder / "kdbxfs").mkdir()
        (folder / "kdbxfs/second.conf").write_text(
            f"vault = {folder}/vaults/two.kdbx\nmountpoint = {folder}/two\n")
        config = folder / ".gitconfig"
        config.write_text(config.read_text().replace(f"-m {mounted.place}", "-m second"))
        second = programs.mount(folder / "vaults/two.kdbx", folder / "two", password="fixture")
        known = "url=https://ann@git.example.org\npassword=token\n\n"
        assert git("credential", "approve", given=known).returncode == 0
        assert os.listdir(second / "Git") == ["git.example.org"] and not (mounted / "Git").exists()
        done = git("credential", "fill", given="url=https://git.example.org\n\n")
        assert "username=ann\npassword=token\n" in done.stdout, done.stderr
        # A question of ssh's says no vault.
        done = programs.run("askpass", "alice@web.example.org's password: ")
        assert done.code == 1 and "vaults are mounted" in done.errors[0]
        second.unmount()

    def test_push(self, git, mounted, folder):
        (folder / "served").mkdir()
        assert git("init", "-q", "--bare", "served/repo.git").returncode == 0
        assert git("-C", "served/repo.git", "config", "http.receivepack", "true").returncode == 0
        assert git("init", "-q", "work").returncode == 0
        assert git("-C", "work", "commit", "-q", "--allow-empty", "-m", "first").returncode == 0
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), GitServer) as server:
            server.credential, server.root = "ann:token", folder / "served"
            thread = threading.Thread(target=server.serve_forever)
            thread.start()
            try:
                self.push(git, mounted, folder, server)
            finally:
                server.shutdown()
                thread.join()

    def push(self, git, mounted, folder, server):
        url = f"http://127.0.0.1:{server.server_port}/repo.git"
        # What a person types once ...
        asked = folder / "asked"
        asked.write_text('#!/bin/sh\ncase $1 in User*) echo ann ;; *) echo token ;; esac\n')
        asked.chmod(0o755)
        done = git("-C", "work", "push", "-q", url, "main", GIT_ASKPASS=str(asked))
        assert done.returncode == 0, done.stderr
        (name,) = os.listdir(mounted / "Git")
        assert (mounted / "Git" / name / "password").read_text() == "token"
        # ... is never asked for again,
        assert git("-C", "work", "commit", "-q", "--allow-empty", "-m", "second").returncode == 0
        done = git("-C", "work", "push", "-q", url, "main")
        assert done.returncode == 0, done.stderr
        heads = [git("-C", place, "rev-parse", "main").stdout for place in ("work", "served/repo.git")]
        assert heads[0] == heads[1] and len(heads[0]) == 41
        # until it is refused.
        server.credential = "ann:another"
        assert git("-C", "work", "push", "-q", url, "main").returncode != 0
        assert os.listdir(mounted / "Git") == []
