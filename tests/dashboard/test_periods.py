"""The page, the API and the terminal mean the same days by a period, and by the one before it."""

import random
from datetime import date, timedelta

from playwright.sync_api import expect

from support import DEMO_KEY, SAMPLE, Case, feedback, sample

ZONES = ["UTC", "Europe/Prague", "America/St_Johns", "Asia/Kathmandu", "Pacific/Kiritimati", "Pacific/Pago_Pago"]

# Asks the API for the figures of questions as the page does. Returns the dates that the page has for each, those
# that the API has, and those of the earlier period, which the control shows.
ASK = """async ([addresses, key]) => {
  const of = (file) => import(new URL(`dashboard/${file}`, document.baseURI));
  const [question, format] = await Promise.all(["model/question.js", "model/format.js"].map(of));
  const ask = async (search) => {
    const { said } = question.parseAddress(search);
    const today = format.dateIn(new Date(), said.timezone);
    const asked = question.complete(said, {}, { today, zone: "UTC" });
    const parameters = new URLSearchParams(question.whole(asked));
    const response = await fetch(`api/v2/response-statistics?${parameters}`, { headers: { AuthKey: key } });
    const { attributes } = (await response.json()).data[0];
    const dates = ({ start, end }) => `${start} ${end}`;
    const local = (period) => dates(format.localPeriod(period, asked.timezone));
    const { before } = attributes;
    return [search, dates(asked), attributes.start ? local(attributes) : dates(asked), before ? local(before) : ""];
  };
  const found = [];
  for (const search of addresses) found.push(await ask(search));
  return found;
}"""


def period(randomness):
    """Returns a random period, as the parameters of an address."""
    number, year = randomness.randrange(1, 40), randomness.randrange(2023, 2028)
    words = [f"{number}{unit}" for unit in ("d", "w", "mo", "y")]
    words += [f"{which}-{unit}" for which in ("this", "last") for unit in ("week", "month", "quarter", "year")]
    words += [f"{year}", f"{year}-Q{number % 4 + 1}", f"{year}-{number % 12 + 1:02}", f"{year}-W{number:02}"]
    if randomness.random() < 0.7:
        return f"period={randomness.choice(words)}"
    start = date(2023, 1, 1) + timedelta(randomness.randrange(1200))
    return f"start={start}&end={start + timedelta(randomness.choice([1, 7, 28, 30, 31, 90, 365]))}"


class Periods(Case):
    def test_five_hundred_random_periods_have_the_days_that_the_api_gives_them(self):
        randomness = random.Random(8)
        page = self.shown(SAMPLE, sample())
        of = lambda: f"?project=demo&{period(randomness)}&timezone={randomness.choice(ZONES)}"
        found = page.evaluate(ASK, [[of() for _ in range(500)], DEMO_KEY])
        self.assertEqual([one for one in found if one[1] != one[2]], [])
        # Only where the two would overlap there is no period before.
        self.assertEqual([one for one in found if not one[3] or one[3].split()[1] > one[1].split()[0]], [])

    def test_the_control_and_the_sentence_name_the_period_with_which_the_terminal_compares(self):
        for word in ["this-month", "last-quarter", "30d", "2025-Q3", "12w"]:
            page = self.shown(f"/?project=demo&period={word}&timezone=UTC", sample())
            [[_, _, _, before]] = page.evaluate(ASK, [[f"?project=demo&period={word}&timezone=UTC"], DEMO_KEY])
            start, end = map(date.fromisoformat, before.split())
            chosen = page.locator("[data-control=comparison] option:checked").text_content()
            self.assertIn(str(start.year), chosen)
            summary = page.locator(".change").text_content()
            command = ["stats", "--project", "demo", "--url", sample().url, "--period", word]
            command += ["--compare", "previous", "--group-by", "plan"]
            drawn = feedback(*command, env={"FEEDBACK_READ_KEY": DEMO_KEY})
            self.assertIn(summary, " ".join(drawn.split()), (word, chosen, end))
