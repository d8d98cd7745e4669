import { and, eq, inArray, sql } from "drizzle-orm";
import type { NetworkChange } from "../../../features/network/decisions/changes.ts";
import { recordingOf } from "../../../features/inbox/recording.ts";
import { actionKinds, hasNote } from "../../../features/network/action-kinds.ts";
import { openStates } from "../../../features/network/action-model.ts";
import { meterCode } from "../meter-code.ts";
import { tellOrigin } from "./campaign-origin.ts";
import type { Connection } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { recordMessage } from "./inbox-recording.ts";
import { insertJob, writeJobs } from "./jobs.ts";
import { oneOf } from "./one-of.ts";
import { networkAccounts, networkActions, networkContacts, networkMeters } from "./network-tables.ts";
import { updateRows } from "./row-updates.ts";
import { jobs } from "./tables.ts";

type Change<Kind extends NetworkChange["kind"]> = Extract<NetworkChange, { kind: Kind }>;

/** Written together, because a claim, or many ends, have many of them, and others wait for the accounts that they lock. */
const grouped = ["end", "job", "queue", "send", "lease", "event"] as const satisfies NetworkChange["kind"][];
type Grouped = (typeof grouped)[number];
const isGrouped = (change: NetworkChange): change is Change<Grouped> =>
  (grouped as readonly NetworkChange["kind"][]).includes(change.kind);

/** Writes what a decision changes, in its transaction. */
export async function writeChanges(connection: Connection, changes: readonly NetworkChange[]): Promise<void> {
  // Before what may follow them for the same action: a job that waits, the message of the conversation.
  await writeEnds(connection, ofKind(changes, "end"));
  await writeJobs(connection, ofKind(changes, "job"));
  await noteQueues(connection, ofKind(changes, "queue"));
  for (const change of changes) {
    if (!isGrouped(change)) await writeChange(connection, change);
    const recording = recordingOf(change);
    if (recording !== null) await recordMessage(connection, recording);
  }
  await writeSends(connection, ofKind(changes, "send"));
  await writeLeases(connection, ofKind(changes, "lease"));
  const events = ofKind(changes, "event").map(({ event }) => event);
  if (events.length > 0) await appendEvents(connection, events);
}

function ofKind<Kind extends NetworkChange["kind"]>(changes: readonly NetworkChange[], kind: Kind): Change<Kind>[] {
  return changes.filter((change): change is Change<Kind> => change.kind === kind);
}

async function writeEnds(connection: Connection, ends: readonly Change<"end">[]): Promise<void> {
  const updates = ends.map(({ row, state, slotAt, reference, at }) => {
    const used = slotAt === null ? 0 : 1;
    const name = reference === null ? {} : { reference };
    return { key: row.seq, values: { state, pendingReason: null, used, slotAt, updatedAt: at, ...name } };
  });
  await updateRows(connection, networkActions, networkActions.seq, updates);
}

async function noteQueues(connection: Connection, queues: readonly Change<"queue">[]): Promise<void> {
  for (const [replan, alike] of Map.groupBy(queues, (change) => change.replan)) {
    const seqs = new Set(alike.map(({ account }) => account));
    await updateAccounts(connection)
      .set({
        // Changes are counted only while a plan is missing.
        queueVersion: sql`${networkAccounts.queueVersion} + ${networkAccounts.needsPlan}::int`,
        ...(replan && { needsPlan: true }),
      })
      .where(oneOf(networkAccounts.seq, [...seqs]));
  }
}

async function writeSends(connection: Connection, sends: readonly Change<"send">[]): Promise<void> {
  for (const alike of Map.groupBy(sends, ({ at, pendingReason }) => `${at} ${pendingReason}`).values()) {
    const { at, pendingReason } = alike[0]!;
    await connection
      .update(networkActions)
      .set({ state: "sending", pendingReason, used: 1, slotAt: at, updatedAt: at })
      .where(
        oneOf(
          networkActions.seq,
          alike.map(({ row }) => row.seq),
        ),
      );
  }
}

async function writeLeases(connection: Connection, leases: readonly Change<"lease">[]): Promise<void> {
  for (const alike of Map.groupBy(leases, ({ at, until }) => `${at} ${until}`).values()) {
    const { at, until } = alike[0]!;
    await connection
      .update(jobs)
      .set({ status: "running", attempt: sql`${jobs.attempt} + 1`, leaseUntil: until, updatedAt: at })
      .where(
        oneOf(
          jobs.id,
          alike.map(({ jobId }) => jobId),
        ),
      );
  }
}

