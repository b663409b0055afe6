import assert from "node:assert/strict";
import { test } from "node:test";

import {
  changed, changeFilter, complete, fileName, formatAddress, formatFilter, formatPeriod, groups, line, parseAddress,
  parseFilter, parsePeriod, predicate, series, traits, whole, withFilter, withGroup, years,
} from "../../../crates/cli/src/page/model/question.js";

const JANUARY = {
  project: "demo", timezone: "UTC", start: "2026-01-01", end: "2026-02-01", interval: "day", filters: [],
};

test("filters are written as on the command line", () => {
  const written = {
    "country=eq:Finland": { name: "country", type: "string", operator: "eq", value: "Finland" },
    "a b.c=ncontains:x=y:z": { name: "a b.c", type: "string", operator: "ncontains", value: "x=y:z" },
    "empty=ne:": { name: "empty", type: "string", operator: "ne", value: "" },
    "lines=eq:a\nb": { name: "lines", type: "string", operator: "eq", value: "a\nb" },
    "legroom=number.gte:4": { name: "legroom", type: "number", operator: "gte", value: "4" },
    "recommended=boolean.eq:true": { name: "recommended", type: "boolean", operator: "eq", value: "true" },
  };
  for (const [text, filter] of Object.entries(written)) {
    assert.deepEqual(parseFilter(text), filter);
    assert.equal(formatFilter(filter), text);
  }
});

test("what is not a filter is recognized as such", () => {
  const texts = [
    "", "country", "country=Finland", "=eq:x", "a=is:x", "a=gt:1", "a=number.contains:1", "a=boolean.gt:true",
    "a=string.eq.x:1", "a=toString:x", "a=constructor.eq:x", "a=number.eq:4x", "a=number.eq:",
    "a=boolean.eq:yes", `a=eq:${"é".repeat(513)}`, `${"é".repeat(128)}=eq:x`,
  ];
  for (const text of texts) assert.equal(parseFilter(text), null, text);
});

// The parameters of the requests for figures.
function figuresOf(question) {
  return [whole(question), series(question, question), groups(question, { name: "plan" })];
}

test("every request has the filters as they are written", () => {
  const written = ["a]b=number.lt:4", "a]b=number.gte:2", "plan=ne:a:b=c"];
  const question = { ...JANUARY, filters: written.map(parseFilter) };
  for (const parameters of [...figuresOf(question), years(question, JANUARY)]) {
    const filters = parameters.filter(([name]) => name.startsWith("filter"));
    assert.deepEqual(filters, written.map((filter) => ["filter", filter]));
  }
});

test("a filter reads as a sentence", () => {
  assert.equal(predicate(parseFilter("a=ncontains:x")), "does not contain x");
  assert.equal(predicate(parseFilter("a=boolean.ne:false")), "is not no");
  assert.equal(predicate(parseFilter("a=eq:")), "is empty");
});

test("each person counts once where ratings count, and not where displays are looked for", () => {
  const question = { ...JANUARY, respondents: "latest" };
  const isLatest = ([name, value]) => name === "respondents" && value === "latest";
  const asks = (parameters) => parameters.some(isLatest);
  assert.ok(figuresOf(question).every(asks));
  assert.ok(!asks(years(question, JANUARY)));
  assert.ok(!asks(whole({ ...question, respondents: undefined })));
});

test("a period is compared with the one before, a year earlier, or nothing, and its word says which it is", () => {
  const asked = (before, more = {}) => {
    const question = { ...JANUARY, before, ...more };
    const [one, other] = [whole(question), groups(question, { name: "plan" })].map((parameters) => (
      parameters.filter(([name]) => name === "compare").map(([, value]) => value)));
    assert.deepEqual(one, other);
    return one;
  };
  assert.deepEqual(asked(undefined), ["previous"]);
  assert.deepEqual(asked("year"), ["year"]);
  assert.deepEqual(asked("none"), []);
  assert.ok(series(JANUARY, JANUARY).every(([name]) => name !== "compare"));
  const worded = { ...JANUARY, period: "2026-01" };
  const when = (parameters) => parameters.filter(([name]) => /^(period|startDate|endDate)$/.test(name));
  for (const parameters of [whole(worded), groups(worded, { name: "plan" })]) {
    assert.deepEqual(when(parameters), [["period", "2026-01"]]);
  }
  for (const parameters of [series(worded, worded), traits(worded)]) {
    assert.deepEqual(when(parameters), [["startDate", "2026-01-01"], ["endDate", "2026-02-01"]]);
  }
});

