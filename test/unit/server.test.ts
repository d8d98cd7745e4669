import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { listen } from "../../src/http/server.ts";

test("what is asked is answered in the same way by either router", async () => {
  const app = new Elysia()
    .wrap((next) => next)
    .onError(({ code }) => `failed: ${code}`)
    .get("/leads/", () => "all")
    .post("/leads/", ({ body }) => ({ stored: body }))
    .get("/leads/:id", ({ params: { id }, query }) => ({ id, query }))
    .get("/files/*", ({ params }) => params["*"])
    .all("/any", ({ request }) => request.method);
  const listening = listen(app, () => app, { host: "127.0.0.1", port: 0 });
  const asked = async (method: string, path: string): Promise<[number, string]> => {
    const response = await fetch(listening.url + path, { method, ...(method === "POST" && { body: "text" }) });
    return [response.status, await response.text()];
  };
  const requests = [
    ["GET", "/leads"],
    ["GET", "/leads/"],
    ["HEAD", "/leads"],
    ["POST", "/leads"],
    ["PUT", "/leads"],
    ["GET", "/leads/a%20b?x=1"],
    ["DELETE", "/leads/1"],
    ["GET", "/files/a/b"],
    ["POST", "/any"],
    ["GET", "/nothing"],
  ] as const;
  const before = await Promise.all(requests.map(([method, path]) => asked(method, path)));
  listening.hasten();
  expect(await Promise.all(requests.map(([method, path]) => asked(method, path)))).toEqual(before);
  expect(before[0]).toEqual([200, "all"]);
  expect(before[5]).toEqual([200, '{"id":"a b","query":{"x":"1"}}']);
  expect(before[9]?.[0]).toBe(404);
  await listening.stop(1000);
});

test("who asks whether the server is ready is answered without the routes that come with the first other request", async () => {
  const app = new Elysia().get("/readyz", () => "ready");
  let additions = 0;
  const wholeApp = () => (additions++ === 0 ? app.get("/leads/:id", ({ params: { id } }) => id) : app);
  const listening = listen(app, wholeApp, { host: "127.0.0.1", port: 0 });
  const asked = async (path: string) => (await fetch(listening.url + path)).text();
  expect(await asked("/readyz")).toBe("ready");
  expect(additions).toBe(0);
  expect(await asked("/leads/7")).toBe("7");
  expect(additions).toBe(1);
  listening.hasten();
  expect([await asked("/readyz"), await asked("/leads/8")]).toEqual(["ready", "8"]);
  await listening.stop(1000);
});