async function writeChange(connection: Connection, change: Exclude<NetworkChange, { kind: Grouped }>): Promise<void> {
  const setAction = (seq: number, values: Partial<typeof networkActions.$inferInsert>) =>
    connection.update(networkActions).set(values).where(eq(networkActions.seq, seq));
  const setAccount = (seq: number, values: Parameters<ReturnType<typeof updateAccounts>["set"]>[0]) =>
    updateAccounts(connection).set(values).where(eq(networkAccounts.seq, seq));
  switch (change.kind) {
    case "insert": {
      const { accountId: _id, ...action } = change.action;
      const meter = meterCode(actionKinds[action.actionType].meter);
      const { account, used } = change;
      const mayBeOpen = openStates.includes(action.state);
      await insertJob(connection, change.job);
      await connection
        .insert(networkActions)
        .values({ ...action, account, meter, hasNote: hasNote(action), used, mayBeOpen });
      return;
    }
    case "closeTwins":
      await connection
        .update(networkActions)
        .set({ mayBeOpen: false })
        .where(inArray(networkActions.seq, [...change.seqs]));
      return;
    case "state": {
      const { state, pendingReason, used, slotAt, at } = change;
      const open = openStates.includes(state) ? { mayBeOpen: true } : {};
      await setAction(change.row.seq, { state, pendingReason, used, slotAt, updatedAt: at, ...open });
      return;
    }
    case "content": {
      const { message, details, notBefore, targetKey, at } = change;
      const values = { message, details, notBefore, targetKey, hasNote: change.hasNote, updatedAt: at };
      await setAction(change.row.seq, values);
      return;
    }
    case "notBefore":
      await setAction(change.row.seq, { notBefore: change.notBefore });
      return;
    case "reference":
      await setAction(change.row.seq, { reference: change.reference });
      return;
    case "wait": {
      const { jobId, status, runAt, leaseUntil, message, at } = change;
      await connection
        .update(jobs)
        .set({ status, runAt, leaseUntil, message, updatedAt: at })
        .where(eq(jobs.id, jobId));
      return;
    }
    case "settings": {
      const plan = { needsPlan: true, queueVersion: sql`${networkAccounts.queueVersion} + 1` };
      await setAccount(change.account, { ...change.values, ...(change.replan && plan) });
      return;
    }
    case "signOut":
      await setAccount(change.account, { state: "needsReconnect", stateReason: change.reason, updatedAt: change.at });
      return;
    case "releaseWorkerQueue":
      return releaseWorkerQueue(connection, change.account);
    case "freeSlot":
    case "frontier":
    case "gap":
    case "coolDown":
      return writeMeter(connection, change);
    case "contact": {
      const { account: _account, profileKey: _key, profileUrl: _url, ...values } = change.contact;
      await connection
        .insert(networkContacts)
        .values(change.contact)
        .onConflictDoUpdate({ target: [networkContacts.account, networkContacts.profileKey], set: values });
      return;
    }
    case "reported":
      return;
    case "origin":
      return tellOrigin(connection, change.news);
  }
}

const updateAccounts = (connection: Connection) => connection.update(networkAccounts);

async function writeMeter(
  connection: Connection,
  change: Change<"freeSlot" | "frontier" | "gap" | "coolDown">,
): Promise<void> {
  const meter = meterCode(change.kind === "coolDown" ? change.coolDown.meter : change.meter);
  const { account } = change;
  const values = meterValues(change);
  const set =
    change.kind === "freeSlot" ? { freeAt: sql`least(${networkMeters.freeAt}, ${change.at}::bigint)` } : values;
  await connection
    .insert(networkMeters)
    .values({ account, meter, ...values })
    .onConflictDoUpdate({ target: [networkMeters.account, networkMeters.meter], set });
}

function meterValues(change: Change<"freeSlot" | "frontier" | "gap" | "coolDown">) {
  switch (change.kind) {
    case "freeSlot":
    case "gap":
      return { freeAt: change.at };
    case "frontier":
      return { frontierAt: change.at };
    case "coolDown": {
      const { until, level, reason, since } = change.coolDown;
      return { coolUntil: until, coolLevel: level, coolReason: reason, coolSince: since };
    }
  }
}

/** What waits for a worker returns to the queue. */
async function releaseWorkerQueue(connection: Connection, account: number): Promise<void> {
  const waiting = and(
    eq(networkActions.account, account),
    eq(networkActions.state, "awaiting"),
    eq(networkActions.pendingReason, "awaitingWorker"),
  );
  const jobIds = connection.select({ id: networkActions.jobId }).from(networkActions).where(waiting);
  await connection.update(jobs).set({ status: "pending" }).where(inArray(jobs.id, jobIds));
  await connection.update(networkActions).set({ state: "scheduled", pendingReason: "queued" }).where(waiting);
}
