import { expect, test } from "bun:test";
import { KeyFilter } from "../../src/lib/key-index/key-filter.ts";
import { createDice } from "../support/ids.ts";

test("every key that was added is told, and hardly any other", () => {
  const filter = new KeyFilter();
  const dice = createDice(71);
  const keys = Array.from({ length: 50_000 }, () => dice.below(2 ** 53));
  for (const key of keys) filter.add(key);
  expect(keys.every((key) => filter.has(key))).toBe(true);
  const mistakes = Array.from({ length: 50_000 }, () => dice.below(2 ** 53)).filter((key) => filter.has(key));
  expect(mistakes.length).toBeLessThan(500);
});
