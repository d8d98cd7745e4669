import { expect, test } from "bun:test";
import { Elysia } from "elysia";
import { addRoute, routesOf, takeLate, wholeApp } from "../../src/platform/http/late-routes.ts";
import { listen } from "../../src/platform/http/server.ts";

const answering = (text: string) => (() => text) as never;

function lateApp() {
  const app = takeLate(new Elysia());
  addRoute(app, ["GET", "/first", answering("first"), {}]);
  addRoute(app, ["GET", "/second/:id", answering("second"), {}]);
  return app.get("/own", () => "own");
}

test("a late route is known from the beginning, and taken in by its first request alone", async () => {
  const app = lateApp();
  const listening = listen(app, { host: "127.0.0.1", port: 0 });
  const names = () => app.routes.map(({ path }) => path);
  expect(routesOf(app).map(({ path }) => path)).toEqual(["/first", "/second/:id", "/own"]);
  expect(names()).toEqual(["/own"]);
  expect(await (await fetch(`${listening.url}/second/1`)).text()).toBe("second");
  expect(await (await fetch(`${listening.url}/second/2`)).text()).toBe("second");
  expect(names()).toEqual(["/own", "/second/:id"]);
  expect(routesOf(app).map(({ path }) => path)).toEqual(["/first", "/second/:id", "/own"]);
  await listening.stop(1000);
});

test("what Elysia's own router must find finds late routes too", async () => {
  const listening = listen(lateApp(), { host: "127.0.0.1", port: 0 });
  expect((await fetch(`${listening.url}/first`, { method: "HEAD" })).status).toBe(200);
  expect(await (await fetch(`${listening.url}/second/1/`)).text()).toBe("second");
  await listening.stop(1000);
  const answer = await wholeApp(lateApp()).handle(new Request("http://localhost/first"));
  expect(await answer.text()).toBe("first");
});
