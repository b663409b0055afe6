// The terms of the figures, and what an answer of the API has.

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
const VERDICTS = ["clear", "chance", "few", "partial", "empty"];
const isEarlier = (value) => isInstant(value?.start) && isInstant(value.end)
  && Object.entries(FIGURES).every(([name, [fits]]) => fits(value[name]));
const isChange = (value) => VERDICTS.includes(value?.verdict)
  && ["points", "low", "high", "fromScore", "fromShare"].every((name) => SCORE[0](value[name]));
const PARTS = {
  interval: { start: INSTANT, end: INSTANT },
  groupBy: { group: [isGroup, "a string, a boolean or null"], other: BOOLEAN },
  respondents: { superseded: COUNT },
  compare: { before: [isEarlier, "figures of a period"], change: [isChange, "a change"] },
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
  const isOne = parts.every((name) => name === "respondents" || name === "compare");
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

// Returns whether the score of a period changed clearly.
export const isClear = (figures) => figures?.change?.verdict === "clear";

// Returns what a group contributes to the change of the whole score.
export const contribution = ({ fromScore, fromShare }) => fromScore + fromShare;
