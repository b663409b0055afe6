// The terms of the figures, and what an answer of the API has.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;
export const isFew = ({ responses }) => responses < FEW;

export const COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];

// The members of an element of an answer, and those that each parameter adds.
const FIGURES = [...COUNTS, "nps", "npsLow", "npsHigh", "frequency"];
const PARTS = {
  interval: ["start", "end"],
  groupBy: ["group", "other"],
  respondents: ["superseded"],
  compare: ["before", "change"],
  describe: ["name", "type", "displays", "private"],
};

// Says what the answer to these parameters lacks, as that of another version may; returns null if it has all.
export function mistakeOf({ data }, parameters) {
  if (!Array.isArray(data)) return "data should be an array.";
  const parts = parameters.map(([name]) => name).filter((name) => Object.hasOwn(PARTS, name));
  const mayBeEmpty = parts.includes("groupBy") || parts.includes("describe");
  if (data.length === 0 && !mayBeEmpty) return "data should have an element.";
  const figures = parts.includes("describe") ? [] : FIGURES;
  const members = [...figures, ...parts.flatMap((name) => PARTS[name])];
  for (const [at, element] of data.entries()) {
    const missing = members.find((name) => element?.attributes?.[name] === undefined);
    if (missing) return `data[${at}].attributes.${missing} is missing.`;
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
