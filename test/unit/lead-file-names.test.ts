import { expect, test } from "bun:test";
import { splitFullName } from "../../src/leads/import/full-name.ts";

test.each([
  ["Ada Lovelace", "Ada", "Lovelace"],
  ["Ada", "Ada", ""],
  ["  Mary  Jane   Watson ", "Mary Jane", "Watson"],
  ["Lovelace, Ada", "Ada", "Lovelace"],
  ["van Dyk, Zoë Anna", "Zoë Anna", "van Dyk"],
  ["Ludwig van Beethoven", "Ludwig", "van Beethoven"],
  ["María José de la Cruz", "María José", "de la Cruz"],
  ["Van Morrison", "Van", "Morrison"],
  ["Anh Le", "Anh", "Le"],
  ["Martin Luther King Jr.", "Martin Luther", "King Jr."],
  ["Grace Hopper, PhD", "Grace", "Hopper, PhD"],
  ["Hopper, Grace, PhD", "Grace", "Hopper, PhD"],
  ["Dr. Prof. Ada Lovelace", "Ada", "Lovelace"],
  ["Dr. Ludwig van Beethoven Jr.", "Ludwig", "van Beethoven Jr."],
  ["毛泽东", "毛泽东", ""],
  ["", "", ""],
])("%p is the first name %p and the last name %p", (fullName, firstName, lastName) => {
  expect(splitFullName(fullName)).toEqual({ firstName, lastName });
});
