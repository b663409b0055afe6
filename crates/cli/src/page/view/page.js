// The regions of the page, and what is shown in them.

import { isFew } from "../model/figures.js";
import * as format from "../model/format.js";
import { drawBar, questionWords, showBeside, showCompared } from "./bar.js";
import { drawRatings } from "./bars.js";
import { button, h, setLengths } from "./dom.js";
import { projectForm } from "./forms.js";
import { drawGroups } from "./groups.js";
import * as states from "./states.js";
import { drawSummary } from "./summary.js";
import { drawTrend } from "./trend.js";

const find = (id) => document.getElementById(id);
const [bar, content, footer, status] = ["bar", "content", "footer", "status"].map(find);

// The cards, with the parts of the answer that they show. The first part draws a card, and each other again.
const CARDS = {
  summary: { parts: ["figures", "groups", "ahead"], draw: drawSummary },
  trend: { parts: ["series", "before", "lines"], draw: drawTrend },
  ratings: { parts: ["figures"], draw: drawRatings },
  groups: { parts: ["groups", "figures"], draw: drawGroups },
};

// The browser would take the fragment for another address.
document.querySelector(".skip").addEventListener("click", (event) => {
  event.preventDefault();
  content.focus();
});

const cards = () => Object.keys(CARDS).map(find).filter(Boolean);

// The outline of the page, which stands in it before any script runs.
const outline = [...content.querySelectorAll(".on-paper, .skeleton")];

// Shows that a question is being answered. The cards of the same project stay until their successors come;
// where there are none, the outline stands in their place.
export function showLoading(question) {
  const { project } = question;
  for (const note of content.querySelectorAll(".stale-note, .loading-note")) note.remove();
  if (content.dataset.project === project) {
    for (const card of cards()) card.classList.add("waiting");
    const pale = "; pale figures are the previous ones.";
    content.prepend(h("p.loading-note", "Loading ", questionWords(question), pale));
  } else {
    draw(...outline.map((part) => part.cloneNode(true)));
    content.dataset.project = project;
    footer.replaceChildren();
  }
  setLoading(true);
  status.textContent = "Loading …";
}

// Says whether parts are still to be drawn.
export function setLoading(is) {
  document.body.classList.toggle("loading", is);
  content.setAttribute("aria-busy", String(is));
  if (!is) content.querySelector(".loading-note")?.remove();
}

export function showQuestion(question, actions) {
  bar.hidden = false;
  drawBar(bar, question, actions);
}

// Draws a part of the answer that has come, in the cards that show it.
export function showPart(name, answer, settings, actions) {
  const { question, figures } = answer;
  if (figures?.displays === 0) {
    if (name !== "figures") return;
    place(states.drawEmpty(answer, settings, actions), `No surveys shown · ${question.project}`);
    return;
  }
  for (const [id, { parts, draw: drawCard }] of Object.entries(CARDS)) {
    if (parts.includes(name) && answer[parts[0]]) replace(find(id), drawCard(answer, actions));
  }
  if (name === "figures") showTerms(answer, settings, actions);
  if (name === "figures" && figures.before) showCompared(bar, format.localPeriod(figures.before, question.timezone));
}

// Shows the score, if it is out of sight.
export const showHeadline = () => find("summary")?.scrollIntoView({ block: "nearest" });

// Draws the cards of an answer again, if its project still has its cards here. Returns whether it has.
export function showAgain(answer, { project }, actions) {
  if (answer?.question.project !== project || content.dataset.project !== project) return false;
  for (const [id, card] of Object.entries(CARDS)) replace(find(id), card.draw(answer, actions));
  return true;
}

// Says around the cards which question their figures answer.
function showTerms({ question, figures, time }, settings, actions) {
  content.querySelector(".on-paper").replaceWith(h("p.on-paper", questionWords(question)));
  requestAnimationFrame(() => setTimeout(() => performance.mark("figures")));
  const few = isFew(figures) ? ` (${format.counted(figures.responses, "response")})` : "";
  const score = figures.responses > 0 ? `NPS ${format.score(figures.nps)}${few}` : "No responses";
  name(`${score} · ${question.project} · ${format.dates(question)}`);
  const { service } = settings;
  const at = format.time(time, question.timezone, { day: "numeric", month: "short", year: "numeric" });
  footer.replaceChildren(
    h("p", `Figures of ${at} `, button("link", "Refresh", actions.reload)),
    ...(service ? [h("p", service)] : []));
}

// Says what failed: beside the control that caused it, or above the older answer `since`, if there is one.
export function showProblem(failure, question, since, actions) {
  const cause = question && states.causeOf(failure);
  const whole = () => (cause ? states.drawNothing() : states.drawProblem(failure, question, actions));
  if (!since) place(whole(), "A problem");
  else if (!cause) {
    content.prepend(states.drawStale(failure, question, since, actions));
    for (const card of cards()) card.classList.add("stale");
  }
  setLoading(false);
  status.textContent = "A problem";
  if (!cause) return;
  const note = states.drawBeside(failure, question, actions);
  if (since) note.append(h("span", "What is shown below has not changed."));
  showBeside(bar, cause, note);
}

export function showMistakes(problems, goOn) {
  bar.hidden = true;
  place(states.drawMistakes(problems, goOn), "A problem");
}

// Asks for a project and its key.
export function showForm(terms, choose) {
  bar.hidden = true;
  const form = projectForm(terms, choose);
  const about = "Feedback shows the Net Promoter Score of a project, from what customers answered.";
  place(h("section.state.ask", h("h1", "Open a project"), h("p", about), form), "Project");
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

// Replaces a card, once no menu of it is open. What had the focus passes it to its like, or else to the first
// control, and tables that are open stay so.
function replace(card, successor) {
  const open = card.querySelector(":popover-open");
  if (open) {
    const closed = ({ newState }) => newState === "closed" && replace(card, waiting.get(card));
    if (!waiting.has(card)) open.addEventListener("toggle", closed);
    waiting.set(card, successor);
    return;
  }
  const tables = successor.querySelectorAll("details");
  card.querySelectorAll("details").forEach((one, at) => tables[at]?.toggleAttribute("open", one.open));
  const { activeElement } = document;
  const { localName, classList, dataset: { control } } = activeElement;
  const kind = control ? `[data-control="${control}"]` : [localName, ...classList].join(".");
  const alike = (one) => [...one.querySelectorAll(kind)].filter((other) => other.dataset.control === control);
  const at = card.contains(activeElement) ? alike(card).indexOf(activeElement) : -1;
  card.replaceWith(successor);
  if (at < 0) return;
  const [first] = successor.querySelectorAll("button, [tabindex='0']");
  (alike(successor)[at] ?? alike(successor)[0] ?? first ?? content).focus({ preventScroll: true });
}

// The successors of cards whose menus are open.
const waiting = new WeakMap();

// What sticks below the bar has to know how high it is. A bar of a third of the window scrolls away, too.
function measureBar() {
  bar.classList.toggle("tall", bar.offsetHeight > innerHeight / 3);
  const height = getComputedStyle(bar).position === "sticky" ? bar.offsetHeight : 0;
  setLengths(document.documentElement, { "--bar": height });
}
new ResizeObserver(measureBar).observe(bar);
addEventListener("resize", measureBar);

// Paper has light colors, whatever the screen has, and a width of its own.
for (const [event, printing] of [["beforeprint", true], ["afterprint", false]]) {
  addEventListener(event, () => {
    document.documentElement.classList.toggle("printing", printing);
    document.querySelector(".trend-chart")?.dispatchEvent(new Event("printing"));
  });
}
