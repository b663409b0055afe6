// The score of the period, what it is worth, and how many it comes from.

import { answered, isFew, KINDS, scaleSentence } from "../model/figures.js";
import * as format from "../model/format.js";
import { presetLabel } from "../model/period.js";
import { chosenGroup } from "../model/question.js";
import { mix } from "./bars.js";
import { button, count, h } from "./dom.js";
import { drawSkipped } from "./states.js";

export function drawSummary(answer, { change }) {
  const { question, figures, ahead = [] } = answer;
  const summary = summaryOf(answer);
  const known = figures.responses > 0;
  const few = known && isFew(figures);
  const otherScale = question.filters.length === 0 && scaleSentence(figures);
  const isNamed = presetLabel(question.period);
  const interval = [
    `95% interval ${format.scoreInterval(figures)}`,
    !question.respondents && h("span.advice", ", too narrow where people answer repeatedly: ",
      button("link", "each person once", () => change({ respondents: "latest" }))),
  ];
  return h("section.summary", { id: "summary", "aria-label": "The whole period" },
    h("div.score",
      otherScale && h("p.other-scale", otherScale),
      h("h1", "Net Promoter Score", isNamed && `, ${format.dates(question)}`),
      h(few || otherScale ? "p.figure.few" : "p.figure", { id: "nps" }, known ? format.score(figures.nps) : "–"),
      h("p.soft", known ? interval : "There is no response in this period."),
      known && question.target && h("p.soft", { id: "target" }, onTarget(figures, question)),
      few && h("p.soft", { id: "few" }, `${format.counted(figures.responses, "response")}: too few to tell`),
      summary && h("p.change", summary),
      comesAfter(question, ahead, change),
      drawSkipped(figures)),
    h("div.counts",
      volumes(question, figures),
      question.respondents && h("p.soft", leftOut(figures)), known && kinds(figures)));
}

// Says how far the score is from the target.
function onTarget({ nps }, { target }) {
  const size = format.score(Math.abs(nps - target));
  const way = size === "0.0" ? "On" : `${size} ${nps > target ? "above" : "below"}`;
  return `${way} the target of ${target.replace("-", "\u2212")}.`;
}

// Says how many ratings `respondents=latest` left out.
const leftOut = ({ superseded }) => "Each person\u2019s newest rating counts: "
  + (superseded > 0 ? `${format.counted(superseded, "earlier rating")} left out.` : "there is no earlier one.");

// Says that records are of days after today, with the way to them.
function comesAfter({ start }, years, change) {
  const responses = years.reduce((sum, one) => sum + one.responses, 0);
  if (years.length === 0) return null;
  const show = () => change({ start, end: years.at(-1).end, interval: undefined });
  const are = responses === 1 ? "is" : "are";
  return h("p.soft", button("link", `${format.counted(responses, "response")} ${are} after today`, show));
}

// Returns what the API says of the change; of all groups, unless the figures are those of a chosen one.
export function summaryOf({ question, figures, groups }) {
  if (figures.responses === 0) return undefined;
  return (!chosenGroup(question) && groups?.value?.summary) || figures.summary;
}

function volumes(question, figures) {
  const { responses, displays, dismissed, before } = figures;
  const volume = (label, figure, note) => (
    h("div.volume", h("dt", label), h("dd", h("span.figure", figure), note && h("span.soft", note))));
  const earlier = before?.displays > 0 && !before.since && format.localPeriod(before, question.timezone);
  const compared = earlier
    && `${format.signedWhole(responses - before.responses)} vs ${format.periodName(earlier)}`;
  const all = answered(figures);
  const answers = question.respondents ? `${format.counted(all, "answer")} ` : "";
  return h("dl.volumes",
    volume(question.respondents ? "People" : "Responses", count(responses), compared),
    // If every survey was answered, unanswered ones are not recorded, and the rate is not known.
    all < displays
      && volume("Response rate", format.share(all, displays), `${answers}of ${format.shown(displays)}`),
    dismissed > 0 && volume("Dismissed", count(dismissed), `${format.share(dismissed, displays)} of surveys shown`));
}

function kinds(figures) {
  const share = (name) => h("span.soft", format.share(figures[name], figures.responses));
  const kind = (name) => (
    h(`div.kind.${name}`, h("dt", name), h("dd", h("strong", count(figures[name])), " ", share(name))));
  return h("div.kinds", mix(figures), h("dl", KINDS.map(kind)));
}