test("a window is asked for with short intervals, and of every rating", () => {
  const asked = (more) => {
    const question = { ...JANUARY, window: "90", group: "plan", ...more };
    const [one, other] = [series(question, question), line(question, "pro")].map((parameters) => (
      parameters.filter(([name]) => name === "window").map(([, value]) => value)));
    assert.deepEqual(one, other);
    assert.ok(whole(question).every(([name]) => name !== "window"));
    return one;
  };
  assert.deepEqual(asked({ interval: "month" }), ["90d"]);
  assert.deepEqual(asked({ interval: "quarter" }), []);
  assert.deepEqual(asked({ respondents: "latest" }), []);
  assert.equal(parseAddress("?window=90").said.window, "90");
  assert.deepEqual(parseAddress("?window=91").problems, ["window=91"]);
});

test("a list of values is a filter", () => {
  const filter = parseFilter("plan=in:pro,team");
  assert.equal(predicate(filter), "is one of pro, team");
  assert.equal(predicate(parseFilter("plan=nin:a,")), "is none of a, empty");
  assert.equal(parseFilter(`plan=in:${"a,".repeat(100)}`), null);
  assert.equal(parseFilter("seats=number.in:4"), null);
});

test("the traits of the records are asked for with their period alone", () => {
  const week = { interval: "week", weekStart: "sunday" };
  const filters = [parseFilter("a=ne:1")];
  const question = { ...JANUARY, ...week, group: "plan", filters, respondents: "latest" };
  const period = [["startDate", "2026-01-01"], ["endDate", "2026-02-01"], ["timezone", "UTC"]];
  assert.deepEqual(traits(question), [["project", "demo"], ...period, ["describe", "traits"]]);
});

const texts = (filters) => filters.map(formatFilter);

test("a trait is filtered several times, and by the same filter once", () => {
  const filters = ["a=ne:1", "b=eq:2"].map(parseFilter);
  assert.deepEqual(texts(withFilter(filters, parseFilter("a=ne:3"))), ["a=ne:1", "b=eq:2", "a=ne:3"]);
  assert.deepEqual(texts(withFilter(filters, parseFilter("a=ne:1"))), ["a=ne:1", "b=eq:2"]);
});

test("a filter that is changed keeps its place, and goes if there is one like it", () => {
  const filters = ["a=ne:1", "b=eq:2"].map(parseFilter);
  assert.deepEqual(texts(changeFilter(filters, 0, parseFilter("a=ne:3"))), ["a=ne:3", "b=eq:2"]);
  assert.deepEqual(texts(changeFilter(filters, 0, parseFilter("b=eq:2"))), ["b=eq:2"]);
});

test("a group takes the place of another one of its trait and of nothing else, and goes if it is the same", () => {
  const filters = ["a=ne:1", "a=eq:2", "a=number.eq:2"].map(parseFilter);
  const grouped = (filter) => texts(withGroup(filters, parseFilter(filter)));
  assert.deepEqual(grouped("a=eq:3"), ["a=ne:1", "a=eq:3", "a=number.eq:2"]);
  assert.deepEqual(grouped("a=eq:2"), ["a=ne:1", "a=number.eq:2"]);
  assert.deepEqual(grouped("b=eq:3"), ["a=ne:1", "a=eq:2", "a=number.eq:2", "b=eq:3"]);
});

const ADDRESS = "?project=demo&start=2014-08-01&end=2016-01-01&interval=month&timezone=Europe/Prague"
  + "&group=cabin&respondents=latest&filter=country=eq:Finland";

test("an address is read and written as it is", () => {
  const { said, problems } = parseAddress(ADDRESS);
  assert.deepEqual(problems, []);
  assert.equal(formatAddress(said), ADDRESS);
  assert.deepEqual(said.filters, [{ name: "country", type: "string", operator: "eq", value: "Finland" }]);
});

test("any text survives an address", () => {
  for (const value of ["a&b=c", "50 %", "#x", "+", "\u0645\u0633", "<img>", "a,b;c", "\"'"]) {
    const filters = [{ name: "n &+%", type: "string", operator: "eq", value }];
    const address = formatAddress({ project: "demo", group: value, filters, lines: [value, ""] });
    const { said, problems } = parseAddress(address);
    assert.deepEqual([said.filters, said.group, said.lines, problems], [filters, value, [value, ""], []]);
  }
});

