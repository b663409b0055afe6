// The terms of the figures, and how certain a change of the score is.

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

// The coefficients of Wichura's algorithm AS 241, from the highest power to the lowest.
const ABOVE = [7.745450142783414e-4, 0.022723844989269184, 0.2417807251774506, 1.2704582524523684, 3.6478483247632045, 5.769497221460691, 4.630337846156546, 1.4234371107496835];
const BELOW = [1.0507500716444169e-9, 5.475938084995345e-4, 0.015198666563616457, 0.14810397642748008, 0.6897673349851, 1.6763848301838038, 2.053191626637759, 1];

// Returns what a normal variable exceeds with this probability, which is between 1E-10 and 0.07.
export function exceededWith(probability) {
  const r = Math.sqrt(-Math.log(probability)) - 1.6;
  const polynomial = (coefficients) => coefficients.reduce((sum, coefficient) => sum * r + coefficient);
  return polynomial(ABOVE) / polynomial(BELOW);
}

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
  const margin = 1.959963984540054 * Math.sqrt(variance);
  const percent = (share) => Math.max(-100, Math.min(100, 100 * share));
  return { ...counts, nps: (100 * (promoters - detractors)) / responses, frequency, npsLow: percent(score - margin), npsHigh: percent(score + margin) };
}

// Returns the change of the measured score from one period to another, in points, the interval in which
// the change of all customers plausibly lies, and whether it can be told from chance. The overlap of
// the two periods' own intervals would not be the test. The interval misses it with the probability `risk`.
export function changeBetween(before, now, risk = 0.05) {
  const [first, second] = [adjusted(before), adjusted(now)];
  const middle = second.score - first.score;
  const half = exceededWith(risk / 2) * Math.sqrt(first.variance + second.variance);
  const [low, high] = [100 * (middle - half), 100 * (middle + half)];
  return { points: now.nps - before.nps, low, high, certain: low > 0 || high < 0 };
}

// Returns the two groups that differ most, the higher one first, of those pairs whose difference can be told from
// chance; null if there is none. Of many pairs, some differ by chance, so each has its part of the risk (Bonferroni).
export function distinctGroups(groups) {
  const pairs = (groups.length * (groups.length - 1)) / 2;
  let found = null;
  for (const high of groups) {
    for (const low of groups) {
      const { points, low: least } = changeBetween(low, high, 0.05 / pairs);
      if (high !== low && least > 0 && !(found?.points >= points)) found = { high, low, points };
    }
  }
  return found;
}

// Returns whether a measured score lies outside its interval, as that of one response does.
export function isOutside({ responses, nps, npsLow, npsHigh }) {
  return responses > 0 && (nps < npsLow || nps > npsHigh);
}
