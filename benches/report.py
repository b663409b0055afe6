"""Renders benches/RESULTS.md from the measurements."""
import textwrap

import functions

# On-demand prices of us-east-1 in dollars: DynamoDB's read unit, and a GB-second of a function on arm64.
# See https://aws.amazon.com/dynamodb/pricing/on-demand/ and https://aws.amazon.com/lambda/pricing/.
READ_UNIT = 0.125e-6
GB_SECOND = 1.33334e-5
INVOCATION = 0.2e-6
# The memory of response-statistics in template.yaml, and its share of a core: a whole one has 1,769 MB.
MEMORY_MB = 1024
CORES = MEMORY_MB / 1769
# What a new table reads for a project six of whose sixteen keys lie on one of four partitions, as the median of all
# ways to place them.
STORE_MB_S = 24.6 * 16 / 6
# The seconds that a function reads, at most.
READING_S = 26.5
# Bytes that DynamoDB stores for a record, and for its entry in the index of outcomes, which has no traits.
STORED, INDEXED = 174, 92
MILLION = 1_000_000
LABELS = {
    "ours": "`response-statistics`", "scan": "`serde_json` over the text, without a result",
    "derived": "Rust, structs that serde derives", "generic": "Rust, the SDK's own types",
}


def table(heading, rows):
    """Returns a table; each row is a list of cells."""
    first, *others = (f"| {' | '.join(row)} |".replace("|  |", "| |") for row in (heading, *rows))
    return [first, "|---" * len(heading) + "|", *others, ""]


def text(*sentences):
    """Returns a paragraph."""
    return [textwrap.fill(" ".join(sentences), 110, break_long_words=False, break_on_hyphens=False), ""]


def goal(what, value, limit, form=".2f", unit="", least=False):
    """Returns a row of the goals: what was measured, and the goal, with a word if it is not met."""
    met = value >= limit if least else value <= limit
    sign, verdict = "≥" if least else "≤", "" if met else ", **not met**"
    return [what, f"{value:{form}}{unit}", f"{sign} {limit:g}{verdict}"]


def render(m):
    embedded = m["embedded"]
    rows = [m["growth"][0], embedded["row"], *m["growth"][1:]]
    return "\n".join(
        [
            "# Measurements",
            "",
            *text(
                f"`benches/run` took all of these in {m['minutes']:.0f} minutes on one machine, without builds.",
                "They are of one round each."
                if m["rounds"] == 1
                else f"They are medians of {m['rounds']} rounds, but of one round for folders of more or fewer "
                "records than a million.",
                "[NOTES.md](NOTES.md) explains them.",
                f"{m['versions']}.",
            ),
            *folder(embedded, rows),
            *implementations(m),
            *cost(m["plain"][0], m["filtered"][0]),
            *long_periods(m["periods"]),
            *goals(m, embedded, rows),
        ]
    )


def folder(m, rows):
    """Renders the program over data folders."""
    row, sqlite, latencies = rows[1], m["sqlite"], m["latencies"]
    columns = {"import": ".3g", "import µs": ".1f", "again": ".3g", "again µs": ".1f", "statistics": ".3g",
               "users": ".3g", "import MB": ".0f", "serve MB": ".0f"}
    headings = [
        "records",
        "import: s",
        "µs",
        "again: s",
        "µs",
        "figures: s",
        "list: s",
        "import: MB",
        "serve: MB",
    ]
    beside = (("figures", "statistics", 0.2), ("figures with one filter", "filtered", 0.4),
              ("list of users", "users", 0.3), ("import", "import", 0.35), ("import again", "again", 0.25))

    def compared(name, key, limit):
        return [name, f"{row[key]:.3g}", f"{sqlite[key]:.3g}", *goal(name, row[key] / sqlite[key], limit)[1:]]

    return [
        "## The program over a data folder",
        "",
        *text(
            f"Records have {m['bytes of a record']:.0f} bytes, and a user has three.",
            "µs are processor time a record. The last column is `serve` with figures, a list and an import at once.",
        ),
        *table(
            headings,
            [
                [f"{row['records']:,}", *(f"{row[name]:{form}}" for name, form in columns.items())]
                for row in rows
            ],
        ),
        *text(
            "Python keeps the same records in SQLite as JSON, with the settings of `feedback import` and as many",
            "in a transaction. A covering index holds what figures count. Results are compared.",
        ),
        *table(
            [f"{row['records']:,} records", "`feedback`: s", "SQLite: s", "ratio", "goal"],
            [compared(*line) for line in beside],
        ),
        *text(
            "Requests for figures of 390 records, 80 a second, take so many ms (median, 99th percentile)",
            "beside other work:",
        ),
        *table(
            ["nothing", "figures of all", "the list of all", "an import"],
            [
                [
                    f"{latencies[name]['p50']:.1f}, {latencies[name]['p99']:.1f}"
                    for name in ("nothing", "figures", "list", "import")
                ]
            ],
        ),
        *text(
            f"`serve` answers {m['start'] * 1000:.1f} ms after its start.",
            f"An export takes {m['export']:.3g} s, and erasing a person {m['erase']:.3g} s.",
        ),
    ]


