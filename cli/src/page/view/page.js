// The regions of the page, and what is shown in them.

import * as format from "../model/format.js";
import { drawBar, questionWords, showBeside } from "./bar.js";
import { drawRatings } from "./bars.js";
import { button, h } from "./dom.js";
import { projectForm } from "./forms.js";
import { drawGroups } from "./groups.js";
import { causeOf, drawBeside, drawEmpty, drawMissing, drawMistakes, drawNothing, drawProblem, drawStale } from "./states.js";
import { drawSummary } from "./summary.js";
import { drawTrend } from "./trend.js";

const [bar, content, footer, status] = ["bar", "content", "footer", "status"].map((id) => document.getElementById(id));

// The cards, with the parts of the answer that they show: a card is drawn when the first of them comes, and again with
// each other one.
const CARDS = {
  summary: { parts: ["figures", "before"], draw: drawSummary },
  trend: { parts: ["series", "before", "lines"], draw: drawTrend },
  ratings: { parts: ["figures"], draw: drawRatings },
  groups: { parts: ["groups"], draw: drawGroups },
};

const cards = () => Object.keys(CARDS).map((id) => document.getElementById(id)).filter(Boolean);

// Shows that a question is being answered. The cards of the same project stay until their successors come; where there
// are none, others of their size stand in their place.
export function showLoading({ project }) {
  content.querySelector(".stale-note")?.remove();
  if (content.dataset.project === project) {
    for (const card of cards()) card.classList.add("waiting");
  } else {
    const bones = (count) => Array.from({ length: count }, () => h("div.bone"));
    const skeleton = (id, kind, ...parts) => h(`section.${kind}.skeleton`, { id, "aria-hidden": "true" }, parts);
    draw(h("p.on-paper"),
      skeleton("summary", "summary", h("div.score", bones(3)), h("div.counts", h("div.volumes", bones(3)), bones(1), h("div.volumes", bones(3)))),
      skeleton("trend", "card", bones(2)),
      h("div.pair", skeleton("ratings", "card", bones(2)), skeleton("groups", "card", bones(2))));
    content.dataset.project = project;
    footer.replaceChildren();
  }
  setLoading(true);
  status.textContent = "Loading …";
}

// Says that all parts have been drawn.
export function showLoaded() {
  setLoading(false);
}

function setLoading(is) {
  document.body.classList.toggle("loading", is);
  content.setAttribute("aria-busy", String(is));
}

export function showQuestion(question, actions) {
  bar.hidden = false;
  drawBar(bar, question, actions);
}

// Draws a part of the answer that has come, in the cards that show it.
export function showPart(name, answer, settings, actions) {
  if (name === "missing") return showMissing(answer);
  if (answer.figures?.displays === 0) {
    if (name === "figures") place(drawEmpty(answer.question, settings, actions), `No surveys shown · ${answer.question.project}`);
    return;
  }
  for (const [id, { parts, draw: drawCard }] of Object.entries(CARDS)) {
    if (parts.includes(name) && answer[parts[0]]) replace(document.getElementById(id), drawCard(answer, actions));
  }
  if (name === "figures") showTerms(answer, settings, actions);
}

// Draws the cards of an answer again, if its project still has its cards here. Returns whether it has.
export function showAgain(answer, { project }, actions) {
  if (answer?.question.project !== project || content.dataset.project !== project) return false;
  for (const [id, { draw: drawCard }] of Object.entries(CARDS)) replace(document.getElementById(id), drawCard(answer, actions));
  return true;
}

// Says beside its control that no record has a trait.
function showMissing({ missing }) {
  for (const one of missing) {
    if (one.control === "group") document.getElementById("groups").querySelector(".card-head").after(drawMissing(one));
    else showBeside(bar, one.control, drawMissing(one));
  }
}

// Says what the figures are of, beside the cards.
function showTerms({ question, figures, time }, settings, actions) {
  content.querySelector(".on-paper").replaceWith(h("p.on-paper", questionWords(question)));
  requestAnimationFrame(() => setTimeout(() => performance.mark("figures")));
  const score = figures.responses > 0 ? `NPS ${format.score(figures.nps)}` : "No responses";
  name(`${score} · ${question.project} · ${format.dates(question)}`);
  const link = (href, text) => h("a", { href }, text);
  const date = { day: "numeric", month: "short", year: "numeric" };
  footer.replaceChildren(
    h("p", `Figures of ${format.time(time, question.timezone, date)} `, button("link", "Refresh", actions.reload)),
    ...(settings.service ? [h("p", settings.service)] : []),
    ...(settings.documentation ? [h("p", link(settings.documentation, "API documentation"))] : []),
    method());
}

function method() {
  return h("details", h("summary", "How to read the figures"),
    h("p", "The Net Promoter Score is the share of promoters (9 and 10) less that of detractors (0 to 6), from −100 to +100."),
    h("p", "Were all customers asked, their score would lie in the interval 95 times of 100 (less often with few responses), if those who responded did so independently and are like the others. It is the adjusted Wald interval, which the score of very few responses can lie outside of."),
    h("p", "A change is clear if its own 95% interval leaves zero out, and both periods have at least 30 responses."),
    h("p", "Where each person counts once, their newest rating does: of the period, and of each interval in the trend. Whoever has no id counts with every rating; the response rate counts all answers."));
}

// Says what failed: beside the control that caused it, or above the figures of `since`, if there are such.
export function showProblem(failure, question, since, actions) {
  const cause = question && causeOf(failure);
  if (!since) place(cause ? drawNothing() : drawProblem(failure, question, actions), "A problem");
  else if (!cause) {
    content.prepend(drawStale(failure, question, since, actions));
    for (const card of cards()) card.classList.add("stale");
  }
  setLoading(false);
  status.textContent = "A problem";
  if (!cause) return;
  const note = drawBeside(failure, cause, question, actions);
  if (since) note.append(h("span", "What is shown below has not changed."));
  showBeside(bar, cause, note);
}

export function showMistakes(problems, goOn) {
  bar.hidden = true;
  place(drawMistakes(problems, goOn), "A problem");
}

// Asks for a project and its key.
export function showForm(terms, choose) {
  bar.hidden = true;
  const form = projectForm(terms, choose);
  place(h("section.state.ask", h("h1", "Open a project"), form), "Project");
  form.querySelector("[data-first]").focus();
}

function place(section, title) {
  draw(section);
  name(title);
  footer.replaceChildren();
}

function name(title) {
  document.title = `${title} · Feedback`;
  status.textContent = title;
}

// Replaces the content, whose successor gets the focus, and shows it from its top.
function draw(...sections) {
  const hadFocus = content.contains(document.activeElement);
  delete content.dataset.project;
  content.replaceChildren(...sections);
  setLoading(false);
  if (hadFocus) (content.querySelector(".state") ?? content).focus({ preventScroll: true });
  scrollTo(0, 0);
}

// Replaces a card. What had the focus is replaced too; its successor gets the focus.
function replace(card, successor) {
  const focused = card.contains(document.activeElement) ? (document.activeElement.dataset.control ?? "none") : null;
  card.replaceWith(successor);
  if (focused) (successor.querySelector(`[data-control="${focused}"]`) ?? content).focus({ preventScroll: true });
}

// Paper has light colors, whatever the screen has, and a width of its own.
for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", printing);
    dispatchEvent(new Event("printing"));
  });
}
