import { describe, expect, test } from "bun:test";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import { currentRequest } from "../../src/platform/base/current-request.ts";
import type { Fingerprint, KeyedAttempt, StoredResponse } from "../../src/platform/http/idempotency-store.ts";
import { executing } from "../support/current-request.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const idOf = (n: number): Uint8Array => Uint8Array.fromHex(n.toString(16).padStart(32, "0"));
const response: StoredResponse = { status: 200, headers: { etag: '"1"' }, body: '{"success":true}' };
const fingerprint: Fingerprint = { hash: new Uint8Array(32).fill(7), bytes: 12 };

/** Executes `work` as a request with an Idempotency-Key. */
async function keyed(
  { idempotency }: Storage,
  n: number,
  work: (attempt: KeyedAttempt) => Promise<void>,
  { startedAt = 5, body = fingerprint }: { startedAt?: number; body?: Fingerprint } = {},
): Promise<void> {
  const replaced = await idempotency.find(idOf(n));
  const attempt = idempotency.begin({ id: idOf(n), startedAt, workspaceId: null, nodeId: null }, body, replaced);
  await currentRequest.run(executing(attempt), () => work(attempt));
}

describe.each(enginesAndPostgres)("idempotency on $name", ({ open }) => {
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

  test("a response is stored with everything that belongs to it, and found by its ID", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async (attempt) => {
      await here.insert(storage);
      expect(attempt.hasChanged).toBe(true);
      await attempt.end(response);
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toEqual({
      id: idOf(1),
      startedAt: 5,
      fingerprint,
      response,
      node: null,
    });
    expect(await next.idempotency.find(idOf(2))).toBeNull();
    expect(await here.count(next)).toBe(1);
  });

  test.each<StoredResponse["headers"]>([
    {},
    { "content-type": "text/csv" },
    { "content-type": "application/json;charset=utf-8" },
  ])("a response keeps its headers: %p", async (headers) => {
    await using here = await world();
    await keyed(here.storage, 1, (attempt) => attempt.end({ ...response, headers }));
    expect((await here.storage.idempotency.find(idOf(1)))?.response).toEqual({ ...response, headers });
  });

  test("bytes and a response that was too large are returned as such", async () => {
    await using here = await world();
    const { storage } = here;
    const unread: Fingerprint = { hash: null, bytes: 0 };
    for (const [n, body] of [new Uint8Array([1, 0, 255]), null].entries()) {
      await keyed(storage, n, (attempt) => attempt.end({ ...response, body }), { body: unread });
      const found = await storage.idempotency.find(idOf(n));
      expect(found).toMatchObject({ response: { status: 200, body }, fingerprint: unread });
    }
  });

  test("a process that dies between a write and the response leaves the key with the write", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async () => {
      await here.insert(storage);
      const next = await here.opened.reopen();
      expect(await next.idempotency.find(idOf(1))).toMatchObject({ response: null });
      expect(await here.count(next)).toBe(1);
    });
  });

  test("the response replaces the key that several writes have stored", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async (attempt) => {
      await here.insert(storage);
      await here.insert(storage);
      await attempt.end(response);
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toMatchObject({ response });
    expect(await here.count(next)).toBe(2);
  });

  test("each write stores what has been read of the body so far", async () => {
    await using here = await world();
    const { storage } = here;
    const body: { hash: Uint8Array | null; bytes: number } = { hash: null, bytes: 0 };
    const write = async () => {
      await here.insert(storage);
      return (await storage.idempotency.find(idOf(1)))?.fingerprint;
    };
    await keyed(
      storage,
      1,
      async () => {
        expect(await write()).toEqual({ hash: null, bytes: 0 });
        Object.assign(body, fingerprint);
        expect(await write()).toEqual(fingerprint);
      },
      { body },
    );
  });

  test("a request that changed nothing and has no response is not stored", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async (attempt) => {
      await storage.leads.remove({ workspaceId: "nobody", id: "nothing", version: null, at: 5 });
      expect(attempt.hasChanged).toBe(false);
      await attempt.end("undone");
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
  });

  test("a write that is rolled back does not store the key", async () => {
    await using here = await world();
    const { storage } = here;
    const lead = await here.insert(storage);
    await keyed(storage, 1, async (attempt) => {
      expect(await here.insert(storage, lead).catch(() => "refused")).toBe("refused");
      expect(attempt.hasChanged).toBe(false);
      await attempt.end("unknown");
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
    expect(await here.count(storage)).toBe(1);
  });

  test("a request that undid its changes is removed", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async (attempt) => {
      await here.insert(storage);
      await attempt.end("undone");
    });
    const next = await here.opened.reopen();
    expect(await next.idempotency.find(idOf(1))).toBeNull();
  });

  test("writes outside the request and after its end do not belong to it", async () => {
    await using here = await world();
    const { storage } = here;
    await keyed(storage, 1, async (attempt) => {
      await currentRequest.exit(() => here.insert(storage));
      expect(attempt.hasChanged).toBe(false);
      await attempt.end("undone");
      await here.insert(storage);
    });
    expect(await storage.idempotency.find(idOf(1))).toBeNull();
    expect(await here.count(storage)).toBe(2);
  });

  test("concurrent requests, with and without a key, are stored separately", async () => {
    await using here = await world();
    const { storage } = here;
    const insertKeyed = (n: number) =>
      keyed(storage, n, async (attempt) => {
        await here.insert(storage);
        await attempt.end({ ...response, body: `"${n}"` });
      });
    await Promise.all(Array.from({ length: 100 }, (_, n) => (n % 2 === 0 ? insertKeyed(n) : here.insert(storage))));
    const next = await here.opened.reopen();
    expect(await here.count(next)).toBe(100);
    for (let n = 0; n < 100; n++) {
      const found = await next.idempotency.find(idOf(n));
      expect(found?.response?.body).toBe(n % 2 === 0 ? `"${n}"` : undefined);
    }
  });

  test("a newer request with the same ID replaces the older one", async () => {
    await using here = await world();
    const { storage } = here;
    for (const startedAt of [1, 2]) await keyed(storage, 1, (attempt) => attempt.end(response), { startedAt });
    expect(await storage.idempotency.find(idOf(1))).toMatchObject({ startedAt: 2 });
  });

  test("the oldest requests are deleted first, up to the limit, and no newer ones", async () => {
    await using here = await world();
    const { storage } = here;
    for (let n = 1; n <= 5; n++) await keyed(storage, n, (attempt) => attempt.end(response), { startedAt: n * 10 });
    expect(await storage.idempotency.forget(40, 2)).toBe(2);
    expect(await storage.idempotency.find(idOf(2))).toBeNull();
    expect(await storage.idempotency.find(idOf(3))).not.toBeNull();
    expect(await storage.idempotency.forget(40, 2)).toBe(1);
    expect(await storage.idempotency.forget(40, 2)).toBe(0);
    expect(await storage.idempotency.find(idOf(4))).not.toBeNull();
  });

  test("thousands are found, also by the next process, and deleted without a trace", async () => {
    await using here = await world();
    const idAt = (n: number) => new Bun.CryptoHasher("sha256").update(`${n}`).digest().subarray(0, 16);
    const many = 5_000;
    const store = (n: number) =>
      here.storage.idempotency
        .begin({ id: idAt(n), startedAt: n, workspaceId: null, nodeId: null }, fingerprint, null)
        .end({ ...response, body: `${n}` });
    for (let from = 0; from < many; from += 250)
      await Promise.all(Array.from({ length: 250 }, (_, n) => store(from + n)));
    const check = async ({ idempotency }: Storage) => {
      for (let n = 0; n < many; n++) expect((await idempotency.find(idAt(n)))?.response?.body).toBe(`${n}`);
    };
    await check(here.storage);
    const next = await here.opened.reopen();
    await check(next);
    let deleted = 0;
    for (let count = 500; count === 500; deleted += count) count = await next.idempotency.forget(many, 500);
    expect(deleted).toBe(many);
    for (let n = 0; n < many; n++) expect(await next.idempotency.find(idAt(n))).toBeNull();
  });
});