def implementations(m):
    """Renders the functions beside other ways to write them."""
    (plain, records), (filtered, _), first = m["plain"], m["filtered"], m["first"]
    return [
        "## The functions", "",
        *text("Nanoseconds of processor time a record, with HTTP and decoding, without the start, over pages of",
              f"{records // functions.SHARDS:,} records of six traits. Results are compared. The Rust with serde",
              "neither signs nor repeats requests."),
        *table(["figures", "no filter", "three filters"],
               [[label, f"{plain[name]:,.0f}", f"{filtered[name]:,.0f}"] for name, label in LABELS.items()]),
        *text(f"Over TLS, with 5 ms a handshake, `response-statistics` starts in {first['warm']['start']:.1f} ms,",
              f"and {first['cold']['start']:.1f} without the warm-up reads. Then figures of 1,000 records take",
              f"{first['warm']['first']:.2f} ms, and {first['cold']['first']:.2f} without those reads;",
              f"the next ones take {first['warm']['later']:.2f}."),
    ]


def reading_price(size):
    """Returns the price of reading a million records of this size, eventually consistent."""
    return MILLION * size / 8192 * READ_UNIT


def seconds(size, nanoseconds):
    """Returns the seconds of a request over a million records: those of the store or of the processor."""
    return max(MILLION * size / (STORE_MB_S * 1e6), MILLION * nanoseconds * 1e-9 / CORES)


def lambda_price(size, nanoseconds):
    return seconds(size, nanoseconds) * MEMORY_MB / 1024 * GB_SECOND + INVOCATION


def cost(plain, filtered):
    """Renders what a million records cost on AWS, and how many fit into a request."""
    def row(label, nanoseconds, size=INDEXED):
        took, reading = seconds(size, nanoseconds), reading_price(size)
        computing = lambda_price(size, nanoseconds)
        prices = (f"{price:.5f}" for price in (reading, computing, reading + computing))
        return [label, f"{took:.1f}", *prices, f"{READING_S / took:.1f}"]

    return [
        "## What a million records cost on AWS", "",
        *text("Most of it is DynamoDB's price, whatever the function is written in. This is computed from the",
              "processor times above, for figures that read the index, but for the second row. Functions have",
              f"{MEMORY_MB:,} MB ({CORES:.2f} of a core), on arm64 as fast as here. A record has {STORED} bytes, and",
              f"{INDEXED} in the index. Six of the project's sixteen keys lie on one of the table's four partitions.",
              "Prices are those of us-east-1."),
        *table(["", "s", "DynamoDB $", "Lambda $", "sum $", f"million records in {READING_S} s"], [
            row("figures", plain["ours"]), row("… with three filters, from the table", filtered["ours"], STORED),
            row("figures in Rust with the SDK's own types", plain["generic"])]),
    ]


def long_periods(rows):
    return ["## Long periods", "",
            *text("`response-statistics` over a store that sends each page of 1 MB after 150 ms, or after what the row",
                  "says. A throttled key has 3,000 units a second, and a new table 12,000."),
            *table(["", "s", "peak MB"],
                   [[name, f"{seconds:.2f}", f"{memory:.1f}"] for name, (seconds, memory) in rows.items()])]


def goals(m, embedded, rows):
    """Renders the goals that are not met, but for those beside SQLite's times. All are ratios or sizes: how long
    something takes depends on the machine."""
    (plain, _), (filtered, _), divided, starts = m["plain"], m["filtered"], m["divided"], m["starts"]
    folder = rows[1]
    first, listing, small = m["first"]["warm"], m["listing"], m["small"]
    spread = lambda values: max(values) / min(values)
    slower = lambda name: min(table[name] / table["ours"] for table in (plain, filtered))
    start = max(starts["ms"][name] for name in ("users", "response-statistics")) / starts["ms"]["empty"]
    mb, least = {"form": ".0f", "unit": " MB"}, {"form": ".1f", "least": True}
    rows = [
        goal("bytes written for each stored", max(row["written"] for row in rows), 2.5),
        goal("`serve`, all at once", max(row["serve MB"] for row in rows), 100, **mb),
        goal("`import`", max(row["import MB"] for row in rows), 100, **mb),
        goal("import, slowest / fastest folder", spread([row["import µs"] for row in rows]), 1.3),
        goal("list after ten imports / after one", folder["users after ten"] / folder["users"], 2),
        goal("erasing / figures with a filter", embedded["erasing"] / folder["filtered"], 3),
        goal("SDK's own types / ours", slower("generic"), 4, **least),
        goal("ours / structs that serde derives, three filters", filtered["ours"] / filtered["derived"], 0.7),
        goal("ours / `serde_json` over the text", plain["ours"] / plain["scan"], 2),
        goal("by day / one filter", divided["days"] / divided["one filter"], 2),
        goal("by a trait / one filter", divided["groups"] / divided["one filter"], 1.5),
        goal("list, SDK's own types / ours", listing["generic"] / listing["ours"], 4, **least),
        goal("small request / its SDK calls", small["ours"] / small["calls"], 1.5),
        goal("first invocation / a later one", first["first"] / first["later"], 1.5),
        goal("start / an empty function", start, 2),
        goal("program of a function", max(starts["MB"].values()), 6.5, ".1f", " MB"),
        goal("memory of a function, 15.6 million records", m["memory"]["statistics"], 40, **mb),
        goal("memory of a function, a list of 555 MB", m["memory"]["users"], 40, **mb),
    ]
    missed = [row for row in rows if "not met" in row[2]]
    summary = text(f"Of {len(rows)} goals beside those above, {len(missed)} are not met. *ours* is the function.")
    return ["## Goals", "", *summary, *table(["", "measured", "goal"], missed)]