test("what means nothing is reported, and nothing is taken from it", () => {
  const wrong = [
    "project=a/b", "start=2014-08-01", "start=2015-01-01&end=2014-01-01", "end=x", "interval=hour",
    "timezone=", "filter=x", "project=a&project=b", "groupLimit=101", "respondents=all",
    "respondents=latest&respondents=latest", "before=x", "before=2025-12-01", "period=12m", "period=2y&before=year",
    "period=12mo&start=2014-02-01&end=2014-03-01",
  ];
  for (const search of wrong) assert.notEqual(parseAddress(search).problems.length, 0, search);
  assert.equal(parseAddress("start=2015-01-01&end=2014-01-01").said.start, undefined);
});

test("a filter that is given twice and one too many are reported, and two on a trait are not", () => {
  const address = "filter=a=number.gte:1&filter=a=eq:x&filter=a=number.lt:4&filter=a=string.eq:x";
  const { said, problems } = parseAddress(address);
  assert.deepEqual(said.filters.map(formatFilter), ["a=number.gte:1", "a=eq:x", "a=number.lt:4"]);
  assert.deepEqual(problems, ["filter=a=string.eq:x"]);
  const many = parseAddress(Array.from({ length: 21 }, (_, number) => `filter=t${number}=eq:x`).join("&"));
  assert.deepEqual([many.said.filters.length, many.problems], [20, ["more than 20 filters"]]);
});

test("a line is reported that is given twice, is the sixth, or lacks the trait whose value it is", () => {
  const { said, problems } = parseAddress("group=plan&line=a&line=b&line=a&line=c&line=d&line=e&line=f");
  assert.deepEqual([said.lines, problems], [["a", "b", "c", "d", "e"], ["line=a", "line=f"]]);
  const alone = parseAddress("?project=demo&line=Economy&line=First");
  assert.deepEqual([alone.said.lines, alone.problems], [[], ["line=Economy", "line=First"]]);
});

test("lines are dropped with the trait whose groups they are", () => {
  const question = { group: "plan", lines: ["pro"], filters: [] };
  assert.deepEqual(changed(question, { group: "country", groupType: undefined }).lines, []);
  assert.deepEqual(changed(question, { interval: "week" }).lines, ["pro"]);
});

test("a line is asked for by the filter of its group, in the place of another one of its trait", () => {
  const week = { interval: "week", weekStart: "sunday" };
  const group = { group: "plan", groupType: "boolean" };
  const filters = ["a=ne:1", "plan=boolean.eq:false", "plan=eq:false"].map(parseFilter);
  assert.deepEqual(line({ ...JANUARY, ...week, ...group, filters, respondents: "latest" }, "true").slice(4), [
    ["filter", "a=ne:1"], ["filter", "plan=eq:false"], ["filter", "plan=boolean.eq:true"],
    ["confidence", "95"], ["respondents", "latest"], ["interval", "week"], ["weekStart", "sunday"],
  ]);
});

test("what newsletters and social networks add to a link is ignored, as all that the page never had is", () => {
  const added = "utm_source=a&project=demo&utm_source=b&gad_source=1&gbraid=c&_gl=d&mkt_tok=e&key=secret&toString=x";
  const { said, problems } = parseAddress(added);
  assert.deepEqual([said, problems], [{ filters: [], lines: [], project: "demo" }, []]);
});

// The question of an address as a page asks it.
function opened(address, reader = {}) {
  return complete(parseAddress(address).said, {}, { today: "2026-05-20", zone: "UTC", ...reader });
}

test("a page opens with eleven complete months and the running one, compared as an address says", () => {
  const { start, end, before, interval } = opened("project=a");
  assert.deepEqual([start, end, before, interval], ["2025-06-01", "2026-05-21", undefined, "month"]);
  assert.equal(opened("project=a&before=none").before, "none");
});

test("an address whose period rolls has no dates, and another period is one of dates unless it has a word", () => {
  for (const before of ["", "&before=year", "&before=none"]) {
    const address = `?project=a&period=12mo${before}&interval=month&timezone=UTC`;
    assert.equal(formatAddress(opened(address)), address);
    assert.equal(formatAddress(opened("project=a")), "?project=a&period=12mo&interval=month&timezone=UTC");
    assert.equal(formatAddress(opened("project=a&group=2026-01-01")).split("&").at(-1), "group=2026-01-01");
  }
  const question = opened("project=a&period=6mo");
  assert.deepEqual([question.start, question.end, question.before], ["2025-12-01", "2026-05-21", undefined]);
  const later = complete(question, {}, { today: "2026-06-01", zone: "UTC" });
  assert.deepEqual([later.start, later.end], ["2026-01-01", "2026-06-02"]);
  const dates = { start: "2026-04-21", end: "2026-05-21" };
  assert.equal(changed(question, dates).period, undefined);
  assert.equal(changed(question, { ...dates, period: "30d" }).period, "30d");
  assert.equal(opened("project=a&period=2026-Q1").end, "2026-04-01");
});

