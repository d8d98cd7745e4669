import { Database } from "bun:sqlite";
import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { ApiError } from "../../src/platform/base/errors.ts";
import type { Caller } from "../../src/platform/auth/caller.ts";
import type { Log } from "../../src/platform/base/log.ts";
import { Idempotency, type IdempotencyParts } from "../../src/platform/http/idempotency.ts";
import { RequestContext } from "../../src/platform/http/request-context.ts";
import { createIdempotencyStore } from "../../src/adapters/storage/sqlite/idempotency.ts";
import { SharedRead } from "../../src/adapters/storage/sqlite/shared-read.ts";
import { sqliteConnection } from "../../src/adapters/storage/sqlite/connection.ts";
import { Writer } from "../../src/lib/group-commit/writer.ts";
import { FakeClock } from "../support/clock.ts";

test("an answer that can't be JSON is no answer: the request is ended, and not carried out twice", async () => {
  using here = world();
  const statuses = [await here.post({ count: 1n }), await here.post({ count: 1n })].map(({ status }) => status);
  expect(statuses).toEqual([409, 409]);
  expect(here.effects()).toBe(1);
});

test("an answer that finds no room is given all the same, and the log says so once", async () => {
  using here = world();
  here.database.run(
    "CREATE TRIGGER no_room BEFORE INSERT ON idempotent_requests WHEN new.status IS NOT NULL BEGIN SELECT RAISE(ABORT, 'no room'); END",
  );
  expect((await here.post({ a: 1 }, "no effect")).status).toBe(200);
  expect(here.warnings).toEqual(["could not keep an answer"]);
});

test("a text without a type is told again as a text", async () => {
  using here = world();
  const text = () => new Response(new TextEncoder().encode("hello"));
  const types = [await here.post(text()), await here.post(text())].map(({ headers }) => headers.get("content-type"));
  expect(types).toEqual(["text/plain;charset=utf-8", "text/plain;charset=utf-8"]);
});

/** A route that writes one note and returns what it is given, the way the pipeline goes. */
function world() {
  const database = new Database(":memory:", { strict: true });
  database.run("CREATE TABLE notes (text TEXT) STRICT");
  database.run("CREATE TABLE users (id TEXT PRIMARY KEY, seq INTEGER) STRICT");
  for (const name of ["0009_idempotency", "0017_idempotency_keys", "0018_owner_of_answers"])
    database.run(readFileSync(join(import.meta.dir, `../../migrations/sqlite/${name}.sql`), "utf8"));
  const writer = new Writer(sqliteConnection(database));
  const shared = new SharedRead(database, writer);
  const warnings: string[] = [];
  const refuse = (context: RequestContext, thrown: unknown): Response => {
    const error = thrown instanceof ApiError ? thrown : new ApiError("SERVICE_UNAVAILABLE");
    context.failure = { error, thrown };
    return Response.json({}, { status: error.status });
  };
  const gate: IdempotencyParts["gate"] = { refuse, interrupted: () => Response.json({}, { status: 409 }) };
  const log = { warn: (_: unknown, text: string) => warnings.push(text) } as unknown as Log;
  const store = createIdempotencyStore({ database, writer, shared });
  const idempotency = new Idempotency({ store, gate, clock: new FakeClock(), log, keptMs: 86_400_000 });
  const caller = { keyId: "key", userId: null } as unknown as Caller;

  async function respond(context: RequestContext, value: object, effect: string): Promise<Response> {
    try {
      const replayed = await idempotency.replay(context);
      if (replayed !== undefined) return replayed;
      if (effect === "effect")
        await writer.writeBeforeResponse(() => void database.run("INSERT INTO notes VALUES ('effect')"));
      if (value instanceof Response) return value;
      return new Response(await idempotency.store(context, value));
    } catch (error) {
      return refuse(context, error);
    }
  }

  return {
    database,
    warnings,
    effects: () => database.query<{ n: number }, []>("SELECT count(*) AS n FROM notes").get()!.n,
    async post(value: object, effect = "effect"): Promise<Response> {
      const request = new Request("http://localhost/notes", { method: "POST", headers: { "idempotency-key": "a" } });
      const context = new RequestContext(request, null, "local");
      context.caller = caller;
      return idempotency.run(context, () => respond(context, value, effect));
    },
    [Symbol.dispose]() {
      shared.end();
      database.close();
    },
  };
}
