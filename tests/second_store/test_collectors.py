"""Runs examples/collector.* over a served data folder and over moto: what they write is what an import of the
same events writes, and nothing is found in it.
"""

import json
import random
import shutil
import subprocess
import sys
import tempfile
import unittest
import urllib.request
from pathlib import Path

from stores import ROOT, moto, served

HERE = Path(__file__).parent
PERIOD = "startDate=2026-01-01&endDate=2026-03-01"


def line(event):
    return json.dumps(event) + "\n"


def events(everyone_is_known):
    """Returns displays, ratings and dismissals in their order, as a page sends them, one a line."""
    dice = random.Random(0)
    for n in range(60):
        at = f"2026-{1 + n // 30:02}-{1 + n % 30 // 3:02}T08:30:{n % 60:02}.5Z"
        known = {"id": f"record-{n % 20}", "userId": f"u{n % 20}", "email": f"u{n % 20}@example.com"}
        known |= {"name": None, "createdAt": "2025-12-01T10:00:00+02:00"}
        known["traits"] = {"plan": dice.choice(["free", "pro"]), "seats": n % 7 + 0.5, "tags": ["a", None]}
        display = {"id": f"display {n} é", "created": at}
        yield line(display | ({"user": known} if n % 10 or everyone_is_known else {}))
        outcome = n % 4
        if outcome == 1:
            yield line(display | {"dismissed": True})
        elif outcome:
            yield line(display | {"rating": n % 11})


def figures(store, project, key):
    """Returns the figures of the project: in groups, filtered, and of the newest record of each person."""
    for parameters in ["groupBy=user.traits.string.plan", "filter=seats=number.gte:3", "respondents=latest"]:
        address = f"{store.api}/api/v2/response-statistics?project={project}&{PERIOD}&{parameters}"
        request = urllib.request.Request(address, headers={"AuthKey": key})
        with urllib.request.urlopen(request, timeout=60) as response:
            yield [element["attributes"] for element in json.load(response)["data"]]


class Collectors(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        # Node finds the SDK beside the example alone.
        for file in ["package.json", "package-lock.json"]:
            shutil.copy(HERE / file, folder.name)
        shutil.copy(ROOT / "examples/collector.mjs", folder.name)
        install = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
        subprocess.run(install, cwd=folder.name, check=True)
        cls.collectors = {"python": [sys.executable, ROOT / "examples/collector.py"]}
        cls.collectors["node"] = ["node", f"{folder.name}/collector.mjs"]

    def collect(self, store, project, lines):
        result = store.run(*self.collectors[project], project, input="".join(lines), timeout=300)
        self.assertEqual((result.returncode, result.stdout, result.stderr), (0, "", ""))

    def exports(self, store, project):
        exported = lambda kind: store.feedback(f"export {kind} --project {project}")
        return [sorted(exported(kind).splitlines()) for kind in ("responses", "users")]

    def test_both_write_what_an_import_writes_and_a_later_import_changes_nothing(self):
        # moto fails at the update of a key alone, which is what a display to nobody who is known takes.
        for start, users in ((served, 18), (moto, 20)):
            lines = list(events(everyone_is_known=start is moto))
            with self.subTest(start.__name__), start() as store:
                for project in self.collectors:
                    self.collect(store, project, lines)
                    # What is sent again, alone and late, changes nothing.
                    self.collect(store, project, lines[:40])
                store.feedback("import responses - --project imported", input="".join(lines))
                imported = self.exports(store, "imported")
                self.assertEqual([len(exported) for exported in imported], [60, users])
                for project in self.collectors:
                    self.assertEqual(self.exports(store, project), imported, project)
                found = store.feedback("check")
                checked = f"responses: 180 checked\nusers: {3 * users} checked\ncredentials: 0 checked\n"
                self.assertEqual(found, checked)
                for project in self.collectors:
                    store.feedback(f"import responses - --project {project}", input="".join(lines))
                    self.assertEqual(self.exports(store, project), imported, project)

    def test_the_figures_of_both_are_the_same(self):
        with served() as store:
            found = []
            for project in self.collectors:
                self.collect(store, project, events(everyone_is_known=False))
                key = f"read-key-of-{project}-000000000000"
                create = f"credentials create --project {project} --may statistics --secret-stdin"
                store.feedback(create, input=key)
                found.append(list(figures(store, project, key)))
            self.assertEqual(found[0], found[1])
            by_plan = found[0][0]
            self.assertEqual(sum(group["displays"] for group in by_plan), 60)
            self.assertEqual(sum(group["responses"] for group in by_plan), 30)

    def test_the_facts_of_the_latest_event_stay_and_later_ones_win_over_an_import(self):
        def event(day, **facts):
            created = f"2026-01-0{day}T00:00:00Z"
            return {"id": f"of day {day}", "created": created, "rating": 9, "user": {"userId": "u"} | facts}

        first, second = event(1, email="first@example.com"), event(2, email="second@example.com", name="U")
        last = event(3, email="last@example.com")
        listed = {"userId": "u", "lastSeen": "2026-01-01T12:00:00Z", "email": "listed@example.com", "name": "Listed"}
        for project in self.collectors:
            with self.subTest(project), served() as store:
                store.feedback(f"import responses - --project {project}", input=json.dumps(second))
                store.feedback(f"import users - --project {project}", input=json.dumps(listed))
                self.collect(store, project, [line(last), line(first)])
                [user] = self.exports(store, project)[1]
                user = json.loads(user)
                self.assertEqual((user["email"], user["name"]), ("last@example.com", "U"))
                self.assertEqual(user["created"], "2026-01-02T00:00:00.000Z")
                self.assertEqual(user["lastSeen"], "2026-01-03T00:00:00.000Z")
                # The collector's facts are newer than those of this list.
                store.feedback(f"import users - --project {project}", input=json.dumps(listed))
                [again] = self.exports(store, project)[1]
                self.assertEqual(json.loads(again), user)
