import { expect, test } from "bun:test";
import { hashOfPiece, numberOfTarget, RowText } from "../../src/features/prospecting/import/row-text.ts";

const title = numberOfTarget("title");
/** All that `trim` takes away: ECMA-262, WhiteSpace and LineTerminator. */
const blanks = [
  "\t", "\n", "\v", "\f", "\r", " ", "\u00a0", "\u1680", ...Array.from({ length: 11 }, (_, n) => String.fromCharCode(0x2000 + n)),
  "\u2028", "\u2029", "\u202f", "\u205f", "\u3000", "\ufeff",
]; // prettier-ignore
/** They begin with the same bytes as one of the blanks, or end with them. */
const letters = ["Â", "À", "é", "ℵ", "あ", "ᚁ", "豈", "€", "𝔘", "a"];

function put(text: string): { isThere: boolean; value: string; hash: number } {
  const row = new RowText();
  const bytes = new TextEncoder().encode(`,${text},`);
  const isThere = row.put(title, bytes, 1, bytes.length - 1, hashOfPiece(bytes, 1, bytes.length - 1));
  return { isThere, value: row.slice(title), hash: row.hash(title) };
}

test("a piece loses the blanks around it, of every kind, and nothing else", () => {
  for (const blank of blanks)
    for (const letter of letters)
      for (const text of [
        blank + letter,
        letter + blank,
        blank + letter + blank + letter + blank,
        ` ${blank} ${letter}${blank} `,
      ]) {
        const { isThere, value, hash } = put(text);
        expect([text, isThere, value]).toEqual([text, true, text.trim()]);
        const bytes = new TextEncoder().encode(text.trim());
        expect(hash).toBe(hashOfPiece(bytes, 0, bytes.length));
      }
});

test("a piece of blanks alone is none", () => {
  for (const blank of blanks) expect(put(blank + blank)).toMatchObject({ isThere: false, value: "" });
  expect(put("").isThere).toBe(false);
});

test("the first piece of a target is the one that counts", () => {
  const row = new RowText();
  expect([row.putText(title, " "), row.putText(title, "CEO "), row.putText(title, "CTO")]).toEqual([false, true, true]);
  expect(row.slice(title)).toBe("CEO");
});
