import { describe, expect, test } from "bun:test";
import { openEngine } from "../../src/adapters/storage/postgres/engine.ts";
import { lockAccount } from "../../src/adapters/storage/postgres/network-accounts.ts";
import { openPostgresStorage } from "../../src/adapters/storage/postgres/postgres-storage.ts";
import { lockSuppressions } from "../../src/adapters/storage/postgres/suppression-rows.ts";
import { suppressions } from "../../src/adapters/storage/postgres/tables.ts";
import type { NetworkAccount } from "../../src/features/network/account-model.ts";
import type { DueAction } from "../../src/features/network/queue-model.ts";
import type { JobClaim } from "../../src/platform/jobs/model.ts";
import { suppressionKey } from "../../src/features/suppression/key.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { actionEnd, alwaysOpen, claimOf, createFactories } from "../support/factories.ts";
import { createTestDatabase } from "../support/postgres.ts";

const minute = 60_000;
const noDistance = { medianSeconds: 0, minSeconds: 0 };

describe("two nodes on one database", () => {
  test("claim each action once, and together no more than the caps allow", async () => {
    await using nodes = await openNodes({ caps: { all: { day: 20 } }, spacing: noDistance });
    const { first, second, account, make } = nodes;
    for (let n = 0; n < 40; n++) await make.scheduledJob(first, account, { action: { actionType: "visitProfile" } });
    await first.network.updateAccount(account.workspaceId, account.id, { caps: { all: { day: 7 } }, updatedAt: 1 });
    const claims = await Promise.all(
      Array.from({ length: 12 }, (_, n) =>
        (n % 2 === 0 ? first : second).network.claimDue({
          now: startOfTests,
          limit: 5,
          leaseUntil: startOfTests + minute,
        }),
      ),
    );
    const sent = claims.flatMap(({ due }) => due.map(({ job }) => job.id));
    expect(new Set(sent).size).toBe(sent.length);
    for (let n = 0; n < 20; n++)
      sent.push(
        ...(await second.network.claimDue({ now: startOfTests, limit: 5, leaseUntil: startOfTests + minute })).due.map(
          ({ job }) => job.id,
        ),
      );
    expect(sent).toHaveLength(7);
  });

  test("schedule one action for one target, whoever is first", async () => {
    await using nodes = await openNodes({});
    const { first, second, account, make } = nodes;
    const profileUrl = "https://network.example/in/ada";
    const outcomes = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        (n % 2 === 0 ? first : second).network.schedule(make.actionRequest(account, { action: { profileUrl } }), false),
      ),
    );
    expect(outcomes.filter(({ kind }) => kind === "scheduled")).toHaveLength(1);
    expect(outcomes.filter(({ kind }) => kind === "existing")).toHaveLength(9);
  });

  test("claim actions of other accounts while one is being decided about", async () => {
    await using nodes = await openNodes({ spacing: noDistance });
    const { first, second, account, make, url } = nodes;
    const other = make.account(account.workspaceId, { ...account, id: "other", name: "Other" });
    await first.network.insertAccount(other);
    const action = { actionType: "visitProfile", notBefore: startOfTests - minute } as const;
    for (let n = 0; n < 6; n++) await make.scheduledJob(first, account, { action });
    const { id } = await make.scheduledJob(first, other, { action: { actionType: "visitProfile" } });
    const claim = async () => {
      const request = { now: startOfTests, limit: 3, leaseUntil: startOfTests + minute };
      return (await second.network.claimDue(request)).due.map(({ job }) => job.id);
    };
    const engine = openEngine(url, { poolSize: 1 });
    await engine.transact(async (connection) => {
      await lockAccount(connection, account.workspaceId, account.id);
      expect(await claim()).toEqual([id]);
    });
    expect(await claim()).toHaveLength(3);
    await engine.close();
  });

  test("end many attempts together: each once, also several of one account, and none whose claim is void", async () => {
    await using nodes = await openNodes({ spacing: noDistance });
    const { first, second, account, make } = nodes;
    for (let n = 0; n < 30; n++) await make.scheduledJob(first, account, { action: { actionType: "visitProfile" } });
    const claims: JobClaim[] = [];
    while (claims.length < 30) {
      const request = { now: startOfTests, limit: 30, leaseUntil: startOfTests + minute };
      claims.push(...(await first.network.claimDue(request)).due.map(({ job }) => claimOf(job)));
    }
    const isVoid = { ...claims[7]!, attempt: 9 };
    const ends = [isVoid, ...claims, ...claims.slice(0, 5)].map((claim, n) =>
      (n % 3 === 0 ? second : first).network.endAction(claim, actionEnd()),
    );
    const ended = await Promise.all(ends);
    expect(ended[0]).toBe(false);
    expect(ended.filter(Boolean)).toHaveLength(30);
    const jobs = await Promise.all(claims.map(({ id }) => first.jobs.get(account.workspaceId, id)));
    expect(new Set(jobs.map((job) => job?.status))).toEqual(new Set(["completed"]));
  });

  test("end two attempts to one person together: the contact shows both", async () => {
    await using nodes = await openNodes({ spacing: noDistance });
    const { first, account, make } = nodes;
    const profileUrl = "https://network.example/in/ada";
    await make.scheduledJob(first, account, { action: { actionType: "visitProfile" } });
    for (const actionType of ["sendConnectionRequest", "sendInMail"] as const)
      await make.scheduledJob(first, account, { action: { profileUrl, actionType } });
    const { due } = await first.network.claimDue({ now: startOfTests, limit: 9, leaseUntil: startOfTests + minute });
    expect(due).toHaveLength(3);
    const isOfAda = ({ action }: DueAction): boolean => action.profileUrl === profileUrl;
    // The first one is written at once, and the others after it in one transaction.
    const inOrder = due.toSorted((a, b) => Number(isOfAda(a)) - Number(isOfAda(b)));
    await Promise.all(inOrder.map(({ job }) => first.network.endAction(claimOf(job), actionEnd())));
    const { profileKey } = inOrder[1]!.action;
    const contact = await first.network.contact(account.workspaceId, account.id, profileKey);
    expect(contact).toMatchObject({ relation: "pending", invitedAt: startOfTests, messagedAt: startOfTests });
  });

  test("end an attempt once", async () => {
    await using nodes = await openNodes({});
    const { first, second, account, make } = nodes;
    await make.scheduledJob(first, account);
    const { due } = await first.network.claimDue({ now: startOfTests, limit: 1, leaseUntil: startOfTests + minute });
    const claim = claimOf(due[0]!.job);
    const ends = await Promise.all([first, second].map(({ network }) => network.endAction(claim, actionEnd())));
    expect(ends.filter(Boolean)).toHaveLength(1);
  });

  test("an attempt whose lease ended is void for the node that still works on it", async () => {
    await using nodes = await openNodes({});
    const { first, second, account, make } = nodes;
    await make.scheduledJob(first, account);
    const { due } = await first.network.claimDue({ now: startOfTests, limit: 1, leaseUntil: startOfTests + minute });
    await second.network.claimDue({ now: startOfTests + minute, limit: 1, leaseUntil: startOfTests + 2 * minute });
    expect(await first.network.endAction(claimOf(due[0]!.job), actionEnd())).toBe(false);
    const found = await second.network.action(account.workspaceId, due[0]!.job.id);
    expect(found?.action.state).toBe("unknown");
  });
});

