// The regions of the page, and what is shown in them.

import * as format from "../model/format.js";
import { drawBar, questionLine } from "./bar.js";
import { drawRatings } from "./bars.js";
import { button, h } from "./dom.js";
import { projectForm } from "./forms.js";
import { drawGroups } from "./groups.js";
import { drawEmpty, drawMistakes, drawProblem } from "./states.js";
import { drawSummary } from "./summary.js";
import { drawTrend } from "./trend.js";

const [bar, content, footer, status] = ["bar", "content", "footer", "status"].map((id) => document.getElementById(id));

// Shows or removes the progress line. What was drawn stays.
export function showLoading(is) {
  document.body.classList.toggle("loading", is);
  content.setAttribute("aria-busy", String(is));
  if (is) status.textContent = "Loading …";
}

export function showQuestion(question, actions) {
  bar.hidden = false;
  drawBar(bar, question, actions);
}

export function showFigures(answer, { time, settings }, actions) {
  const { question, figures } = answer;
  draw(questionLine(question), drawSummary(answer), drawTrend(answer, actions), h("div.pair", drawRatings(answer), drawGroups(answer, actions)));
  requestAnimationFrame(() => setTimeout(() => performance.mark("figures")));
  const score = figures.responses > 0 ? `NPS ${format.score(figures.nps)}` : "No responses";
  name(`${score} · ${question.project} · ${format.dates(question)}`);
  const link = (href, text) => h("a", { href }, text);
  footer.replaceChildren(
    h("p", `Figures of ${format.time(time, question.timezone)} `, button("link", "Refresh", actions.reload)),
    ...(settings.service ? [h("p", settings.service)] : []),
    ...(settings.documentation ? [h("p", link(settings.documentation, "API documentation"))] : []),
    method());
}

function method() {
  return h("details", h("summary", "How to read the figures"),
    h("p", "The Net Promoter Score is the share of promoters (9 and 10) less that of detractors (0 to 6), from −100 to +100."),
    h("p", "Were all customers asked, their score would lie in the interval 95 times of 100 (less often with few responses), if those who responded did so independently and are like the others. It is the adjusted Wald interval; a change is judged by an interval of its own."),
    h("p", "Where each person counts once, their newest rating does: of the period, and of each interval in the trend. Whoever has no id counts with every rating; the response rate counts all answers."));
}

export function showEmpty(answer, actions) {
  place(drawEmpty(answer.question, actions), `No displays · ${answer.question.project}`);
}

export function showProblem(failure, question, actions) {
  place(drawProblem(failure, question, actions), "A problem");
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

// Replaces the content. What had the focus is replaced too; its successor gets the focus.
function draw(...sections) {
  const focused = content.contains(document.activeElement) ? (document.activeElement.dataset.control ?? "none") : null;
  content.replaceChildren(...sections);
  showLoading(false);
  if (focused) (content.querySelector(`[data-control="${focused}"]`) ?? content.querySelector(".state") ?? content).focus();
}

// Paper has light colors, whatever the screen has.
for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", printing);
    dispatchEvent(new Event("printing"));
  });
}
