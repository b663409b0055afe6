// Names that are like a mistyped one.

// Returns how many letters are to be added, removed, changed or swapped with the next to make one text of another.
function distance(one, other) {
  let [before, last] = [[], Array.from({ length: other.length + 1 }, (_, at) => at)];
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      row[j] = Math.min(last[j] + 1, row[j - 1] + 1, last[j - 1] + (one[i - 1] === other[j - 1] ? 0 : 1));
      if (one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1]) row[j] = Math.min(row[j], before[j - 2] + 1);
    }
    [before, last] = [last, row];
  }
  return last.at(-1);
}

// Returns up to five of the names, the most similar first: those that differ in every third letter at most, or contain the
// text. The part after a slash counts by itself, as the city of a time zone.
export function similar(text, names) {
  const forms = (name) => [name, name.slice(name.lastIndexOf("/") + 1)].map((form) => form.toLowerCase().replaceAll(" ", "_"));
  const wanted = forms(text.slice(0, 100));
  const far = (name) => {
    const found = forms(name.slice(0, 100));
    if (wanted[0] !== "" && found[0].includes(wanted[0])) return 0.5;
    return Math.min(...found.map((form, at) => (wanted[at] ? distance(wanted[at], form) / wanted[at].length : 1))) * 3;
  };
  return names.map((name) => [far(name), name]).filter(([much]) => much <= 1).sort(([one], [other]) => one - other).slice(0, 5).map(([, name]) => name);
}
