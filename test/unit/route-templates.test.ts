import { Elysia } from "elysia";
import { expect, test } from "bun:test";
import { routeTemplates } from "../../src/platform/http/route-templates.ts";

const app = new Elysia()
  .get("/leads/", () => "")
  .post("/leads/import", () => "")
  .get("/leads/:leadId", () => "")
  .get("/leads/:leadId/notes/:noteId", () => "")
  .get("/pages/*", () => "")
  .all("/every", () => "");
const templateOf = routeTemplates(app);

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
  ["PATCH", "/every", "/every"],
  ["GET", "/", null],
  ["GET", "", null],
  ["BREW", "/leads", null],
])("%s %s is told of as %p", (method, path, template) => {
  expect(templateOf(method, path)).toBe(template);
});
