"""Pastes the commands of documents into a shell, one after the other, and compares what they print with what stands there.

README.md begins in a clean copy of the repository, with the program that `cargo test` has built; the sections of docs/import.md, where
README.md begins to use it. In an output, … stands for any lines.
A command that serves runs as in a terminal of its own, instead of the one before. A block whose info string says what it needs
(```sh needs-account) is left out. The commands use the ports that stand in the documents, in a network of their own where the system
allows that.
"""

import fcntl
import json
import os
import pty
import re
import shutil
import signal
import struct
import subprocess
import tempfile
import termios
import threading
import time
import unittest
from pathlib import Path

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text()
PROGRAM = ROOT / "target/debug/feedback"
BLOCK = re.compile(r"^```(\S*) ?(\S*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
# What it would build is built.
CARGO = """#!/bin/sh
case "$*" in
"install --locked --path crates/cli") ln -s "$PWD/target/debug/feedback" "${0%/*}/" ;;
*) echo "cargo $*" >&2; exit 1 ;;
esac
"""
SERVES = re.compile(r"^feedback serve\b[^#\n]*", re.MULTILINE)
SERVE = """{ [ -z "${served:-}" ] || kill $served; } && wait
%s& served=$!
for n in $(seq 100); do target/debug/feedback health >/dev/null 2>&1 && break; sleep 0.1; done; target/debug/feedback health
"""
OWN_NETWORK = ["unshare", "--user", "--map-root-user", "--net"]
OWN_NETWORK += ["sh", "-c", "ip link set lo up && exec \"$@\"", "sh"]
# What clears a line, as progress does, and the line before it.
CLEARED = re.compile(r"[^\n]*\x1b\[2K")
# Of what is created in a run.
CREATED = [
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}"), "REQUEST"),
    (re.compile(r"^([0-9a-f]{8})( .*)\d{4}-\d\d-\d\dT\S+Z", re.MULTILINE), r"\1\2TIME"),
]


def blocks(text):
    """Returns the commands to run, each with the kind and the text of the output that stands after them, or None."""
    found = list(BLOCK.finditer(text))
    for block, following in zip(found, [*found[1:], None]):
        language, needs, commands = block.groups()
        if language == "sh" and not needs:
            follows = following and not block.string[block.end() : following.start()].strip()
            yield commands, (following[1], following[3]) if follows and following[1] != "sh" else None


def parts(document):
    """Yields the document and each value within it."""
    yield document
    values = document.values() if isinstance(document, dict) else document if isinstance(document, list) else ()
    for value in values:
        yield from parts(value)


def comparable(text):
    text = CLEARED.sub("", text)
    for pattern, replacement in CREATED:
        text = pattern.sub(replacement, text)
    return text.strip()


class Terminal:
    """A terminal of 80 columns. What a command leaves running writes to the terminal that it was started in."""

    END = b"\1"

    def __init__(self):
        self.ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, 80, 0, 0))
        self.name = os.ttyname(theirs)
        # Open as long as the test, because a terminal that nothing holds ends.
        self.theirs = theirs
        self.shown = b""
        threading.Thread(target=self.read, daemon=True).start()

    def read(self):
        while True:
            self.shown += os.read(self.ours, 65536)

    def text(self):
        deadline = time.monotonic() + 10
        while self.END not in self.shown and time.monotonic() < deadline:
            time.sleep(0.01)
        return self.shown.split(self.END)[0].decode().replace("\r\n", "\n")


class Shell:
    def __init__(self, folder):
        programs = folder / "programs"
        programs.mkdir()
        (programs / "cargo").write_text(CARGO)
        (programs / "cargo").chmod(0o755)
        isolated = subprocess.run([*OWN_NETWORK, "true"], stderr=subprocess.DEVNULL).returncode == 0
        settings = ("AWS_", "FEEDBACK_", "CLICOLOR")
        environment = {name: value for name, value in os.environ.items() if not name.startswith(settings)}
        self.folder = folder
        environment |= {"PATH": f"{programs}:{environment['PATH']}", "NO_COLOR": "1"}
        command = [*(OWN_NETWORK if isolated else []), "bash"]
        pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "text": True, "process_group": 0}
        copy = clean_copy(folder / "repository")
        self.process = subprocess.Popen(command, cwd=copy, env=environment, **pipes)
        self.send("exec 3>&1; trap 'echo $? >&3' EXIT; set -e -o pipefail")

    def send(self, line):
        print(line, file=self.process.stdin, flush=True)

    def run(self, commands):
        """Returns the exit code of the commands, and what they show."""
        terminal = Terminal()
        script = self.folder / "script"
        script.write_text(SERVES.sub(lambda match: SERVE % match[0], commands))
        self.send(f"exec >{terminal.name} 2>&1; source {script} </dev/null; printf '\\1'; echo 0 >&3")
        watchdog = threading.Timer(120, self.end)
        watchdog.start()
        code = self.process.stdout.readline().strip()
        watchdog.cancel()
        return code, terminal.text() if code == "0" else terminal.shown.decode()

    def end(self):
        os.killpg(self.process.pid, signal.SIGKILL)


