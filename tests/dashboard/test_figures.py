"""The figures on the page are the API's."""

import random
from datetime import date, timedelta

from playwright.sync_api import expect

from support import Case, ask, cells, decimal, demo, interval as range_of

ZONES = ["UTC", "Europe/Prague", "America/St_Johns", "Asia/Kathmandu", "Pacific/Auckland"]
FILTERS = ["cabin=eq:Economy", "country=ne:Finland", "airline=contains:air", "aircraft=ncontains:A3"]


def question(randomness):
    """Returns a random question, as the page's address and as the API's parameters."""
    days = randomness.choice([30, 90, 365, 1000, 3000])
    start = date(2008, 1, 1) + timedelta(randomness.randrange(2700))
    end = start + timedelta(days)
    lengths = [("day", 1), ("week", 7), ("month", 30), ("quarter", 91), ("year", 365)]
    interval = randomness.choice([name for name, length in lengths if 2 <= days / length <= 390])
    zone, group = randomness.choice(ZONES), randomness.choice(["cabin", "airline", "country"])
    filters = randomness.sample(FILTERS, randomness.randrange(3))
    address = f"/?project=demo&start={start}&end={end}&interval={interval}&timezone={zone}&group={group}"
    address += "".join(f"&filter={one}" for one in filters)
    parameters = {"project": "demo", "startDate": start, "endDate": end, "timezone": zone, "confidence": 95}
    if randomness.random() < 0.5:
        parameters["respondents"] = "latest"
        address += "&respondents=latest"
    parameters["filter"] = filters
    return address, parameters, interval, group


def scores(figures):
    if figures["responses"] == 0:
        return ["–", "–"]
    return [decimal(figures["nps"]), range_of(figures)]


class Figures(Case):
    def test_twenty_random_questions(self):
        randomness = random.Random(15)
        shown = 0
        while shown < 20:
            address, parameters, interval, group = question(randomness)
            [total] = ask(demo(), parameters)
            if total["displays"] == 0:
                continue
            shown += 1
            with self.subTest(address):
                page = self.open(address)
                series = ask(demo(), parameters | {"interval": interval})
                # The groups stay beside the one that is chosen.
                others = [one for one in parameters["filter"] if not one.startswith(f"{group}=eq:")]
                grouped = {"groupBy": group, "filter": others, "compare": "previous"}
                self.compare(page, total, series, ask(demo(), parameters | grouped))

    def compare(self, page, total, series, groups):
        self.shows(page)
        expect(page.locator("#nps")).to_have_text(scores(total)[0])
        named = ("detractors", "passives", "promoters") if total["responses"] else ()
        expect(page.locator(".kind strong")).to_have_text([f"{total[kind]:,}" for kind in named])
        times = [row[1] for row in cells(page.locator("#ratings tbody tr"))]
        self.assertEqual(times, [f"{times:,}" for times in total["frequency"]])
        rate = (total["responses"] + total.get("superseded", 0)) / total["displays"]
        expected = [
            (f"{total['responses']:,}", True),
            (f"{100 * rate:.1f}%", rate < 1),
            (f"{total['dismissed']:,}", total["dismissed"] > 0),
        ]
        volumes = [text for text, is_shown in expected if is_shown]
        expect(page.locator(".volumes .figure")).to_have_text(volumes)
        [names] = cells(page.locator("#trend thead tr"))
        columns = {"Surveys shown": "displays", "Left out": "superseded"}
        counts = ["Responses", "Surveys shown", "Dismissed", "Detractors", "Passives", "Promoters"]
        counts += ["Left out"] * ("superseded" in total)
        rows = [dict(zip(names, row)) for row in cells(page.locator("#trend tbody tr"))]
        shown = [[row[name] for name in ("NPS", "95% interval", *counts)] for row in rows]
        figures = lambda one: [f"{one[columns.get(name, name.lower())]:,}" for name in counts]
        self.assertEqual(shown, [scores(one) + figures(one) for one in series])
        found = sorted(groups, key=lambda one: (one["other"], -one["responses"]))
        shown = [[row[1], row[2], row[4]] for row in cells(page.locator("table.groups tbody tr"))]
        self.assertEqual(shown, [[f"{one['responses']:,}", *scores(one)] for one in found])
