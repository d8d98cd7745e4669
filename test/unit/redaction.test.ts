import { expect, test } from "bun:test";
import { userAgentExcerpt } from "../../src/audit/entry.ts";
import { hintOf, makeSecret, withoutKeys } from "../../src/keys/secret.ts";
import { createIds } from "../support/ids.ts";

const key = makeSecret("user", createIds(5));
const encodeAll = (text: string): string =>
  Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join("");

test.each([
  ["as it is", key],
  ["in capitals", key.toUpperCase()],
  ["percent-encoded", encodeAll(key)],
  ["percent-encoded in capitals", encodeAll(key.toUpperCase()).toUpperCase()],
  ["percent-encoded twice", encodeAll(key).replaceAll("%", "%25")],
  ["percent-encoded in part", key.slice(0, 9) + encodeAll(key.slice(9, 20)) + key.slice(20)],
])("a key in a path does not stay, %s", (_how, shown) => {
  expect(withoutKeys(`/api/v2/leads/${shown}/notes`)).toBe(`/api/v2/leads/${hintOf(shown)}/notes`);
});

test("a user agent is stored without the key that it shows", () => {
  expect(userAgentExcerpt(`tool/1.0 ${key}`)).toBe(`tool/1.0 ${hintOf(key)}`);
});
