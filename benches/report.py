"""Renders benches/RESULTS.md from the measurements."""
import periods

# Prices of DynamoDB and Lambda in eu-central-1, in dollars: on-demand read request units, and a GB-second of an x86
# function. See https://aws.amazon.com/dynamodb/pricing/on-demand/ and https://aws.amazon.com/lambda/pricing/.
READ_UNITS = 0.1525e-6
GB_SECOND = 1.66667e-5
INVOCATION = 0.2e-6
# Lambda gives a function one core at 1,769 MB. The cost model assumes 512 MB, so 0.29 of a core.
CORES = 512 / 1769
PARTITION_MB_S = 24.6
# The partitions that serve a project's four keys at the speed of the fullest one: at best, typically and at worst (docs/aws.md).
PARTITIONS = (4, 2, 1)
# The seconds that a function reads, at most.
READING_S = 27.5
# Stored bytes of a record, as DynamoDB counts them.
STORED = 174
# Those of its entry in the index of outcomes, which has no traits.
INDEXED = 92


def met(value, goal, lower=True):
    return "met" if (value <= goal if lower else value >= goal) else "**not met**"


def render(m):
    plain, records = m["plain"]
    filtered, _ = m["filtered"]
    listing, small, warm, cold = m["listing"], m["small"], m["first"]["warm"], m["first"]["cold"]
    waiting, divided = m["waiting"], m["divided"]
    starts, sizes = m["starts"]
    rows, users = m["growth"]
    imports = m["imports"]
    slowest = max(rows[1:], key=lambda row: row[2])[2]
    fastest = min(rows[1:], key=lambda row: row[2])[2]
    ours = lambda table, name: table[name] / table["ours"]
    goals = [
        ("statistics, unfiltered: generic SDK decoder / ours", f"{ours(plain, 'generic'):.1f}", "≥ 5",
         met(ours(plain, "generic"), 5, False)),
        ("statistics, unfiltered: ours / bare `serde_json` pass over the same text", f"{plain['ours'] / plain['scan']:.1f}",
         "≤ 2", met(plain["ours"] / plain["scan"], 2)),
        ("statistics, three filters: generic SDK decoder / ours", f"{ours(filtered, 'generic'):.1f}", "≥ 4",
         met(ours(filtered, "generic"), 4, False)),
        ("statistics, three filters: Python (boto3) / ours", f"{ours(filtered, 'python'):.0f}", "≥ 60",
         met(ours(filtered, "python"), 60, False)),
        ("statistics, three filters: Node (AWS SDK v3) / ours", f"{ours(filtered, 'node'):.0f}", "≥ 15",
         met(ours(filtered, "node"), 15, False)),
        ("statistics, unfiltered: Python / ours", f"{ours(plain, 'python'):.0f}", "≥ 60", met(ours(plain, "python"), 60, False)),
        ("statistics, unfiltered: Node / ours", f"{ours(plain, 'node'):.0f}", "≥ 15", met(ours(plain, "node"), 15, False)),
        ("statistics: 366 days / one filter", f"{divided['days'] / divided['one filter']:.2f}", "≤ 2",
         met(divided["days"] / divided["one filter"], 2)),
        ("statistics: by a trait with 20 values / one filter", f"{divided['groups'] / divided['one filter']:.2f}", "≤ 1.5",
         met(divided["groups"] / divided["one filter"], 1.5)),
        ("users: bytes of response per processor second, ours / generic SDK decoder and serde", f"{listing['ours'] / listing['generic']:.1f}",
         "≥ 4", met(listing["ours"] / listing["generic"], 4, False)),
        (f"peak memory, {rows[-1][0]:,} records aggregated", f"{rows[-1][1]:.1f} MB", "≤ 40 MB", met(rows[-1][1], 40)),
        ("… compared with a tenth of them", f"{rows[-1][1] / rows[-2][1] - 1:+.1%}", "± 5 %", met(abs(rows[-1][1] / rows[-2][1] - 1), 0.05)),
        (f"peak memory, list of users of {users[-1][0] / 1e6:,.0f} MB", f"{users[-1][1]:.1f} MB", "≤ 40 MB", met(users[-1][1], 40)),
        ("… compared with a tenth of it", f"{users[-1][1] / users[0][1] - 1:+.1%}", "± 5 %", met(abs(users[-1][1] / users[0][1] - 1), 0.05)),
        ("`users` bootstrap to its first `/next` / empty function", f"{starts['users'] / starts['empty']:.1f}", "≤ 2",
         met(starts["users"] / starts["empty"], 2)),
        ("`response-statistics` bootstrap to its first `/next` / empty function",
         f"{starts['response-statistics'] / starts['empty']:.1f}", "≤ 2", met(starts["response-statistics"] / starts["empty"], 2)),
        ("stripped size of `users` / `response-statistics`", f"{sizes['users']:.1f} / {sizes['response-statistics']:.1f} MB", "≤ 6.5 MB",
         met(max(sizes["users"], sizes["response-statistics"]), 6.5)),
        ("first invocation over TLS after the warm-up reads / a later one", f"{warm['first'] / warm['later']:.1f}", "≤ 1.5",
         met(warm["first"] / warm["later"], 1.5)),
        (f"warm request of a small project / the same number of bare SDK calls", f"{small[0]['ours'] / small[0]['calls']:.2f}", "≤ 1.5",
         met(small[0]["ours"] / small[0]["calls"], 1.5)),
        (f"growth, {rows[1][0]:,} to {rows[-1][0]:,} records: slowest / fastest time per record", f"{slowest / fastest:.2f}", "≤ 1.2",
         met(slowest / fastest, 1.2)),
        ("import without users / batch writes flat out", f"{imports['import'] / imports['flat-out']:.2f}", "≥ 0.8",
         met(imports["import"] / imports["flat-out"], 0.8, False)),
    ]
    out = [
        "# Measurements", "",
        "`benches/run` takes all of these measurements in one run and writes this page. [NOTES.md](NOTES.md) explains them.",
        f"{m['versions']}. Medians of {m['rounds']} rounds; every contender runs once in each.", "",
        "Processor time is that of the whole process (user and system), less that of the same process with one request. It includes",
        "HTTP, signing, retries and decoding, but not the start. The stub serves, from memory and over HTTP, the page that DynamoDB would",
        f"return for 1 MB of stored records with six traits: {records // 12:,} records a page. All contenders' results are compared.", "",
        "| | measured | goal | |", "|---|---|---|---|",
        *(f"| {what} | {value} | {goal} | {verdict} |" for what, value, goal, verdict in goals), "",
        "## Statistics, ns of processor time per record", "",
        "| | unfiltered | three filters |", "|---|---|---|",
    ]
    names = {"ours": "`response-statistics`", "generic": "the same with the SDK's own types", "scan": "a bare `serde_json` pass over the text",
             "node": "Node, document client", "python": "Python, boto3 resource"}
    out += [f"| {label} | {plain[name]:,.0f} | {filtered[name]:,.0f} |" for name, label in names.items()]
    counted = m["instructions"]
    asked = {"plain": "the whole period", "one filter": "with one filter", "days": "by day, 366 elements", "groups": "by a trait, 20 elements",
             "days and groups": "by both, 7,320 elements"}
    out += ["", "## Divided statistics, per record", "", f"The {records:,} records of a request are spread over 336 days.", "",
            "| | ns of processor time | instructions (callgrind) |", "|---|---|---|",
            *(f"| {label} | {divided[name]:,.0f} | {counted[name] if counted else float('nan'):,.0f} |" for name, label in asked.items())]
    if counted:
        out += ["", f"With the SDK's own types, the whole period takes {counted['generic']:,.0f} instructions per record, "
                f"{counted['generic'] / counted['plain']:.1f} times as many."]
    out += ["", f"Over TLS, a record takes {m['tls']:.0f} ns more."]
    saved = (1 - listing["left"]) * 500
    out += ["", "## List of users", "",
            f"{listing['ours'] / 1e6:,.0f} MB of response per processor second, {listing['generic'] / 1e6:,.0f} MB with the SDK's own types. gzip costs "
            f"{listing['gzip']:.1f} ns a byte and compresses to {listing['left']:.0%}; at the 2 MB/s of a long Lambda stream it saves {saved:.0f} ns a byte."]
    out += ["", "## Start", "", "| | ms |", "|---|---|",
            *(f"| `{name}`: start to first poll for an invocation, without warm-up reads | {ms:.2f} |" for name, ms in starts.items()),
            f"| `response-statistics`: the same with warm-up reads over TLS, one root of trust | {warm['start']:.2f} |",
            f"| first invocation over TLS, after warm-up reads | {warm['first']:.2f} |",
            f"| first invocation over TLS, without them | {cold['first']:.2f} |",
            f"| later invocations over TLS | {warm['later']:.2f} |",
            f"| an invocation that only reads its credential, which the first invocation reads and later ones do not | {warm['refused']:.2f} |",
            "", "## Time beyond the store's", "",
            "When the store takes 40 ms for a page, as a DynamoDB partition would, a page takes by the clock "
            f"{waiting['statistics']:.1f} ms in statistics",
            f"(four pages at a time), {waiting['users']:.1f} ms in a list and {waiting['users-gzip']:.1f} ms in a compressed list.",
            "", "## Growth", "", "| records | ns per record | peak MB |", "|---|---|---|",
            *(f"| {count:,} | {ns:.0f} | {peak:.1f} |" for count, peak, ns in rows), "",
            "## Import, records per second into the embedded store", "", "| | |", "|---|---|",
            f"| batch writes, serialized in advance, eight at a time | {imports['flat-out']:,.0f} |",
            f"| `feedback import responses --no-users` | {imports['import']:,.0f} |",
            f"| the same file again (nothing is written) | {imports['again']:,.0f} |",
            f"| with users, three records a user | {imports['users']:,.0f} |", "",
            *program(m["program"], m["program growth"]), *respondents(m["respondents"]), *periods.section(m["periods"]), *bounds(m),
            *cost(plain), ""]
    return "\n".join(out)


