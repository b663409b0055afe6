// What the page finds out about a project's data: how far it goes, its traits, and their values.

import { Failure } from "./api.js";
import { findExtent } from "./load.js";
import { groups } from "./model/question.js";
import { problemText } from "./view/problems.js";

// Inquiries end with the question that they belong to; then nobody waits for words.
function wordsOf(failure) {
  return failure instanceof Failure ? problemText(failure) : "";
}

// Returns the inquiries. `state` returns the current settings and question, and how to ask.
export function data(state) {
  const extents = new Map();
  const used = new Map();
  const place = ({ project, timezone }) => `${project} ${timezone}`;

  async function look(filters) {
    const { question, request, today } = state();
    return findExtent({ ...question, filters }, request, today(question.timezone));
  }

  return {
    // Returns how far the data of the project goes, if it has been looked for.
    extent: () => extents.get(place(state().question)),

    // Finds the period that has all data of the project; returns words if there is none.
    async findAll() {
      const { question } = state();
      try {
        const extent = await look([]);
        if (!extent) return { words: "This project has no displays." };
        extents.set(place(question), extent);
        return { period: { start: extent.start, end: extent.end, interval: undefined } };
      } catch (failure) {
        return { words: wordsOf(failure) };
      }
    },

    // Finds where there are displays that the filters of the question match; returns words if nowhere.
    async findData() {
      const { filters } = state().question;
      try {
        const extent = await look(filters);
        return extent ? { extent } : { words: filters.length > 0 ? "No display of any year matches these filters." : "This project has no displays yet." };
      } catch (failure) {
        return { words: wordsOf(failure) };
      }
    },

    // Returns the traits to offer: the server's own, and those that were used.
    traits() {
      const { settings, question } = state();
      const { project, group, groupType = "string", filters } = question;
      const now = [...filters, ...(group ? [{ name: group, type: groupType }] : [])];
      const seen = used.get(project) ?? new Map();
      for (const { name, type } of now) seen.set(`${type} ${name}`, { name, type });
      used.set(project, seen);
      const own = project === settings.project ? (settings.traits ?? []) : [];
      const others = [...seen.values()].filter(({ name, type }) => !own.some((trait) => trait.name === name && trait.type === type));
      return [...own, ...others];
    },

    // Finds the most frequent values of a trait in the period. They are only offered, so that any failure
    // leaves them out.
    async findValues(name) {
      const { question, request } = state();
      const filters = question.filters.filter((filter) => filter.name !== name);
      try {
        const elements = await request(groups({ ...question, filters }, { name, limit: "100" }));
        return elements.map(({ group }) => group).filter((group) => typeof group === "string" && group !== "");
      } catch {
        return [];
      }
    },
  };
}
