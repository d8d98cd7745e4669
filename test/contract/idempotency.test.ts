import { describe, expect, test } from "bun:test";
import type { Fingerprint, KeptAnswer, KeyedAttempt } from "../../src/platform/http/idempotency-store.ts";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const idOf = (n: number): Uint8Array => Uint8Array.fromHex(n.toString(16).padStart(32, "0"));
const told: KeptAnswer = { status: 200, headers: { etag: '"1"' }, body: '{"success":true}' };
const fingerprint: Fingerprint = { hash: new Uint8Array(32).fill(7), bytes: 12 };

describe.each(engines)("idempotency on $name", ({ open }) => {
  async function world() {
    const opened = await open();
    const make = createFactories();
    const { user } = await make.storedUser(opened.storage);
    const insert = async (storage: Storage, lead = make.lead(user.id)) => {
      await storage.leads.insert({ lead, identity: leadIdentity(lead), onDuplicate: "create" });
      return lead;
    };
    const count = (storage: Storage) => storage.leads.count(user.id, {});
    return { opened, storage: opened.storage, insert, count, [Symbol.asyncDispose]: () => opened.close() };
  }

  test("an answer is kept with all that belongs to it, and found by its id", async () => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await here.insert(storage);
      expect(attempt.hasChanged).toBe(true);
      expect(await attempt.end(told, "answer")).toBe("answer");
      expect(attempt.isForgotten).toBe(false);
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toEqual({ id: idOf(1), startedAt: 5, fingerprint, answer: told });
    expect(await next.idempotency.find(idOf(2))).toBeNull();
    expect(await here.count(next)).toBe(1);
  });

  test.each<KeptAnswer["headers"]>([
    {},
    { "content-type": "text/csv" },
    { "content-type": "application/json;charset=utf-8" },
  ])("an answer has the headers that it had: %p", async (headers) => {
    await using here = await world();
    await here.storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await attempt.end({ ...told, headers }, null);
    });
    expect((await here.storage.idempotency.find(idOf(1)))?.answer).toEqual({ ...told, headers });
  });

  test("bytes and an answer that was too large come back as such", async () => {
    await using here = await world();
    const { storage } = here;
    for (const [n, body] of [new Uint8Array([1, 0, 255]), null].entries()) {
      await storage.idempotency.attempt(async (attempt) => {
        attempt.begin({ id: idOf(n), startedAt: 1, userId: null }, { hash: null, bytes: 0 });
        await attempt.end({ ...told, body }, null);
      });
      const found = await storage.idempotency.find(idOf(n));
      expect(found).toMatchObject({ answer: { status: 200, body }, fingerprint: { hash: null, bytes: 0 } });
    }
  });

  test("a process that dies after a write and before the answer leaves a mark beside the write", async () => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await here.insert(storage);
      // Not at once: by then the write is committed without an answer.
      await new Promise((resolve) => setImmediate(resolve));
      const next = await here.opened.reopen();
      expect(await next.idempotency.find(idOf(1))).toMatchObject({ answer: null });
      expect(await here.count(next)).toBe(1);
    });
  });

  test("an answer that comes later takes the place of the mark", async () => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await here.insert(storage);
      await new Promise((resolve) => setImmediate(resolve));
      await here.insert(storage);
      expect(await attempt.end(told, "answer")).toBe("answer");
      expect(attempt.isForgotten).toBe(false);
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toMatchObject({ answer: told });
    expect(await here.count(next)).toBe(2);
  });

  test("who changed nothing and has no answer leaves nothing", async () => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await storage.leads.remove({ userId: "nobody", id: "nothing", version: null, at: 5 });
      expect(attempt.hasChanged).toBe(false);
      await attempt.end("undone", null);
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
  });

  test("a write that is rolled back leaves no mark", async () => {
    await using here = await world();
    const { storage } = here;
    const lead = await here.insert(storage);
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      expect(await here.insert(storage, lead).catch(() => "refused")).toBe("refused");
      expect(attempt.hasChanged).toBe(false);
      await attempt.end("unknown", null);
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
    expect(await here.count(storage)).toBe(1);
  });

  test.each(["at once", "later"])("who takes back what it changed, and says so %s, leaves nothing", async (when) => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await here.insert(storage);
      if (when === "later") await new Promise((resolve) => setImmediate(resolve));
      await attempt.end("undone", null);
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toBeNull();
  });

  test("before it begins and after its end writes are none of its own", async () => {
    await using here = await world();
    const { storage } = here;
    await storage.idempotency.attempt(async (attempt) => {
      await here.insert(storage);
      expect(attempt.hasChanged).toBe(false);
      attempt.begin({ id: idOf(1), startedAt: 5, userId: null }, fingerprint);
      await attempt.end("undone", null);
      await here.insert(storage);
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
    expect(await here.count(storage)).toBe(2);
  });

  test("many at once, with and without, keep each their own", async () => {
    await using here = await world();
    const { storage } = here;
    const keyed = (n: number) =>
      storage.idempotency.attempt(async (attempt: KeyedAttempt) => {
        attempt.begin({ id: idOf(n), startedAt: n, userId: null }, fingerprint);
        await here.insert(storage);
        await attempt.end({ ...told, body: `"${n}"` }, null);
      });
    await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? keyed(n) : here.insert(storage))));
    const next = await here.opened.reopen();
    expect(await here.count(next)).toBe(100);
    for (let n = 0; n < 100; n++) {
      const found = await next.idempotency.find(idOf(n));
      expect(found?.answer?.body).toBe(n % 2 === 0 ? `"${n}"` : undefined);
    }
  });

  test("a newer request with the same id takes the place of the older one", async () => {
    await using here = await world();
    const { storage } = here;
    for (const startedAt of [1, 2])
      await storage.idempotency.attempt(async (attempt) => {
        attempt.begin({ id: idOf(1), startedAt, userId: null }, fingerprint);
        await attempt.end(told, null);
      });
    expect(await storage.idempotency.find(idOf(1))).toMatchObject({ startedAt: 2 });
  });

  test("the oldest are forgotten first, so many at a time, and none that is newer", async () => {
    await using here = await world();
    const { storage } = here;
    for (let n = 1; n <= 5; n++)
      await storage.idempotency.attempt(async (attempt) => {
        attempt.begin({ id: idOf(n), startedAt: n * 10, userId: null }, fingerprint);
        await attempt.end(told, null);
      });
    expect(await storage.idempotency.forget(40, 2)).toBe(2);
    expect(await storage.idempotency.find(idOf(2))).toBeNull();
    expect(await storage.idempotency.find(idOf(3))).not.toBeNull();
    expect(await storage.idempotency.forget(40, 2)).toBe(1);
    expect(await storage.idempotency.forget(40, 2)).toBe(0);
    expect(await storage.idempotency.find(idOf(4))).not.toBeNull();
  });

  test("thousands are found, also by the next process, and forgotten without a trace", async () => {
    await using here = await world();
    const idAt = (n: number) => new Bun.CryptoHasher("sha256").update(`${n}`).digest().subarray(0, 16);
    const many = 5_000;
    const keep = (n: number) =>
      here.storage.idempotency.attempt(async (attempt) => {
        attempt.begin({ id: idAt(n), startedAt: n, userId: null }, fingerprint);
        await attempt.end({ ...told, body: `${n}` }, null);
      });
    for (let from = 0; from < many; from += 250)
      await Promise.all(Array.from({ length: 250 }, (_, n) => keep(from + n)));
    const check = async ({ idempotency }: Storage) => {
      for (let n = 0; n < many; n++) expect((await idempotency.find(idAt(n)))?.answer?.body).toBe(`${n}`);
    };
    await check(here.storage);
    const next = await here.opened.reopen();
    await check(next);
    let forgotten = 0;
    for (let count = 500; count === 500; forgotten += count) count = await next.idempotency.forget(many, 500);
    expect(forgotten).toBe(many);
    for (let n = 0; n < many; n++) expect(await next.idempotency.find(idAt(n))).toBeNull();
  });
});
