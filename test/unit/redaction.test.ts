import { expect, test } from "bun:test";
import { auditEntry, userAgentExcerpt } from "../../src/platform/auth/audit/entry.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import { hintOf, withoutKeys } from "../../src/platform/base/secret-text.ts";
import { createLineLog, createLog } from "../../src/platform/base/log.ts";
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

test("no line of the log shows a key, wherever it got into it", () => {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  const log = createLog("debug", destination);
  const cause = new Error(`refused ${key}`);
  log.error({ err: new Error(`could not send ${key}`, { cause }), note: key, deep: { list: [key] } }, `for ${key}`);
  createLineLog(log, destination).write("info", { requestId: key, path: `/api/v2/leads/${encodeAll(key)}` }, "served");
  expect(text).toContain(hintOf(key));
  expect(text).not.toContain(key.slice(8));
  expect(text).not.toContain(encodeAll(key));
  for (const line of text.trimEnd().split("\n")) expect(() => JSON.parse(line)).not.toThrow();
});

test("the audit log holds no key, as nothing can be taken out of it again", () => {
  const details = { name: `sync ${key}`, permissions: ["leads:read"], count: 2 };
  const entry = auditEntry(null, 0, {
    action: "key.created",
    workspaceId: null,
    target: { type: "key", id: "k" },
    details,
  });
  expect(entry.details).toEqual({ ...details, name: `sync ${hintOf(key)}` });
});
