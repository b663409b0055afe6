// The terms of the figures, and the change of the score from one period to another.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;

const isCount = (value) => Number.isInteger(value) && value >= 0;
const isScore = (value) => value === null || Number.isFinite(value);
const isBoolean = (value) => typeof value === "boolean";
const isInstant = (value) => typeof value === "string" && /^\d{4}-\d\d-\d\dT/.test(value) && !Number.isNaN(Date.parse(value));

// What an element of an answer has, and what it has besides if the parameter was asked for.
const COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];
const FIGURES = {
  ...Object.fromEntries(COUNTS.map((name) => [name, [isCount, "a count"]])),
  nps: [isScore, "a number or null"],
  npsLow: [isScore, "a number or null"],
  npsHigh: [isScore, "a number or null"],
  frequency: [(value) => Array.isArray(value) && value.length === 11 && value.every(isCount), "eleven counts"],
};
const PARTS = {
  interval: { start: [isInstant, "a timestamp"], end: [isInstant, "a timestamp"] },
  groupBy: {
    group: [(value) => value === null || ["string", "boolean"].includes(typeof value), "a string, a boolean or null"],
    other: [isBoolean, "true or false"],
  },
  respondents: { superseded: [isCount, "a count"] },
  describe: {
    name: [(value) => typeof value === "string", "a string"],
    type: [(value) => ["string", "number", "boolean", "other"].includes(value), "a type"],
    displays: [isCount, "a count"],
    private: [isBoolean, "true or false"],
  },
};

// Says what is not as it should be in the answer to these parameters; returns null if all is.
export function mistakeOf(answer, parameters) {
  const parts = parameters.map(([name]) => name).filter((name) => Object.hasOwn(PARTS, name));
  const { data } = answer;
  if (!Array.isArray(data)) return "data should be an array.";
  if (!parts.some((name) => name !== "respondents") && data.length !== 1) return "data should have one element.";
  if (parts.includes("interval") && data.length === 0) return "data should have an element for each interval.";
  const members = Object.entries(Object.assign({}, parts.includes("describe") ? null : FIGURES, ...parts.map((name) => PARTS[name])));
  for (const [index, element] of data.entries()) {
    for (const [name, [fits, expected]] of members) {
      if (!fits(element?.attributes?.[name])) return `data[${index}].attributes.${name} should be ${expected}.`;
    }
  }
  return null;
}

// Returns how many displays were answered, also by those who answered again.
export function answered({ responses, superseded = 0 }) {
  return responses + superseded;
}

export function kindOf(rating) {
  return KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];
}

// The quantile of the normal distribution for 95%.
const Z = 1.959963984540054;

function adjusted({ responses, promoters, detractors }) {
  const n = responses + 3;
  const [p, d] = [(promoters + 0.75) / n, (detractors + 0.75) / n];
  const score = p - d;
  return { score, variance: (p + d - score * score) / n };
}

// Adds up the elements of an answer to the figures that the API gives of all of them, to the last bit. They must not
// count each person once: a person of several elements would count several times.
export function total(elements) {
  const sum = (count) => elements.reduce((all, element) => all + count(element), 0);
  const counts = Object.fromEntries(COUNTS.map((name) => [name, sum((element) => element[name])]));
  const frequency = Array.from({ length: 11 }, (_, rating) => sum((element) => element.frequency[rating]));
  const { responses, promoters, detractors } = counts;
  if (responses === 0) return { ...counts, nps: 0, frequency, npsLow: null, npsHigh: null };
  const { score, variance } = adjusted(counts);
  const margin = Z * Math.sqrt(variance);
  const percent = (share) => Math.max(-100, Math.min(100, 100 * share));
  return { ...counts, nps: (100 * (promoters - detractors)) / responses, frequency, npsLow: percent(score - margin), npsHigh: percent(score + margin) };
}

// Returns the difference of the scores of two periods, in points, the interval in which that of all customers
// plausibly lies, and whether zero lies outside it: null where either period has few responses, of which nothing can be
// said. That the two periods' own intervals overlap would not say that.
export function changeBetween(before, after) {
  const [first, second] = [adjusted(before), adjusted(after)];
  const middle = second.score - first.score;
  const half = Z * Math.sqrt(first.variance + second.variance);
  const [low, high] = [100 * (middle - half), 100 * (middle + half)];
  const isKnown = before.responses >= FEW && after.responses >= FEW;
  return { difference: after.nps - before.nps, low, high, clear: isKnown ? low > 0 || high < 0 : null };
}
