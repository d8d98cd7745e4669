import { expect, test } from "bun:test";
import type { Pipeline } from "../../src/platform/http/pipeline.ts";
import { RouteTable, type Route } from "../../src/platform/http/routes.ts";
import { listen } from "../../src/platform/http/server.ts";

test("a request reaches the same route with the same parameters, by Bun's router or by the table", async () => {
  const table = new RouteTable(1000);
  for (const [method, path] of [
    ["GET", "/leads/"],
    ["POST", "/leads/"],
    ["GET", "/leads/:id"],
    ["GET", "/files/*"],
  ] as const)
    table.add(method, path, () => "", {});
  const told = (route: Route | null, params: object) =>
    Promise.resolve(Response.json({ route: route && `${route.method} ${route.path}`, params }));
  const byTable = (request: Request) => {
    const found = table.find(request.method, new URL(request.url).pathname);
    return told(found?.route ?? null, found?.params ?? {});
  };
  const pipeline = {
    handle: (route: Route, _request: Request, params: Record<string, string> = {}) => told(route, { ...params }),
    dispatch: byTable,
  } as unknown as Pipeline;
  const listening = listen(table, pipeline, { host: "127.0.0.1", port: 0 });
  const requests = [
    ["GET", "/leads"],
    ["GET", "/leads/"],
    ["POST", "/leads"],
    ["PUT", "/leads"],
    ["GET", "/leads/a%20b?x=1"],
    ["DELETE", "/leads/1"],
    ["GET", "/files/a/b"],
    ["GET", "/nothing"],
  ] as const;
  for (const [method, path] of requests) {
    const response = await fetch(listening.url + path, { method });
    const expected = await byTable(new Request(listening.url + path, { method }));
    expect(await response.json()).toEqual(await expected.json());
  }
  expect((await fetch(`${listening.url}/leads`, { method: "HEAD" })).status).toBe(200);
  await listening.stop(1000);
});