def program(m, growth):
    """Renders the self-contained program beside its peer. Times are seconds by the clock."""
    def beside(what, name, goal, peer=None):
        peer = m[peer or f"peer {name}"]
        return f"| {what} | {m[name]:.3g} | {peer:.3g} | {m[name] / peer:.2f} | ≤ {goal} | {met(m[name] / peer, goal)} |"

    rates = m["rates"]
    def rate(what, name, goal):
        share = rates["health"] / rates[name]
        return f"| {what} | {rates[name]:,.0f} | {rates['health']:,.0f} | 1/{share:.0f} | ≥ 1/{goal} | {met(share, goal)} |"

    # Both read the records, which statistics without a filter do not.
    passes = m["erase without rewriting"] / m["filtered"]
    memory = max(m["serve MB"], m["import MB"])
    return [
        "## The self-contained program", "",
        f"`feedback serve --data` over {m['records']:,} records of {m['bytes']:.0f} bytes, three a user, and the commands on this folder. The peer is Python's",
        f"sqlite3 {m['sqlite']}, one table of responses and one of users keyed alike, a JSON document a row, WAL, a commit every 1,000 records;",
        "statistics by `json_extract … GROUP BY`, the list by reading, decoding and encoding. Seconds by the clock, both by turns.", "",
        "| | program | peer | ratio | goal | |", "|---|---|---|---|---|---|",
        beside("statistics of all records, over HTTP", "statistics", 0.3), beside("… with one filter", "filtered", 0.5),
        beside("list of users, over HTTP", "users", 0.5), beside("import with users", "import", 0.5),
        beside("import again, nothing new", "import again", 0.25, "peer import"), "",
        "| requests a second, 16 connections | program | `/health` | ratio | goal | |", "|---|---|---|---|---|---|",
        rate("statistics of 390 records", "390 records", 30), rate("statistics of a period without a record", "no record", 12),
        rate("one user", "one user", 5), "",
        "| | measured | goal | |", "|---|---|---|---|",
        f"| `export responses` | {m['export']:.3g} s | | |",
        f"| `erase` of one person, until it rewrites the files | {m['erase without rewriting']:.3g} s, {passes:.1f} × statistics with a filter | ≤ 3 × | {met(passes, 3)} |",
        f"| … with the rewriting | {m['erase']:.3g} s | | |",
        f"| `serve`, from its start to the answer of a first request | {m['start']:.3g} s | | |",
        f"| peak memory of `serve` / `import` | {m['serve MB']:.0f} / {m['import MB']:.0f} MB | ≤ 100 MB | {met(memory, 100)} |", "",
        "Small requests, each sent when it is due, in ms: the median and the 99th percentile.", "",
        "| | alone | beside statistics of all records | beside the list of users | beside an import through the endpoint |", "|---|---|---|---|---|",
        *(f"| {name} | " + " | ".join(latency(m, name, beside) for beside in ("alone", "statistics", "users", "import")) + " |"
          for name in ("390 records", "one user")),
        "", *program_growth(growth), ""]


