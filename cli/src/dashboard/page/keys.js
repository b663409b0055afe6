// The Read Keys that were typed, one a project. They are in memory; in the session's storage only if the
// person wants it, until the tab is closed.

const memory = new Map();
const name = (project) => `feedback.read-key.${project}`;

export function keyOf(project) {
  return memory.get(project) ?? sessionStorage.getItem(name(project)) ?? undefined;
}

export function holdKey(project, key, keep) {
  forgetKey(project);
  memory.set(project, key);
  if (keep) sessionStorage.setItem(name(project), key);
}

export function forgetKey(project) {
  memory.delete(project);
  sessionStorage.removeItem(name(project));
}

// Returns whether a header can carry a key.
export function isKey(text) {
  return /^[\x21-\x7e]+$/.test(text);
}