test("weeks begin on the reader's day unless the address says another, which it then does", () => {
  const open = (search) => (
    opened(`project=a&start=2026-01-01&end=2026-04-01&interval=${search}`, { weekStart: "sunday" }));
  assert.ok(formatAddress(open("week")).includes("&weekStart=sunday&"));
  assert.equal(open("week&weekStart=monday").weekStart, "monday");
  assert.ok(!formatAddress(open("month&weekStart=monday")).includes("weekStart"));
});

test("another period keeps the kind of comparison, and leads back only where that is said", () => {
  const question = { start: "2026-01-01", end: "2026-02-01", before: "none", within: "x" };
  const other = { start: "2025-01-01", end: "2025-02-01" };
  assert.equal(changed(question, other).before, "none");
  assert.equal(changed({ ...question, before: "year" }, other).before, "year");
  assert.equal(changed(question, { before: undefined }).before, undefined);
  assert.equal(changed(question, other).within, undefined);
  assert.equal(changed(question, { ...other, within: "y" }).within, "y");
  assert.equal(changed(question, { interval: "day" }).within, "x");
  // More than a year would overlap the one before.
  const long = { project: "a", start: "2020-01-01", end: "2026-01-01", before: "year", filters: [] };
  assert.equal(complete(long, {}, { today: "2026-05-20", zone: "UTC" }).before, undefined);
  assert.deepEqual(parseAddress("?start=2020-01-01&end=2026-01-01&before=year").problems, ["before=year"]);
});

test("a narrowed period has the one that it was in", () => {
  const dates = { start: "2025-01-01", end: "2026-01-01", interval: "month" };
  const today = "2026-11-24";
  // One that rolled rolls on.
  const rolling = { period: "12mo", start: "2025-12-01", end: "2026-11-25", interval: "month" };
  for (const [period, within] of [[dates, "2025-01-01/2026-01-01/month"], [rolling, "12mo/month"]]) {
    assert.equal(formatPeriod(period), within);
    assert.equal(parseAddress(`?within=${within}`).said.within, within);
    assert.deepEqual(parsePeriod(within, today), period);
  }
  assert.equal(parsePeriod("2026-Q4/week", today).end, "2026-11-25");
  const wrong = [
    "x", "2025-01-01", "2026-01-01/2025-01-01/month", "2025-01-01/2026-01-01/hour", "2025-01-01/2026-01-01/month/x",
    "12mo", "12mo/hour", "12m/month", "12mo/12mo/month", "2025-01-01/month", "/month",
  ];
  for (const text of wrong) assert.equal(parsePeriod(text, today), null, text);
});

test("an interval that does not fit is replaced", () => {
  assert.equal(opened("project=a&start=2000-01-01&end=2016-01-01&interval=day").interval, "year");
  assert.equal(opened("project=a&start=2015-01-01&end=2016-01-01&interval=day").interval, "day");
});

test("a file's name says the dates, what divides them, and the filters", () => {
  assert.equal(named(), "feedback-acme-1-2026-01-01-2026-06-30-by-month");
  assert.equal(named("plan=eq:free", "seats=number.gte:10"), `${named()}-plan-eq-free-seats-gte-10`);
  assert.equal(named("země=in:Česko,日本"), `${named()}-země-in-Česko-日本`);
});

test("a file's name is one that every file system takes, whatever the filters say", () => {
  const name = named("../a\\b=eq:<c>:*?\"|\0\n/etc/passwd", `long=eq:${"𐐀".repeat(200)}`);
  assert.match(name, /-by-month-\.\.-a-b-eq-c-etc-passwd-long-eq-(𐐀)+$/u);
  assert.ok([...name].length <= 120 && name.isWellFormed?.() !== false);
});

function named(...filters) {
  const question = { project: "acme-1", start: "2026-01-01", end: "2026-07-01", filters: filters.map(parseFilter) };
  return fileName(question, "month");
}
