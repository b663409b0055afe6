import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { KINDS } from "../../../crates/cli/src/page/model/figures.js";

const path = new URL("../../../crates/cli/src/page/styles/base.css", import.meta.url);
const styles = readFileSync(path, "utf8");
const SCHEMES = ["light", "dark"];
const LINES = ["score", ...[1, 2, 3, 4, 5].map((at) => `group-${at}`)];

function color(scheme, name) {
  const [, ...found] = new RegExp(`--${name}: light-dark\\(#([0-9a-f]{3,6}), #([0-9a-f]{3,6})\\);`).exec(styles);
  const hex = found[SCHEMES.indexOf(scheme)];
  const digits = hex.length === 3 ? [...hex].map((digit) => digit + digit) : hex.match(/../g);
  const linear = (part) => (part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return digits.map((digit) => linear(parseInt(digit, 16) / 255));
}

const times = (matrix, vector) => (
  matrix.map((row) => row.reduce((sum, factor, at) => sum + factor * vector[at], 0)));

// How full protanopia, deuteranopia and tritanopia change linear colors (Machado, Oliveira and Fernandes,
// 2009).
const EYES = {
  usual: [[1, 0, 0], [0, 1, 0], [0, 0, 1]],
  protanopia: [
    [0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779], [-0.078411, 0.930809, 0.147602], [0.004733, 0.691367, 0.3039],
  ],
};

const CONES = [
  [0.4122214708, 0.5363325363, 0.0514459929],
  [0.2119034982, 0.6806995451, 0.1073969566],
  [0.0883024619, 0.2817188376, 0.6299787005],
];
const OKLAB = [
  [0.2104542553, 0.793617785, -0.0040720468],
  [1.9779984951, -2.428592205, 0.4505937099],
  [0.0259040371, 0.7827717662, -0.808675766],
];

// The color in Oklab, where distances are those that are seen.
const seen = (rgb) => times(OKLAB, times(CONES, rgb).map(Math.cbrt));

const limited = (rgb) => rgb.map((part) => Math.min(1, Math.max(0, part)));
const luminance = (rgb) => 0.2126 * rgb[0] + 0.7152 * rgb[1] + 0.0722 * rgb[2];

test("the lines of the trend, and the kinds of responses, are told apart by everybody, in both schemes", () => {
  for (const scheme of SCHEMES) {
    for (const [eyes, matrix] of Object.entries(EYES)) {
      for (const names of [LINES, KINDS]) {
        const all = names.map((name) => [name, seen(limited(times(matrix, color(scheme, name))))]);
        for (const [at, [name, one]] of all.entries()) {
          for (const [other, two] of all.slice(at + 1)) {
            const distance = Math.hypot(...one.map((part, axis) => part - two[axis]));
            assert.ok(distance >= 0.14, `${scheme}, ${eyes}: ${name} and ${other} are ${distance} apart`);
          }
        }
      }
    }
  }
});

test("the lines of the trend, and the kinds, stand out from the card", () => {
  for (const scheme of SCHEMES) {
    for (const name of [...LINES, ...KINDS]) {
      const [line, card] = [name, "card"].map((one) => luminance(color(scheme, one)) + 0.05);
      assert.ok(Math.max(line / card, card / line) >= 3, `${scheme}: ${name}`);
    }
  }
});
