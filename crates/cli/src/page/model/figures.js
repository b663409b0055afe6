// The terms of the figures, and the change of the score from one period to another.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;
export const isFew = ({ responses }) => responses < FEW;

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isInstant = (value) => /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));
const isGroup = (value) => value === null || ["string", "boolean"].includes(typeof value);
const COUNT = [isCount, "a count"];
const SCORE = [(value) => value === null || Number.isFinite(value), "a number or null"];
const BOOLEAN = [(value) => typeof value === "boolean", "true or false"];
const INSTANT = [isInstant, "a timestamp"];

export const COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];

// The members of an element of an answer, and those that each parameter adds.
const FIGURES = {
  ...Object.fromEntries(COUNTS.map((name) => [name, COUNT])),
  nps: SCORE, npsLow: SCORE, npsHigh: SCORE,
  frequency: [(all) => Array.isArray(all) && all.length === 11 && all.every(isCount), "eleven counts"],
};
const PARTS = {
  interval: { start: INSTANT, end: INSTANT },
  groupBy: { group: [isGroup, "a string, a boolean or null"], other: BOOLEAN },
  respondents: { superseded: COUNT },
  describe: {
    name: [(value) => typeof value === "string", "a string"],
    type: [(value) => ["string", "number", "boolean", "other"].includes(value), "a type"],
    displays: COUNT, private: BOOLEAN,
  },
};

// Says what is not as it should be in the answer to these parameters; returns null if all is.
export function mistakeOf(answer, parameters) {
  const parts = parameters.map(([name]) => name).filter((name) => Object.hasOwn(PARTS, name));
  const { data } = answer;
  if (!Array.isArray(data)) return "data should be an array.";
  const isOne = parts.every((name) => name === "respondents");
  if (isOne && data.length !== 1) return "data should have one element.";
  const isSeries = parts.includes("interval");
  if (isSeries && data.length === 0) return "data should have an element for each interval.";
  const figures = parts.includes("describe") ? {} : FIGURES;
  const members = Object.entries(Object.assign({}, figures, ...parts.map((name) => PARTS[name])));
  for (const [at, element] of data.entries()) {
    const wrong = members.find(([name, [fits]]) => !fits(element?.attributes?.[name]));
    if (wrong) return `data[${at}].attributes.${wrong[0]} should be ${wrong[1][1]}.`;
  }
  return null;
}

// Returns how many displays were answered, also by those who answered again.
export const answered = ({ responses, superseded = 0 }) => responses + superseded;

export const kindOf = (rating) => KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];

// The quantile of the normal distribution for 95%.
const Z = 1.959963984540054;

function adjusted({ responses, promoters, detractors }) {
  const n = responses + 3;
  const [p, d] = [(promoters + 0.75) / n, (detractors + 0.75) / n];
  const score = p - d;
  return { score, variance: (p + d - score * score) / n };
}

// Adds up the elements of an answer to the figures that the API gives of all of them, to the last bit. They
// must not count each person once: a person of several elements would count several times.
export function total(elements) {
  const sum = (count) => elements.reduce((all, element) => all + count(element), 0);
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sum((element) => element[name])]));
  const frequency = Array.from({ length: 11 }, (_, rating) => sum((element) => element.frequency[rating]));
  const { responses, promoters, detractors } = counts;
  if (responses === 0) return { ...counts, nps: 0, frequency, npsLow: null, npsHigh: null };
  const { score, variance } = adjusted(counts);
  const margin = Z * Math.sqrt(variance);
  const limited = (share) => Math.max(-100, Math.min(100, 100 * share));
  const [npsLow, npsHigh] = [score - margin, score + margin].map(limited);
  return { ...counts, nps: (100 * (promoters - detractors)) / responses, frequency, npsLow, npsHigh };
}

// Returns the difference of the scores of two periods, in points, its 95% interval, and whether it is
// `clear`: zero lies outside of the interval. That is null if either period has few responses.
export function changeBetween(before, after) {
  const [first, second] = [adjusted(before), adjusted(after)];
  const middle = second.score - first.score;
  const half = Z * Math.sqrt(first.variance + second.variance);
  const [low, high] = [100 * (middle - half), 100 * (middle + half)];
  const isKnown = !isFew(before) && !isFew(after);
  return { difference: after.nps - before.nps, low, high, clear: isKnown ? low > 0 || high < 0 : null };
}
