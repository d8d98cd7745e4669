import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { listen } from "../../src/platform/http/server.ts";

test("what is asked is answered in the same way by either router", async () => {
  const app = new Elysia()
    .wrap((next) => next)
    .onError(({ code }) => `failed: ${code}`)
    .get("/leads/", () => "all")
    .post("/leads/", ({ body }) => ({ stored: body }))
    .get("/leads/:id", ({ params: { id }, query }) => ({ id, query }))
    .get("/files/*", ({ params }) => params["*"])
    .all("/any", ({ request }) => request.method);
  const listening = listen(app, { host: "127.0.0.1", port: 0 });
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
  const answers = await Promise.all(requests.map(([method, path]) => asked(method, path)));
  const byApp = async (method: string, path: string): Promise<[number, string]> => {
    const response = await app.handle(
      new Request(listening.url + path, { method, ...(method === "POST" && { body: "text" }) }),
    );
    return [response.status, method === "HEAD" ? "" : await response.text()];
  };
  expect(answers).toEqual(await Promise.all(requests.map(([method, path]) => byApp(method, path))));
  expect(answers[0]).toEqual([200, "all"]);
  expect(answers[5]).toEqual([200, '{"id":"a b","query":{"x":"1"}}']);
  expect(answers[9]?.[0]).toBe(404);
  await listening.stop(1000);
});
