"""The project with mutants: one build contains many, each behind a condition that is true while a file holds its number."""

import collections
import json
import os
import pathlib
import re
import subprocess

ROOT = pathlib.Path(__file__).parents[3]
FOLDER = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target")).absolute() / "mutants"
SOURCE, SELECTED, REACHED = FOLDER / "source", FOLDER / "selected", FOLDER / "reached"
SETTINGS = {"CARGO_TARGET_DIR": str(FOLDER / "build"), "CARGO_INCREMENTAL": "0", "CARGO_PROFILE_DEV_DEBUG": "0"}
# While no mutant is selected, the code notes which ones it reaches.
SWITCH = """
extern crate self as shared;

#[allow(missing_docs)]
pub fn mutant(number: usize) -> bool {
    use std::{fs, io::Write, sync::LazyLock, sync::atomic::{AtomicBool, Ordering}};
    static SELECTED: LazyLock<Option<usize>> = LazyLock::new(|| fs::read_to_string("%s").ok()?.parse().ok());
    static REACHED: [AtomicBool; 10_000] = [const { AtomicBool::new(false) }; 10_000];
    if SELECTED.is_none() && !REACHED[number].swap(true, Ordering::Relaxed) {
        let file = fs::OpenOptions::new().create(true).append(true).open("%s");
        let _ = file.and_then(|mut file| file.write_all(format!("{number} ").as_bytes()));
    }
    *SELECTED == Some(number)
}
"""

Program = collections.namedtuple("Program", "path folder")


def build(mutants):
    """Builds a project that contains these mutants, and returns its test programs and the mutants that it contains."""
    left = {number: mutant for number, mutant in mutants.items() if mutant["function"] and not nests(mutant, mutants.values())}
    while True:
        write({file: switched(file, left) for file in {mutant["file"] for mutant in left.values()}})
        programs, errors = compile_tests()
        if programs:
            return programs, left
        failed = set().union(*(numbers_at(*error) for error in errors))
        if not failed:
            raise RuntimeError(f"the project does not compile with mutants: {errors}")
        left = {number: mutant for number, mutant in left.items() if number not in failed}


def build_alone(mutant):
    """Builds the project with this mutant, and returns its test programs; none if it does not compile."""
    text = (ROOT / mutant["file"]).read_text()
    start, end = span(text, mutant)
    write({mutant["file"]: text[:start] + mutant["replacement"] + text[end:]})
    return compile_tests()[0]


def nests(mutant, others):
    """Returns whether the function of a mutant is within the one of another, so that only one of them can be doubled."""
    lines = lambda mutant: (mutant["function"]["span"]["start"]["line"], mutant["function"]["span"]["end"]["line"])
    others = [lines(other) for other in others if other["file"] == mutant["file"] and other["function"]]
    first, last = lines(mutant)
    return any(start < first and last < end for start, end in others)


def span(text, item):
    """Returns where a mutant, or a function, begins and ends in the text of its file."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return tuple(starts[item["span"][end]["line"] - 1] + item["span"][end]["column"] - 1 for end in ("start", "end"))


def switched(file, mutants):
    """Returns the text of a file with those mutants that are of it, each in a copy of its function's body.

    Comments say of which mutants the lines after them are.
    """
    text = original = (ROOT / file).read_text()
    functions = collections.defaultdict(dict)
    for number, mutant in mutants.items():
        if mutant["file"] == file:
            functions[span(text, mutant["function"])][number] = span(text, mutant), mutant["replacement"]
    for (start, end), variants in sorted(functions.items(), reverse=True):
        body = start + re.match(r"(?:[^{(\[]|\([^{]*?\)|\[[^{]*?\])*", original[start:end]).end()
        branches = ""
        for number, ((first, last), replacement) in variants.items():
            variant = f"{original[body:first]} {replacement} {original[last:end]}"
            branches += f"if ::shared::mutant({number})\n// mutants {number}\n{variant}\nelse "
        mark = f"\n// mutants {' '.join(map(str, variants))}\n"
        text = f"{text[:body]}{{{mark}{branches}{mark}{text[body:end]}}}\n// mutants\n{text[end:]}"
    return text


def write(changed):
    """Writes the project with these texts of files. What stays the same keeps its time, and is not built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "-co", "--exclude-standard"], cwd=ROOT, stdout=subprocess.PIPE, text=True, check=True)
    files = [file for file in listed.stdout.split("\0") if (ROOT / file).is_file()]
    for path in {path for path in SOURCE.rglob("*") if path.is_file()} - {SOURCE / file for file in files}:
        path.unlink()
    for file in files:
        content = changed[file].encode() if file in changed else (ROOT / file).read_bytes()
        if file == "shared/src/lib.rs":
            content += (SWITCH % (SELECTED, REACHED)).encode()
        path = SOURCE / file
        if not path.is_file() or path.read_bytes() != content:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(content)
            path.chmod((ROOT / file).stat().st_mode)


def compile_tests():
    """Builds the tests of what is written, and returns their programs, or none and the files and lines of the errors."""
    command = ["cargo", "test", "--workspace", "--lib", "--bins", "--tests", "--no-run", "--message-format=json"]
    done = subprocess.run(command, cwd=SOURCE, env=os.environ | SETTINGS, capture_output=True, text=True)
    messages = [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]
    if done.returncode == 0:
        artifacts = [item for item in messages if item.get("executable") and item["profile"]["test"]]
        return [Program(item["executable"], pathlib.Path(item["manifest_path"]).parent) for item in artifacts], []
    errors = [item["message"] for item in messages if item["reason"] == "compiler-message" and item["message"]["level"] == "error"]
    places = [place for error in errors for place in error["spans"] if place["is_primary"]]
    return [], [(place["file_name"], place["line_start"]) for place in places]


def numbers_at(file, line):
    """Returns the mutants that a line is of."""
    lines = (SOURCE / file).read_text().splitlines()[:line]
    marks = [line for line in lines if line.startswith("// mutants")]
    return set(map(int, marks[-1].split()[2:])) if marks else set()