def respondents(m):
    """Renders what it takes to count each person once."""
    ratio = m["latest"] / m["filtered"]
    return [
        f"`respondents=latest` over {m['records']:,} ratings of as many persons, by `feedback serve --data`:", "",
        "| | measured | goal | |", "|---|---|---|---|",
        f"| a request, beside one with a filter | {m['latest']:.3g} s / {m['filtered']:.3g} s | ≤ 2 × | {met(ratio, 2)} |",
        f"| peak memory, beside that of the filter | {m['latest MB']:.0f} / {m['filtered MB']:.0f} MB | ≤ 160 MB | {met(m['latest MB'], 160)} |", "",
    ]


def latency(m, name, beside):
    measured = m["latencies"][f"{name}, {beside}"]
    return f"{measured['p50']:.1f}, {measured['p99']:.1f}"


def program_growth(rows):
    """Renders how the self-contained program's time a record and its memory grow with the records."""
    if not rows:
        return []
    first, last = rows[0], rows[-1]
    def spread(name):
        times = [row[name] for row in rows]
        return max(times) / min(times)

    def grown(what, name, goal):
        return f"| {what} | {spread(name):.2f} × | ≤ {goal} × | {met(spread(name), goal)} |"

    def most(what, name, goal, unit, form=".1f"):
        value = max(row[name] for row in rows)
        return f"| {what}, at most | {value:{form}} {unit} | ≤ {goal} {unit} | {met(value, goal)} |"

    def line(row, *names):
        return f"| {row['records']:,} | " + " | ".join(format(row[name], form) for name, form in names) + " |"

    columns = (("import processor", ".1f"), ("import seconds", ".1f"), ("again processor", ".1f"), ("again seconds", ".1f"),
               ("statistics", ".3f"), ("users", ".3f"), ("users after ten", ".3f"))
    fixed = (("import processor of one", ".0f"), ("import seconds of one", ".0f"), ("again processor of one", ".0f"),
             ("again seconds of one", ".0f"), ("statistics of none", ".1f"), ("users of none", ".1f"))
    sizes = (("bytes", ".0f"), ("written", ".2f"), ("import MB", ".0f"), ("serve MB", ".0f"))
    memory = max(last[name] / first[name] for name in ("import MB", "serve MB"))
    totals = [(row, row["statistics"] * row["records"] / 1e6 + row["statistics of none"] / 1e3) for row in rows]
    return [
        "Growth: each number of records in a folder of its own. µs a record beyond what one record takes, which follows in ms; the clock",
        "in brackets where the processor is first.", "",
        "| records | import: processor | (clock) | again: processor | (clock) | statistics | list after one import | list after ten |",
        "|---|---|---|---|---|---|---|---|",
        *(line(row, *columns) for row in rows),
        "| one record, ms | " + " | ".join(format(first[name], form) for name, form in fixed) + " | |", "",
        "| records | bytes stored a record | bytes written for each that is stored | peak MB of `import` | … of `serve`, all at once |",
        "|---|---|---|---|---|",
        *(line(row, *sizes) for row in rows), "",
        "| | measured | goal | |", "|---|---|---|---|",
        most("import of a new record with its user", "import processor", 25, "µs"),
        most("import of a record that is stored", "again processor", 12, "µs"),
        most("bytes written for each that is stored", "written", 2.5, "×", ".2f"),
        *(f"| statistics of {row['records']:,} records | {seconds:.2f} s | ≤ {row['records'] / 4e6:g} s | {met(seconds, row['records'] / 4e6)} |"
          for row, seconds in totals if row["records"] >= 1_000_000),
        grown("import, slowest / fastest", "import processor", 1.3), grown("statistics", "statistics", 1.3),
        grown("list after one import", "users", 1.3), grown("list after ten", "users after ten", 2),
        most("peak memory of `import`", "import MB", 100, "MB", ".0f"), most("… of `serve`", "serve MB", 100, "MB", ".0f"),
        f"| peak memory, {last['records']:,} / {first['records']:,} records | {memory:.2f} × | ≤ 1.2 × | {met(memory, 1.2)} |",
    ]


