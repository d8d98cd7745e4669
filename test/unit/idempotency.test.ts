import { Database } from "bun:sqlite";
import { drizzle } from "drizzle-orm/bun-sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { createIdempotencyStore } from "../../src/adapters/storage/sqlite/idempotency.ts";
import { SharedRead } from "../../src/adapters/storage/sqlite/shared-read.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import { currentRequest } from "../../src/platform/base/current-request.ts";
import { ApiError } from "../../src/platform/base/errors.ts";
import type { Log } from "../../src/platform/base/log.ts";
import { Idempotency } from "../../src/platform/http/idempotency.ts";
import { keyedRequestOf } from "../../src/platform/http/keyed-request.ts";
import { Refusals } from "../../src/platform/http/refusals.ts";
import { RequestContext } from "../../src/platform/http/request-context.ts";
import { FakeClock } from "../support/clock.ts";

test("a fault after a change is reported as an interruption, and not repeated", async () => {
  using here = world();
  const fails = () => {
    throw new Error("the disk is gone");
  };
  const statuses = [await here.post(fails), await here.post(fails)].map(({ status }) => status);
  expect(statuses).toEqual([409, 409]);
  expect(here.effects()).toBe(1);
});

test("a response whose body ends early is not replayed, and the request is not repeated", async () => {
  using here = world();
  const breaks = () =>
    new Response(
      new ReadableStream({
        pull() {
          throw new Error("the source is gone");
        },
      }),
    );
  const statuses = [await here.post(breaks), await here.post(breaks)].map(({ status }) => status);
  expect(statuses).toEqual([409, 409]);
  expect(here.effects()).toBe(1);
});

test("a fault before any change can be repeated", async () => {
  using here = world();
  const fails = () => {
    throw new Error("the disk is gone");
  };
  const first = await here.post(fails, "no effect");
  const second = await here.post(() => Response.json({}));
  expect([first.status, second.status]).toEqual([503, 200]);
  expect(here.effects()).toBe(1);
});

test("a response that cannot be stored is replayed from memory until it can", async () => {
  using here = world();
  here.database.run(
    "CREATE TRIGGER no_room BEFORE INSERT ON idempotent_requests WHEN new.status IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  expect((await here.post(() => Response.json({ a: 1 }))).status).toBe(200);
  expect(here.warnings).toEqual(["could not store a response for its Idempotency-Key"]);
  const replayed = await here.post(() => Response.json({ a: 2 }));
  expect([replayed.status, await replayed.json()]).toEqual([200, { a: 1 }]);
  await expect(here.sweep()).rejects.toThrow("no room");
  here.database.run("DROP TRIGGER no_room");
  await here.sweep();
  const stored = here.database.query<{ body: string }, []>("SELECT body FROM idempotent_requests").all();
  expect(stored).toEqual([{ body: '{"a":1}' }]);
  expect(await (await here.post(() => Response.json({ a: 3 }))).json()).toEqual({ a: 1 });
  expect(here.effects()).toBe(1);
});

test("an erasure leaves no response in memory, and a response of before it is not kept", async () => {
  using here = world();
  here.database.run(
    "CREATE TRIGGER no_room BEFORE INSERT ON idempotent_requests WHEN new.status IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  await here.post(() => Response.json({ a: 1 }));
  await here.emptyMemory();
  expect((await here.post(() => Response.json({ a: 2 }))).status).toBe(409);
  expect(here.effects()).toBe(1);
});

test("text without a type is replayed as text", async () => {
  using here = world();
  const text = () => new Response(new TextEncoder().encode("hello"));
  const responses = [await here.post(text), await here.post(text)];
  expect(responses.map(({ headers }) => headers.get("content-type"))).toEqual([
    "text/plain;charset=utf-8",
    "text/plain;charset=utf-8",
  ]);
  expect(await Promise.all(responses.map((response) => response.text()))).toEqual(["hello", "hello"]);
});

/** A route that writes a note and then responds. */
function world() {
  const database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE notes (text TEXT) STRICT");
  database.run("CREATE TABLE users (id TEXT PRIMARY KEY, seq INTEGER) STRICT");
  for (const name of ["0009_idempotency", "0017_idempotency_keys", "0018_owner_of_answers"])
    database.run(readFileSync(join(import.meta.dir, `../../migrations/sqlite/${name}.sql`), "utf8"));
  const writer = new Writer(sqliteConnection(database), currentRequest);
  const shared = new SharedRead(database);
  const warnings: string[] = [];
  const log = { warn: (_: unknown, text: string) => warnings.push(text) } as unknown as Log;
  const clock = new FakeClock();
  const refusals = new Refusals({ clock, onFault: () => {}, onGlobalRefused: () => {} });
  const store = createIdempotencyStore({ database, orm: drizzle(database), writer, shared });
  const idempotency = new Idempotency({ store, refusals, clock, log, retentionMs: 86_400_000, node: null });
  const connection = {
    publicUrl: null,
    trustedProxies: 0,
    peerOf: () => "local",
    setIdleTimeout: () => {},
    onStreamError: () => {},
  };

  async function execute(context: RequestContext, respond: () => Response, effect: string): Promise<Response> {
    try {
      const replayed = await idempotency.replay(context);
      if (replayed !== null) return replayed;
      if (effect === "effect") await writer.write(() => void database.run("INSERT INTO notes VALUES ('effect')"));
      return respond();
    } catch (error) {
      return refusals.render(context, error);
    }
  }

  return {
    database,
    warnings,
    sweep: async () => {
      await idempotency.storePending();
      await idempotency.sweep();
    },
    emptyMemory: () => idempotency.emptyMemory(),
    effects: () => database.query<{ n: number }, []>("SELECT count(*) AS n FROM notes").get()!.n,
    async post(respond: () => Response, effect = "effect"): Promise<Response> {
      const request = new Request("http://localhost/notes", { method: "POST", headers: { "idempotency-key": "a" } });
      const context = new RequestContext(request, { route: null, params: {} }, connection);
      context.caller = { keyId: "key", workspaceId: null } as unknown as Caller;
      context.keyed = keyedRequestOf(request);
      if (context.keyed === null) throw new ApiError("VALIDATION_ERROR");
      return currentRequest.run(context.keyed, async () =>
        idempotency.finish(context, await execute(context, respond, effect)),
      );
    },
    [Symbol.dispose]() {
      shared.end();
      database.close();
    },
  };
}
