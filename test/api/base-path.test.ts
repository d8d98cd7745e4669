import { expect, test } from "bun:test";
import { ownPaths } from "../../src/platform/base/base-path.ts";
import { startService } from "../support/service.ts";

/** A server whose public URL has a path: behind a proxy that removes the path, behind one that doesn't, and without one. */

const settings = { PUBLIC_URL: "https://example.com/outreach/", TRUSTED_PROXIES: "1" };

/** A server and a function that sends requests with the key of its admin. */
async function startBelow() {
  const service = await startService({ settings });
  const send = async (path: string, init: RequestInit = {}) => {
    const headers = new Headers(init.headers);
    headers.set("x-api-key", service.admin.key ?? "");
    return await fetch(service.url + path, { redirect: "manual", ...init, headers });
  };
  const post = (path: string, body: unknown) =>
    send(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) });
  return { service, send, post, [Symbol.asyncDispose]: () => service[Symbol.asyncDispose]() };
}

test("routes respond with the path, as a proxy may send it, and without it", async () => {
  await using world = await startBelow();
  const { send, post } = world;
  for (const path of ["/api/v2/health", "/outreach/api/v2/health", "/outreach/api/v2/leads?limit=1", "/outreach/mcp"])
    expect({ path, status: (await send(path)).status }).toEqual({ path, status: path.endsWith("mcp") ? 405 : 200 });
  expect((await post("/outreach/api/v2/leads", { email: "ada@example.com" })).status).toBe(200);
  expect((await send("/outreach/api/v2/health", { method: "HEAD" })).status).toBe(200);
  for (const path of ["/outreachd/api/v2/health", "/outreach/outreach/api/v2/health", "/other/api/v2/health"])
    expect((await send(path)).status).toBe(404);
});

test("a key is required below the path, too", async () => {
  await using world = await startBelow();
  for (const path of ["/outreach/api/v2/leads", "/outreach/metrics", "/outreach/mcp"])
    expect((await fetch(world.service.url + path)).status).toBe(401);
});

test("the address of the client is known below the path", async () => {
  await using world = await startBelow();
  const { post, send } = world;
  const key = { name: "new", permissions: ["leads:read"] };
  expect((await post("/outreach/api/v2/keys", key)).status).toBe(200);
  const audit = (await (await send("/api/v2/audit?action=key.created&limit=1")).json()) as { data: unknown };
  expect(JSON.stringify(audit.data)).toContain('"address":"127.0.0.1"');
});

test("a large upload passes through below the path", async () => {
  await using world = await startBelow();
  const { send } = world;
  const rows = Array.from({ length: 20_000 }, (_, n) => `${n}@example.com,${"x".repeat(100)}`);
  const body = ["email,company", ...rows].join("\n");
  const headers = { "content-type": "text/csv" };
  const response = await send("/outreach/api/v2/leads/import", { method: "POST", headers, body });
  expect(response.status).toBe(202);
  expect(response.headers.get("location")).toStartWith("/outreach/api/v2/users/jobs/");
});

test("pages, scripts, and the API reference refer to what is below the path", async () => {
  await using service = await startService({ settings });
  const textOf = async (path: string) => await (await fetch(service.url + path)).text();
  for (const path of ["/", "/outreach", "/outreach/", "/outreach/app/leads/1"]) {
    const page = await textOf(path);
    const urls = [...page.matchAll(/(?:src|href)="([^"]+)"/g)].map(([, url = ""]) => url);
    expect(urls.length).toBeGreaterThan(3);
    for (const url of urls) {
      expect(url).toMatch(/^\/outreach\/app\/(assets\/.|session$)/);
      // No one is signed in.
      expect((await fetch(service.url + url)).status).toBe(url.endsWith("/session") ? 401 : 200);
    }
  }
  const docs = await textOf("/outreach/docs");
  expect(docs).toContain('data-url="/outreach/openapi.json"');
  expect(docs).toContain('src="/outreach/docs/scalar.js"');
  const { servers, paths } = JSON.parse(await textOf("/outreach/openapi.json"));
  for (const path of Object.keys(paths)) expect(ownPaths).toContain(path.split("/")[1]!);
  expect(servers).toEqual([expect.objectContaining({ url: "https://example.com/outreach" })]);
});

test("redirects are below the path, and links are complete", async () => {
  await using world = await startBelow();
  const { send, post } = world;
  expect((await send("/outreach/swagger")).headers.get("location")).toBe("/outreach/docs");
  const { data } = (await (await send("/api/v2/keys")).json()) as { data: { keys: { id: string }[] } };
  const link = (await (await post(`/api/v2/keys/${data.keys[0]!.id}/link`, {})).json()) as { data: { url: string } };
  expect(link.data.url).toMatch(/^https:\/\/example\.com\/outreach\/app\/sign-in#/);
});

test("the session cookie belongs to the path, and signs in below it", async () => {
  await using service = await startService({ settings });
  const headers = { "content-type": "application/json", "x-outreachd-page": "1", origin: "https://example.com" };
  const response = await fetch(`${service.url}/outreach/app/session`, {
    method: "POST",
    headers,
    body: JSON.stringify({ key: service.admin.key }),
  });
  expect(response.status).toBe(200);
  const cookie = response.headers.get("set-cookie") ?? "";
  expect(cookie).toStartWith("__Secure-outreachd_session_");
  expect(cookie).toContain("; Path=/outreach/; ");
  const asUser = { headers: { cookie: cookie.split(";")[0]! } };
  expect((await fetch(`${service.url}/outreach/api/v2/health`, asUser)).status).toBe(200);
  expect((await fetch(`${service.url}/api/v2/health`, asUser)).status).toBe(200);
});
