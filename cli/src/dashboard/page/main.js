// The page: reads the address, loads what it asks for and draws it.

import * as api from "./api.js";
import { data, load } from "./data.js";
import { dateIn } from "./model/format.js";
import { complete, formatAddress, parseAddress, withFilter, withGroup } from "./model/question.js";
import { showEmpty, showFigures, showForm, showLoading, showMistakes, showProblem, showQuestion } from "./view/page.js";

const zone = Intl.DateTimeFormat().resolvedOptions().timeZone ?? "UTC";

let settings;
let question;
let answer;
let loading = new AbortController();

const today = (timezone) => dateIn(api.serverTime(), timezone);
const suggestedKey = (project) => (project === settings.project ? settings.readKey : undefined);
const needsKey = (project) => !settings.holdsKey && !suggestedKey(project) && !api.keyOf(project);

// Asks the API about the project of the question; requests end with the question that they belong to.
function request(parameters) {
  const key = settings.holdsKey ? undefined : (api.keyOf(question.project) ?? suggestedKey(question.project));
  return api.statistics(parameters, { key, signal: loading.signal });
}

const known = data(() => ({ question, request, today }));

const actions = {
  ...known,
  needsKey,
  today,
  change: (changes) => open({ ...question, ...changes }),
  addFilter: (filter) => actions.change({ filters: withFilter(question.filters, filter) }),
  addGroup: (filter) => actions.change({ filters: withGroup(question.filters, filter) }),
  openProject,
  reload: () => (question ? show() : start()),
  copyLink: navigator.clipboard ? () => navigator.clipboard.writeText(location.href) : null,
  saveCsv,
};

// Learns what the server suggests, and opens the address.
async function start() {
  showLoading(true);
  try {
    settings = await api.settings();
  } catch (failure) {
    return showProblem(failure, null, actions);
  } finally {
    showLoading(false);
  }
  addEventListener("popstate", read);
  read();
}

function read() {
  const { said, problems } = parseAddress(location.search);
  if (problems.length > 0) return showMistakes(problems, () => open(said));
  open(said, { replace: true });
}

// Opens a question, and puts it into the address.
function open(said, { replace = false } = {}) {
  loading.abort();
  const project = said.project ?? settings.project;
  if (!project) return showForm({ needsKey }, openProject);
  question = complete(said, settings, { today: today(said.timezone ?? zone), zone });
  const address = formatAddress(question);
  if (replace) history.replaceState(null, "", address);
  else if (address !== location.search) history.pushState(null, "", address);
  show();
}

// Opens a project with its key. Filters and groups of another project would mean nothing.
function openProject({ project, key, keep }) {
  if (key) api.holdKey(project, key, keep);
  if (question && question.project !== project) open({ project, timezone: question.timezone, filters: [] });
  else open({ ...(question ?? parseAddress(location.search).said), project });
}

// Loads and draws the figures. Until they are there, the old ones stay.
async function show() {
  loading.abort();
  loading = new AbortController();
  const { signal } = loading;
  showQuestion(question, actions);
  if (needsKey(question.project)) return showForm({ project: question.project, needsKey }, openProject);
  showLoading(true);
  try {
    const loaded = await load(question, request, { today: today(question.timezone), extent: known.extent() });
    if (signal.aborted) return;
    answer = loaded;
    if (answer.groups.failure?.code === "private_trait") known.refuse(question.project, question.group);
    if (answer.figures.displays === 0) showEmpty(answer, actions);
    else showFigures(answer, { time: api.serverTime(), settings }, actions);
  } catch (failure) {
    if (signal.aborted) return;
    // The other requests of the question end; what is asked from here on does not.
    loading.abort();
    loading = new AbortController();
    fail(failure);
  }
  showLoading(false);
}

// A refused key is forgotten, and asked for again, unless the program that serves the page holds it.
function fail(failure) {
  answer = undefined;
  const refused = failure.code === "unauthenticated" || failure.code === "forbidden";
  if (!refused || settings.holdsKey) return showProblem(failure, question, actions);
  const { project } = question;
  api.forgetKey(project);
  if (suggestedKey(project)) settings.readKey = undefined;
  const problem = failure.code === "forbidden" ? `This key is not for the project ${project}.` : "This key is not accepted: it is mistyped, or has been revoked.";
  showForm({ project, needsKey, problem }, openProject);
}

// Saves what is shown as a table. What makes it is loaded when it is wanted.
async function saveCsv() {
  if (!answer) return;
  const { project, start } = answer.question;
  const { csv } = await import("./model/csv.js");
  const url = URL.createObjectURL(new Blob([csv(answer)], { type: "text/csv;charset=utf-8" }));
  Object.assign(document.createElement("a"), { href: url, download: `feedback-${project}-${start}.csv` }).click();
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}

start();
