import { expect, test } from "bun:test";
import { foldedAscii, spellingsOf } from "../../src/features/leads/spellings.ts";

const finds = (searched: string, stored: string) =>
  spellingsOf(searched).some((spelling) => foldedAscii(stored).includes(spelling));

test("ASCII text has one spelling", () => {
  expect(spellingsOf("Head of SALES 2")).toEqual(["head of sales 2"]);
});

test.each([
  ["köln", "KÖLN"],
  ["KÖLN", "köln am Rhein"],
  ["Köln", "Köln"],
  ["österreich", "Wien, Österreich"],
  ["ÖSTERREICH", "Wien, österreich"],
  ["são paulo", "São Paulo, Brazil"],
  ["łódź", "Łódź"],
  ["łódź", "ŁÓDŹ"],
  ["елена", "Елена"],
  ["straße", "Hauptstraße"],
  ["株式", "株式会社"],
])("%p finds %p", (searched, stored) => {
  expect(finds(searched, stored)).toBe(true);
});

test("finds nothing else", () => {
  expect(finds("köln", "Koln")).toBe(false);
  expect(finds("a%", "abc")).toBe(false);
});

test("control characters are removed, as from what is stored", () => {
  expect(spellingsOf("a\u0000b\n")).toEqual(["ab"]);
});
