import { expect, test } from "bun:test";
import { CreditService } from "../../src/features/credits/service.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { engines } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";
import { createIds } from "../support/ids.ts";

const dayMs = 86_400_000;
const minuteMs = 60_000;

async function arrange({ monthlyGrant = 50, sharesStore = false } = {}) {
  const opened = await engines[0]!.open();
  const { storage } = opened;
  const make = createFactories();
  const clock = new FakeClock();
  const create = () =>
    new CreditService(
      storage.credits,
      storage.workspaces,
      storage.keys,
      clock,
      createIds(Math.floor(clock.now() % 1e9)),
      {
        costs: { enrichment: 1, search: 2 },
        monthlyGrant,
        upgradeUrl: "/docs",
        sharesStore,
      },
    );
  const ada = (await make.storedUser(storage)).user.id;
  return { storage, make, clock, create, credits: create(), ada, [Symbol.asyncDispose]: () => opened.close() };
}

test("the grant of a month goes once to everybody who was there when it began", async () => {
  await using arranged = await arrange();
  const { storage, make, clock, credits, ada } = arranged;
  expect(await credits.grantMonth()).toBe(0); // ada came in this month
  clock.advanceTo(Date.UTC(2026, 1, 1));
  expect(await credits.grantMonth()).toBe(1);
  expect(await credits.grantMonth()).toBe(0);
  const bob = (await make.storedUser(storage, { createdAt: clock.now() + 1 })).user.id;
  clock.advance(20 * dayMs);
  expect(await credits.grantMonth()).toBe(0);
  clock.advance(20 * dayMs);
  expect(await credits.grantMonth()).toBe(2);
  expect([await credits.balance(ada), await credits.balance(bob)]).toEqual([100, 50]);
});

test("of many users each gets the grant of the month", async () => {
  await using arranged = await arrange();
  const { storage, make, clock, credits } = arranged;
  for (let n = 0; n < 120; n++) await make.storedUser(storage);
  clock.advance(40 * dayMs);
  expect(await credits.grantMonth()).toBe(121);
});

test("without a monthly grant nobody gets any", async () => {
  await using arranged = await arrange({ monthlyGrant: 0 });
  const { clock, credits } = arranged;
  clock.advance(40 * dayMs);
  expect(await credits.grantMonth()).toBe(0);
});

test("a process gives back what the one before it held, and leaves alone what it holds itself", async () => {
  await using arranged = await arrange();
  const { storage, make, clock, create, credits, ada } = arranged;
  await storage.credits.add(make.grant(ada));
  await credits.reserve(ada, { request: "a", purpose: "enrichment", amount: 10, keyId: null });
  clock.advance(1); // the process dies and the next one starts
  const next = create();
  await next.reserve(ada, { request: "b", purpose: "enrichment", amount: 20, keyId: null });
  expect(await next.releaseAbandoned()).toBe(1);
  expect(await next.balance(ada)).toBe(80);
  clock.advance(14 * minuteMs);
  expect(await next.releaseAbandoned()).toBe(0);
  clock.advance(2 * minuteMs);
  expect(await next.releaseAbandoned()).toBe(1);
  expect(await next.balance(ada)).toBe(100);
});

test("a process that shares the store gives back only what was held too long", async () => {
  await using arranged = await arrange({ sharesStore: true });
  const { storage, make, clock, create, credits, ada } = arranged;
  await storage.credits.add(make.grant(ada));
  await credits.reserve(ada, { request: "a", purpose: "enrichment", amount: 10, keyId: null });
  clock.advance(minuteMs);
  const other = create();
  expect(await other.releaseAbandoned()).toBe(0);
  clock.advance(15 * minuteMs);
  expect(await other.releaseAbandoned()).toBe(1);
  expect(await other.balance(ada)).toBe(100);
});

test("what a job holds comes back when the job has ended, not before", async () => {
  await using arranged = await arrange();
  const { storage, make, clock, create, credits, ada } = arranged;
  await storage.credits.add(make.grant(ada));
  const job = await make.storedJob(storage, ada);
  await credits.reserve(ada, { request: job.id, purpose: "enrichment", amount: 10, keyId: null, jobId: job.id });
  clock.advance(dayMs);
  expect(await create().releaseAbandoned()).toBe(0);
  await storage.jobs.cancel(ada, job.id, clock.now());
  expect(await credits.releaseAbandoned()).toBe(1);
  expect(await credits.balance(ada)).toBe(100);
});

test("reserve, settle and release, and a charge at once, in the words of a feature", async () => {
  await using arranged = await arrange();
  const { storage, make, credits, ada } = arranged;
  await storage.credits.add(make.grant(ada));
  const reserved = await credits.reserve(ada, { request: "r", purpose: "search", amount: 30, keyId: null });
  if (reserved.kind !== "reserved") throw new Error("Expected a reservation");
  const amount = credits.costOf("search");
  await credits.settle(reserved.id, [{ item: "0", amount }]);
  await credits.release(reserved.id);
  await credits.release(reserved.id);
  expect(await credits.balance(ada)).toBe(98);
  const page = { request: "page", purpose: "search", amount: 97, keyId: null } as const;
  expect(await credits.charge(ada, page)).toEqual({ kind: "charged", balance: 1 });
  const exhausted = await credits.charge(ada, { ...page, request: "next" });
  if (exhausted.kind !== "exhausted") throw new Error("Expected it to be exhausted");
  expect(credits.refusal(exhausted)).toMatchObject({
    code: "ENRICHMENT_CREDITS_EXHAUSTED",
    status: 402,
    details: { remaining: 1, required: 97, upgradeUrl: "/docs" },
  });
  const { entries } = await credits.ledger({
    workspaceId: ada,
    kind: "settle",
    createdFrom: startOfTests,
    createdTo: null,
    limit: 9,
    after: null,
  });
  expect(entries.map(({ request, item }) => `${request}/${item}`).toSorted()).toEqual(["page/all", "r/0"]);
});
