import { expect, test } from "bun:test";
import { RouteTable } from "../../src/platform/http/route-table.ts";
import { routes } from "../../src/platform/http/route.ts";

const handled = () => null;
const table = new RouteTable([
  routes("/leads")
    .get("/", handled, {})
    .get("/:leadId", handled, {})
    .post("/import", handled, {})
    .get("/import", handled, {})
    .get("/:leadId/notes/:noteId", handled, {}),
  routes("").get("/pages/*", handled, {}),
]);

test.each([
  ["GET", "/leads", "/leads", {}],
  ["GET", "/leads/", "/leads", {}],
  ["GET", "/leads/import", "/leads/import", {}],
  ["GET", "/leads/a%20b", "/leads/{leadId}", { leadId: "a b" }],
  ["GET", "/leads/a/notes/b", "/leads/{leadId}/notes/{noteId}", { leadId: "a", noteId: "b" }],
  ["GET", "/pages/a/b.js", "/pages/*", {}],
])("%s %s is found as %p", (method, path, template, params) => {
  const found = table.find(method, path);
  expect(found && { template: found.route.template, params: found.params }).toEqual({ template, params });
});

test.each([
  ["DELETE", "/leads/0198"],
  ["GET", "/leads/a/notes"],
  ["GET", "/"],
  ["GET", ""],
])("%s %s is not found", (method, path) => {
  expect(table.find(method, path)).toBeNull();
});

test("the error for a request without a route names the methods of the path, if it exists", () => {
  expect(table.noRoute("DELETE", "/leads/import")).toMatchObject({
    code: "METHOD_NOT_ALLOWED",
    details: { allow: ["GET", "HEAD", "POST"] },
    headers: { allow: "GET, HEAD, POST" },
  });
  expect(table.noRoute("GET", "/nothing")).toMatchObject({ code: "NOT_FOUND", details: { resource: "route" } });
});