def replace_section(path, lines):
    """Replaces the section of a page that has the heading of these lines."""
    before, section = path.read_text().split(f"{lines[0]}\n", 1)
    _, heading, after = section.partition("\n## ")
    path.write_text(before + "\n".join(lines).rstrip() + "\n" + heading + after)


def bounds(m):
    """Renders the upper bounds, in records per second."""
    stub, length = m["stub"]
    scan, ours = (1e9 / m["plain"][0][name] for name in ("scan", "ours"))
    return [
        "## Upper bounds", "", f"Statistics without filters, {length:.0f} bytes of text and {STORED} stored bytes per record.", "",
        "| | records per second |", "|---|---|",
        *(f"| {partitions} {'partition' if partitions == 1 else 'partitions'} of DynamoDB, {PARTITION_MB_S} MB/s each | "
          f"{partitions * PARTITION_MB_S * 1e6 / STORED:,.0f} |" for partitions in PARTITIONS),
        f"| the stub, with a client that only reads bytes | {stub:,.0f} |",
        f"| `response-statistics`, on one core | {ours:,.0f} |",
        f"| `serde_json` over the text, on one core ({scan * length / 1e9:.1f} GB/s) | {scan:,.0f} |", "",
    ]


def cost(plain):
    """Renders the cost model and the largest periods that fit into a request."""
    lines = [
        "## What a request costs", "",
        f"A model, not a measurement: eventually consistent reads of {STORED} bytes per record, functions of 512 MB (0.29 of a core), on-demand prices of",
        "eu-central-1. The seconds are those of a project whose four keys lie on four partitions of 24.6 MB/s (at best, 9 % of all projects), of one whose",
        "fullest partition holds two (typically, 70 %), and of one whose four lie on one (at worst, 2 %); the price of Lambda is the typical one. Processor times are those",
        f"of unfiltered statistics, above. The index of outcomes, which ours reads where it has one, stores {INDEXED} bytes per record, whatever its traits weigh.", "",
        "| records | read units, $ | of the index | ours: s, Lambda $ | with the index | Node: s, Lambda $ | Python: s, Lambda $ |",
        "|---|---|---|---|---|---|---|",
    ]

    def reading(records, size):
        units = max(2, records * size / 8192)
        return f"{units:,.0f}, {units * READ_UNITS:.6f}"

    def seconds(records, size, name):
        return [max(0.01 + records * size / (partitions * PARTITION_MB_S * 1e6), records * plain[name] * 1e-9 / CORES)
                for partitions in PARTITIONS]

    def running(records, size, name):
        best, typical, worst = seconds(records, size, name)
        return f"{best:.2f} / {typical:.2f} / {worst:.2f}, {typical * 0.5 * GB_SECOND + INVOCATION:.7f}"

    def largest(size, name):
        return " / ".join(f"{READING_S / time:.3g}" for time in seconds(1_000_000, size, name))

    for records in (1_000, 10_000, 100_000, 1_000_000, 10_000_000):
        cells = [reading(records, STORED), reading(records, INDEXED), running(records, STORED, "ours"),
                 running(records, INDEXED, "ours"), running(records, STORED, "node"), running(records, STORED, "python")]
        lines.append(f"| {records:,} | {' | '.join(cells)} |")
    lines += ["", f"A function reads for {READING_S} s. The largest period that fits has {largest(STORED, 'ours')} million records, with the index "
              f"{largest(INDEXED, 'ours')} million; with Node {largest(STORED, 'node')} million, with Python {largest(STORED, 'python')} million."]
    return lines