def clean_copy(folder):
    """Copies the files of the repository, with the built program in its place."""
    subprocess.run(["git", "init", "--quiet", folder], check=True)
    names = subprocess.check_output(["git", "ls-files", "-z"], cwd=ROOT, text=True)
    for name in names.split("\0")[:-1]:
        if (ROOT / name).is_file():
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copy(ROOT / name, folder / name)
    subprocess.run(["git", "add", "--all"], cwd=folder, check=True)
    built = folder / "target/debug"
    built.mkdir(parents=True)
    (built / "feedback").symlink_to(PROGRAM)
    return folder


class Documents(unittest.TestCase):
    maxDiff = None

    def paste(self, pasted, least):
        """Runs the commands of these blocks; returns the files that they leave behind and that git would add."""
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(Path(folder))
            self.addCleanup(shell.process.stdout.close)
            try:
                compared = 0
                for commands, output in pasted:
                    code, shown = shell.run(commands)
                    self.assertEqual(code, "0", f"{commands}\n{shown}")
                    if output:
                        self.compare(shown, *output)
                        compared += 1
                self.assertGreaterEqual(compared, least)
            finally:
                shell.end()
                shell.process.communicate()
            others = ["git", "ls-files", "--others", "--exclude-standard"]
            return subprocess.check_output(others, cwd=f"{folder}/repository", text=True)

    def compare(self, shown, kind, text):
        """Documents may show a part of an answer in JSON."""
        if kind == "json":
            self.assertIn(json.loads(text), list(parts(json.loads(shown[shown.index("{") :]))))
        else:
            shown, text = comparable(shown), comparable(text)
            if not re.fullmatch(".*".join(map(re.escape, text.split("…"))), shown, re.DOTALL):
                self.assertEqual(shown, text)

    def test_the_commands_of_the_readme_work_in_order_and_leave_nothing_that_git_would_add(self):
        self.assertEqual(self.paste(blocks(README), least=2), "")

    def test_the_commands_for_a_warehouse_work_in_order(self):
        self.paste_section("Figures in a warehouse", least=2)

    def test_the_recipes_for_files_of_other_services_work_in_order(self):
        self.paste_section("Moving in from elsewhere", least=3)

    def test_a_file_says_what_the_page_about_imports_shows(self):
        self.paste_section("What a file says", least=2)

    def paste_section(self, heading, least):
        """Runs the commands of a section of docs/import.md."""
        is_needed = lambda commands: "cargo install" in commands or SERVES.search(commands)
        readme = [(commands, None) for commands, _ in blocks(README) if is_needed(commands)]
        _, section = (ROOT / "docs/import.md").read_text().split(f"\n## {heading}\n")
        self.paste([*readme[:2], *blocks(section.split("\n## ")[0])], least)

    def test_the_files_that_architecture_names_exist_and_a_request_is_read_in_28_at_most(self):
        page = (ROOT / "ARCHITECTURE.md").read_text()
        way = page.split("\n## The way of a request\n")[1].split("\n## ")[0]
        named = re.compile(r"`((?:functions|shared|crates|docs|tests|template|data)[\w./-]*/?[\w.-]+)`")
        for path in named.findall(page):
            self.assertTrue((ROOT / path).exists(), path)
        rows = [line for line in way.splitlines() if line.startswith("| ")]
        files = {path for row in rows for path in named.findall(row)}
        self.assertIn(len(files), range(20, 29))

    def test_each_file_with_a_limit_of_time_is_in_the_table_of_architecture(self):
        page = (ROOT / "ARCHITECTURE.md").read_text()
        table = page.split("\n## All time limits\n")[1].split("\n## ")[0]
        limit = re.compile(r"const \w+: Duration|(?:sleep|stop|shutdown_timeout)\(Duration")
        sources = [path for part in ("functions", "shared", "crates") for path in (ROOT / part).glob("**/src/**/*.rs")]
        product = [path for path in sources if path.name != "tests.rs" and "test-support" not in path.parts]
        limited = {path for path in product if limit.search(path.read_text().split("#[cfg(test)]")[0])}
        self.assertGreater(len(limited), 15)
        for path in limited:
            self.assertIn(f"`{path.relative_to(ROOT)}`", table)

    def test_what_is_left_out_needs_something_that_not_everyone_has(self):
        for document in ["README.md", *(ROOT / "docs").glob("*.md")]:
            for language, needs, _ in BLOCK.findall((ROOT / document).read_text()):
                if needs:
                    self.assertEqual(language, "sh")
                    self.assertIn(needs, ["needs-account", "needs-build", "needs-docker", "needs-duckdb", "needs-network"])
