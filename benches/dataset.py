"""Writes an export of response records as another service would: NDJSON, about 300 bytes a record, the same in every run."""

import random
import time

PROJECT = "acme"
RECORDS_PER_USER = 3
# Users come and go: those of one block of records are not those of the next.
BLOCK = 30_000
BEGIN_MS = 1_451_606_400_000  # 2016-01-01
SPAN_MS = 8 * 365 * 86_400_000
PLANS = ("free", "pro", "team", "enterprise")
COUNTRIES = ("Finland", "Germany", "United States", "Japan", "Brazil")
# Twenty values, which a dashboard groups by.
BROWSERS = tuple(
    f"{name} {version}" for version in range(124, 129) for name in ("Firefox", "Chrome", "Safari", "Edge")
)
MASK = (1 << 64) - 1


def write(path, records, skipped=0, total=None):
    """Writes records of a series of `total`, after the first `skipped` of them."""
    total = total or records
    step = SPAN_MS // total
    rng = random.Random(skipped)
    with open(path, "w") as file:
        for n in range(skipped, skipped + records):
            file.write(record(n, BEGIN_MS + n * step + rng.randrange(5 * step), min(total, BLOCK), rng))


def record(n, created, block, rng):
    """Returns the `n`th record, as a line."""
    user = scatter(n // block * block // RECORDS_PER_USER + rng.randrange(block // RECORDS_PER_USER))
    outcome = rng.random()
    if outcome < 0.6:
        answer = f'"rating":{rng.randrange(11)},"dismissed":false'
    else:
        answer = f'"dismissed":{"true" if outcome < 0.85 else "false"}'
    return (
        f'{{"id":"{rng.getrandbits(96):024x}","created":"{timestamp(created)}",{answer},'
        f'"user":{{"id":"{user:016x}c0ffee00","userId":"{user:016x}","email":"person-{user >> 44:05x}@example.org",'
        f'"traits":{{"plan":"{PLANS[user % 4]}","country":"{COUNTRIES[user % 5]}","browser":"{BROWSERS[n % len(BROWSERS)]}",'
        f'"seats":{rng.randrange(1, 500)},"admin":{"true" if user % 7 == 0 else "false"}}}}}}}\n'
    )


def scatter(number):
    """Returns a number of 64 bits that looks random, a different one for each argument (the finalizer of SplitMix64)."""
    number = (number + 1) * 0x9E3779B97F4A7C15 & MASK
    number = (number ^ number >> 30) * 0xBF58476D1CE4E5B9 & MASK
    number = (number ^ number >> 27) * 0x94D049BB133111EB & MASK
    return number ^ number >> 31


def timestamp(milliseconds):
    seconds, fraction = divmod(milliseconds, 1000)
    return f"{time.strftime('%Y-%m-%dT%H:%M:%S', time.gmtime(seconds))}.{fraction:03}Z"
