import { expect, test } from "bun:test";
import { namesIn } from "../../src/prospecting/import/row-values.ts";

test.each([
  ["['E', 'F']", ["E", "F"]],
  ["{G,H}", ["G", "H"]],
  ['{"Ruby on Rails",I}', ["Ruby on Rails", "I"]],
  ['["I","J"]', ["I", "J"]],
  ['["K", 1]', ["K"]],
  ["[L;M]", ["L", "M"]],
  ["C|D", ["C", "D"]],
  ["A, B; C|D", ["A, B", " C", "D"]],
  ["C++;C#", ["C++", "C#"]],
  ["[]", []],
  ["[half, open", ["[half", " open"]],
])("%s names %p", (text, names) => {
  expect(namesIn(text)).toEqual(names);
});
