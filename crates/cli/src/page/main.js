// The page: reads the address, loads what it asks for and draws it.

import * as api from "./api.js";
import { data, requestParts } from "./data.js";
import { dateIn } from "./model/format.js";
import {
  changed, complete, fileName, formatAddress, groups, parseAddress, series, withFilter, withGroup,
} from "./model/question.js";
import { save } from "./view/dom.js";
import * as page from "./view/page.js";
import { zoneHere } from "./view/pickers.js";
import { problemText } from "./view/states.js";

// The first day of the reader's weeks: one of the two that the API knows. Not every browser tells.
const locale = new Intl.Locale(navigator.language);
const weekStart = (locale.getWeekInfo?.() ?? locale.weekInfo)?.firstDay === 7 ? "sunday" : "monday";

let settings;
let question;
// The question of the cards, which they change: an older one than the question of the bar if that failed.
let basis;
// The answer whose cards have all been drawn.
let drawn;
let loading = new AbortController();
// The API's answers to the question, by their parameters.
let kept = new Map();

const today = (timezone) => dateIn(api.serverTime, timezone);
const suggestedKey = (project) => (project === settings.project ? settings.readKey : undefined);
const needsKey = (project) => !suggestedKey(project) && !api.keyOf(project);

const key = ({ project }) => api.keyOf(project) ?? suggestedKey(project);

// Asks the API about the project of the question; requests end with the question that they belong to.
const request = (parameters, { signal } = loading) => (
  api.statistics(parameters, { key: key(question), signal }));

// What the form that opens a project asks; `folder` returns the name of the served folder in commands.
const ofServer = { needsKey, folder: () => settings.data };
const inquiries = data(() => ({ question, request, today }));

const actions = {
  ...inquiries,
  ...ofServer,
  today,
  change: (changes) => open(changed(question, changes)),
  // Shows the same figures in another way, with the answers that have come.
  look: (changes) => open({ ...basis, ...changes }, { keep: true }),
  // Goes to a neighbor of the period; the way back from one that was narrowed stays.
  step: (period) => actions.change({ ...period, within: question.within }),
  addFilter: (filter) => actions.change({ filters: withFilter(question.filters, filter) }),
  openProject,
  reload() {
    if (!question) return start();
    if (!question.period) return show();
    // What it is today decides what the period is.
    return api.settings().catch(() => null).then(() => open(question));
  },
  // Asks again for what failed.
  retry: () => show(true),
  copyLink: navigator.clipboard ? (asked) => (
    navigator.clipboard.writeText(new URL(formatAddress(asked), location.href).href)) : null,
  saveCsv,
  // The only project that everybody has a key for is the sample.
  isSample: (project) => suggestedKey(project) !== undefined,
  isKeyHeld: () => api.keyOf(question.project) !== undefined,
  forgetKey,
};

const cardActions = {
  ...actions,
  change: (changes) => open(changed(basis, changes)),
  // The figures of all groups stay as they are, so they are not asked for again.
  chooseGroup(filter) {
    open(changed(basis, { filters: withGroup(basis.filters, filter) }), { keep: true });
    page.showHeadline();
  },
};

// Learns what the server suggests, and opens the address.
async function start() {
  api.takeKey();
  try {
    settings = await api.settings();
  } catch (failure) {
    return page.showProblem(failure, null, null, actions);
  }
  addEventListener("popstate", read);
  read();
}

function read() {
  api.takeKey();
  const { said, problems } = parseAddress(location.search);
  if (problems.length > 0) return page.showMistakes(problems, () => open(said));
  open(said, { replace: true });
}

// Opens a question, and puts it into the address.
function open(said, { replace = false, keep = false } = {}) {
  loading.abort();
  const project = said.project ?? settings.project;
  if (!project) return askProject();
  question = complete(said, settings, { today: today(said.timezone ?? zoneHere), zone: zoneHere, weekStart });
  const address = formatAddress(question);
  if (replace) history.replaceState(null, "", address);
  else if (address !== location.search) history.pushState(null, "", address);
  show(keep);
}

const askProject = (terms) => page.showForm({ ...ofServer, ...terms }, openProject);

// Opens a project with its key. Filters and groups of another project would mean nothing.
function openProject({ project, key }) {
  if (key) api.holdKey(project, key);
  if (question && question.project !== project) open({ project, timezone: question.timezone, filters: [] });
  else open({ ...(question ?? parseAddress(location.search).said), project });
}

function forgetKey() {
  loading.abort();
  api.forgetKey(question.project);
  drawn = undefined;
  if (needsKey(question.project)) askProject({ project: question.project });
  else show();
}

// Loads the figures, and draws each part when it comes. Until then, old ones of the same project stay.
async function show(keep = false) {
  loading.abort();
  if (!keep) kept = new Map();
  loading = new AbortController();
  const { signal } = loading;
  page.showQuestion(question, actions);
  if (needsKey(question.project)) return askProject({ project: question.project });
  page.showLoading(question);
  basis = question;
  try {
    await load(signal);
  } catch (failure) {
    if (signal.aborted) return;
    if (!(failure instanceof api.Failure)) throw failure;
    // The other requests of the question end; inquiries that follow do not.
    loading.abort();
    loading = new AbortController();
    if (fail(failure)) basis = drawn.question;
  }
  if (!signal.aborted) page.setLoading(false);
}

// Draws the parts of the answer to the question.
async function load(signal) {
  const loaded = { question };
  const answers = kept;
  const ask = async (parameters) => {
    const asked = JSON.stringify(parameters);
    if (!answers.has(asked)) {
      const figures = await request(parameters, { signal });
      answers.set(asked, { figures, time: api.serverTime });
    }
    const { figures, time } = answers.get(asked);
    // The time of all is that of the oldest.
    if (!loaded.time || time < loaded.time) loaded.time = time;
    return figures;
  };
  const parts = requestParts(question, ask, today(question.timezone));
  await Promise.all(Object.entries(parts).map(async ([name, part]) => {
    loaded[name] = await part;
    if (signal.aborted) return;
    loaded.time ??= api.serverTime;
    page.showPart(name, loaded, settings, cardActions);
  }));
  if (!signal.aborted) drawn = loaded;
}

// Forgets a refused key and asks for another. Returns whether the cards stay.
function fail(failure) {
  const refused = failure.code === "unauthenticated" || failure.code === "forbidden";
  if (!refused) {
    const stays = page.showAgain(drawn, question, cardActions);
    page.showProblem(failure, question, stays ? drawn : null, actions);
    return stays;
  }
  const { project } = question;
  api.forgetKey(project);
  if (suggestedKey(project)) settings.readKey = undefined;
  const problem = failure.code === "forbidden"
    ? `This key is not for the project ${project}.`
    : "This key is not accepted: it is mistyped, or has been revoked.";
  askProject({ project, problem });
  return false;
}

// Saves a table that the API writes of what the cards show, with the mark by which spreadsheets recognize UTF-8.
// Returns words that say how that went.
function saveCsv(part) {
  const [parameters, name] = [(part === "group" ? groups : series)(basis), fileName(basis, basis[part])];
  return api.table(parameters, { key: key(basis) }).then((text) => {
    save(`\ufeff${text}`, "text/csv;charset=utf-8", `${name}.csv`);
    return "Saved";
  }, problemText);
}

start();
