import { expect, test } from "bun:test";
import { RouteTable } from "../../src/platform/http/routes.ts";

const table = new RouteTable(1000);
for (const [method, path] of [
  ["GET", "/leads/"],
  ["POST", "/leads/import"],
  ["GET", "/leads/:leadId"],
  ["GET", "/leads/:leadId/notes/:noteId"],
  ["GET", "/pages/*"],
] as const)
  table.add(method, path, () => "", {});

test.each([
  ["GET", "/leads", "/leads"],
  ["GET", "/leads/", "/leads"],
  ["HEAD", "/leads", "/leads"],
  ["POST", "/leads/import", "/leads/import"],
  ["GET", "/leads/import", "/leads/{leadId}"],
  ["GET", "/leads/0198", "/leads/{leadId}"],
  ["GET", "/leads/a/notes/b", "/leads/{leadId}/notes/{noteId}"],
  ["DELETE", "/leads/0198", null],
  ["GET", "/leads/a/notes", null],
  ["GET", "/pages/a/b.js", "/pages/*"],
  ["GET", "/", null],
  ["GET", "", null],
  ["BREW", "/leads", null],
])("%s %s goes to %p", (method, path, template) => {
  expect(table.find(method, path)?.route.template ?? null).toBe(template);
});

test("path parameters are decoded, and taken as they are if they can't be", () => {
  expect(table.find("GET", "/leads/a%20b/notes/%zz")?.params).toEqual({ leadId: "a b", noteId: "%zz" });
});

test("the methods of a path are listed, whichever route has them", () => {
  expect(table.methodsOf("/leads/import")).toEqual(["GET", "HEAD", "POST"]);
  expect(table.methodsOf("/nothing")).toEqual([]);
});
