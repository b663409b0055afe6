// The terms of the figures, and what an answer of the API has.

// The kinds of responses, from the lowest ratings to the highest.
export const KINDS = ["detractors", "passives", "promoters"];

// Fewer responses than this say little: chance alone moves the score by tens of points.
export const FEW = 30;
export const isFew = ({ responses }) => responses < FEW;

export const COUNTS = ["responses", "displays", "dismissed", "promoters", "passives", "detractors"];

// What each parameter adds to the elements of an answer, and an older API may lack.
const PARTS = {
  confidence: "npsLow", interval: "start", groupBy: "group", respondents: "superseded", compare: "change", describe: "private",
};

// Says what the answer to these parameters lacks; returns null if it has all.
export function mistakeOf({ data }, parameters) {
  if (!Array.isArray(data)) return "data should be an array.";
  const parts = parameters.map(([name]) => name).filter((name) => Object.hasOwn(PARTS, name));
  const mayBeEmpty = parts.includes("groupBy") || parts.includes("describe");
  if (data.length === 0 && !mayBeEmpty) return "data should have an element.";
  const missing = parts.find((part) => data.some((element) => element?.attributes?.[PARTS[part]] === undefined));
  return missing ? `The figures lack ${PARTS[missing]}.` : null;
}

// Returns how many displays were answered, also by those who answered again.
export const answered = ({ responses, superseded = 0 }) => responses + superseded;

export const kindOf = (rating) => KINDS[rating <= 6 ? 0 : rating <= 8 ? 1 : 2];

// Returns whether the score of a period changed clearly.
export const isClear = (figures) => figures?.change?.verdict === "clear";
