"""The data that is served under load, and the requests for it."""

import base64
import json
import random
import subprocess
from collections import namedtuple
from datetime import date, timedelta
from urllib.parse import quote, urlencode

# The project of the small requests.
USERS = 2_000
RESPONSES = 20_000
# The project whose list is a gigabyte.
LARGE_USERS = 16_384
LARGE_USER = 64 << 10

SMALL, LARGE = "small", "large"

# A target with the header that authorizes it.
Request = namedtuple("Request", "target header")


class Data:
    """A data folder with both projects, and their credentials."""

    def __init__(self, program, folder, seed):
        self.program, self.folder = program, folder
        self.random = random.Random(seed)
        self.command("import", "responses", "-", "--project", SMALL, lines=self.responses())
        self.command("import", "users", "-", "--project", LARGE, lines=self.large_users())
        self.key = self.command("credentials", "create", "--may", "statistics", "--project", SMALL)
        # What one credential's responses hold is kept from its own requests alone.
        self.of_small = self.account("small", SMALL)
        self.of_lists = self.account("lists", LARGE)
        self.of_pages = self.account("pages", LARGE)

    def account(self, username, project):
        """Creates a credential that may list the users of a project; returns the header that authorizes it."""
        options = ["--may", "users", "--username", username, "--project", project]
        password = self.command("credentials", "create", *options)
        return "Authorization: Basic " + base64.b64encode(f"{username}:{password}".encode()).decode()

    def command(self, *arguments, lines=()):
        """Runs a command over the folder with these lines as its input; returns what it prints."""
        command = [self.program, *arguments, "--data", self.folder]
        process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
        )
        with process.stdin as stdin:
            for line in lines:
                json.dump(line, stdin)
                stdin.write("\n")
        output = process.stdout.read().strip()
        if process.wait() != 0:
            raise SystemExit(f"{' '.join(arguments)} failed")
        return output

    def responses(self):
        for n in range(RESPONSES):
            traits = {
                "plan": self.random.choice(["free", "team", "enterprise"]),
                "country": f"country {self.random.randrange(60)}",
                "seats": self.random.randrange(1, 500),
                "trial": self.random.random() < 0.2,
            }
            created = f"2025-{self.random.randrange(1, 13):02}-{self.random.randrange(1, 29):02}T{self.random.randrange(24):02}:00:00Z"
            rated = self.random.random() < 0.7
            outcome = {"rating": self.random.randrange(11)} if rated else {"dismissed": True}
            user = {"userId": user_id(n % USERS), "traits": traits}
            yield {"id": f"response-{n}", "created": created, "user": user} | outcome

    def large_users(self):
        for n in range(LARGE_USERS):
            note = self.random.randbytes(LARGE_USER // 2).hex()
            yield {"userId": f"large-{n:06}", "created": "2025-01-01T00:00:00Z", "traits": {"note": note}}

    def small_requests(self, count):
        """Returns requests whose responses are small: users, pages of users, and statistics of all kinds."""
        return [self.random.choices(KINDS, WEIGHTS)[0](self) for _ in range(count)]

    def user(self):
        return users(self.of_small, project=SMALL, userId=user_id(self.random.randrange(USERS)))

    def page(self):
        return users(self.of_small, project=SMALL, limit=self.random.randrange(1, 50))

    def day(self):
        return self.statistics(1)

    def filtered_week(self):
        plan, seats = "filters[user.traits.string.plan]", "filters[user.traits.number.seats]"
        filters = {f"{plan}[operator]": "eq", f"{plan}[value]": "team"}
        filters |= {f"{seats}[operator]": "gte", f"{seats}[value]": "100"}
        return self.statistics(7, **filters)

    def series(self):
        return self.statistics(28, interval="day", timezone="Europe/Prague")

    def groups(self):
        return self.statistics(28, groupBy="user.traits.string.country", groupLimit=10)

    def grouped_series(self):
        return self.statistics(28, interval="week", groupBy="user.traits.boolean.trial", confidence=95)

    def statistics(self, days, **parameters):
        start = date(2025, self.random.randrange(1, 12), 1)
        period = {"startDate": start, "endDate": start + timedelta(days)}
        query = urlencode({"project": SMALL} | period | parameters, quote_via=quote)
        return Request(f"/api/v2/response-statistics?{query}", f"AuthKey: {self.key}")

    def list(self):
        return users(self.of_lists, project=LARGE)

    def large_page(self):
        """Returns the request for a page as large as pages may be."""
        return users(self.of_pages, project=LARGE, limit=80)


KINDS, WEIGHTS = zip(
    (Data.user, 50),
    (Data.page, 15),
    (Data.day, 15),
    (Data.filtered_week, 8),
    (Data.series, 4),
    (Data.groups, 4),
    (Data.grouped_series, 4),
)


def users(header, **parameters):
    return Request(f"/api/users?{urlencode(parameters)}", header)


def user_id(n):
    return f"user-{n:05}"