describe("an objection that is being added", () => {
  const profileUrl = "https://network.example/in/ada";

  test.each(["scheduled", "claimed"])("is waited for by its person being %s", async (what) => {
    await using nodes = await openNodes({});
    const { first, account, make, url } = nodes;
    const request = make.actionRequest(account, { action: { profileUrl } });
    if (what === "claimed") await first.network.schedule(request, false);
    const engine = openEngine(url, { poolSize: 1 });
    const isAdded = Promise.withResolvers<void>();
    const commit = Promise.withResolvers<void>();
    const adding = engine.transact(async (connection) => {
      await lockSuppressions(connection, [account.workspaceId], "exclusive");
      const entry = make.suppression(null, "profile", profileUrl);
      const { id, kind, value, reason, source, createdAt } = entry;
      const key = suppressionKey("profile", profileUrl);
      await connection.insert(suppressions).values({ id, owner: null, kind, key, value, reason, source, createdAt });
      isAdded.resolve();
      await commit.promise;
    });
    await isAdded.promise;
    let isDone = false;
    const contact = (
      what === "scheduled"
        ? first.network.schedule(request, false)
        : first.network.claimDue({ now: startOfTests, limit: 9, leaseUntil: startOfTests + minute })
    ).finally(() => (isDone = true));
    await Bun.sleep(200);
    expect(isDone).toBe(false);
    commit.resolve();
    await adding;
    await engine.close();
    if (what === "scheduled") expect(await contact).toMatchObject({ kind: "objected" });
    else expect(await contact).toMatchObject({ due: [] });
  });
});

async function openNodes(settings: Partial<NetworkAccount>) {
  const database = await createTestDatabase();
  const clock = new FakeClock();
  const nodes = [
    await openPostgresStorage(database.url, clock),
    await openPostgresStorage(database.url, clock),
  ] as const;
  const [first, second] = nodes;
  const make = createFactories();
  const { user } = await make.storedUser(first);
  const account = make.account(user.id, { workingHours: alwaysOpen, sessions: null, jitterPercent: 0, ...settings });
  await first.network.insertAccount(account);
  return {
    first,
    second,
    account,
    make,
    url: database.url,
    async [Symbol.asyncDispose]() {
      for (const node of nodes) await node.close();
      await database.release();
    },
  };
}
