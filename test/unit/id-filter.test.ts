import { expect, test } from "bun:test";
import { IdFilter } from "../../src/storage/sqlite/id-filter.ts";

const idOf = (n: number): string => Bun.SHA256.hash(`${n}`, "hex").slice(0, 32);

test("what was added may be there; of what was not hardly any is taken for it", () => {
  const filter = new IdFilter();
  expect(filter.mayHave(idOf(0))).toBe(false);
  for (let n = 0; n < 150_000; n++) filter.add(idOf(n), n);
  let missed = 0;
  for (let n = 0; n < 150_000; n++) if (!filter.mayHave(idOf(n))) missed++;
  expect(missed).toBe(0);
  let mistaken = 0;
  for (let n = 0; n < 20_000; n++) if (filter.mayHave(idOf(-1 - n))) mistaken++;
  expect(mistaken).toBeLessThan(20_000 / 50);
});

test("only segments whose rows are all gone are forgotten, also where rows came out of order", () => {
  const filter = new IdFilter();
  const inFirst = 65_536;
  filter.add(idOf(-1), 200_000);
  for (let n = 1; n < 2 * inFirst; n++) filter.add(idOf(n), n);
  filter.forgetBelow(2 * inFirst);
  expect(filter.mayHave(idOf(-1))).toBe(true);
  expect(filter.mayHave(idOf(2 * inFirst - 1))).toBe(false);
  filter.forgetBelow(200_001);
  expect(filter.mayHave(idOf(-1))).toBe(false);
});
