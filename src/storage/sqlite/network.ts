import { and, asc, count, eq, sql } from "drizzle-orm";
import { isoTime } from "../../clock.ts";
import type { Job } from "../../jobs/model.ts";
import type { JobClaim, JobEnd } from "../../jobs/store.ts";
import type { ActionState, NetworkAccount } from "../../network/model.ts";
import { earliestSlot } from "../../network/pacing.ts";
import type {
  ActionEnd,
  MarkOutcome,
  NetworkStore,
  ScheduleAction,
  ScheduleOutcome,
  TaskEnd,
} from "../../network/store.ts";
import type { Engine } from "./engine.ts";
import type { JobRows } from "./jobs.ts";
import { placeholdersOf } from "./placeholders.ts";
import { networkAccounts, networkActions } from "./tables.ts";

export function createNetworkStore({ orm, writer }: Engine, jobRows: JobRows): NetworkStore {
  const at = sql.placeholder;
  const accountById = orm
    .select()
    .from(networkAccounts)
    .where(eq(networkAccounts.id, at("id")))
    .prepare();
  const actionById = orm
    .select()
    .from(networkActions)
    .where(eq(networkActions.jobId, at("jobId")))
    .prepare();
  const insertAction = orm.insert(networkActions).values(placeholdersOf(networkActions)).prepare();
  const takeSlot = orm
    .update(networkAccounts)
    .set({ lastSlotAt: sql`${at("slotAt")}` })
    .where(eq(networkAccounts.id, at("id")))
    .prepare();
  const openTwin = orm
    .select({ jobId: networkActions.jobId })
    .from(networkActions)
    .where(
      and(
        eq(networkActions.accountId, at("accountId")),
        eq(networkActions.profileKey, at("profileKey")),
        eq(networkActions.actionType, at("actionType")),
        // Written out, not as parameters: only so does SQLite see that the partial index covers the query.
        sql`${networkActions.state} IN ('scheduled', 'sending', 'awaiting')`,
      ),
    )
    .limit(1)
    .prepare();

  function schedule({ action, job, gapMs }: ScheduleAction): ScheduleOutcome {
    const twin = openTwin.get({
      accountId: action.accountId,
      profileKey: action.profileKey,
      actionType: action.actionType,
    });
    const existing = twin === undefined ? null : jobRows.get(twin.jobId);
    if (existing !== null) return { kind: "existing", job: existing };
    const account = accountById.get({ id: action.accountId });
    if (account?.userId !== action.userId) throw new Error(`Account ${action.accountId} is gone`);
    const slot = earliestSlot({ ...account, notBefore: job.runAt, gapMs });
    if (slot === null) return { kind: "neverOpen" };
    const placed: Job = {
      ...job,
      runAt: slot.at,
      message: `Scheduled for ${isoTime(slot.at)}`,
      metadata: {
        ...job.metadata,
        delay: slot.at - job.createdAt,
        scheduledFor: isoTime(slot.at),
        nextEligibleAt: isoTime(slot.at),
        pendingReason: slot.reason === "due" ? "queued" : slot.reason,
      },
    };
    jobRows.insert(placed);
    insertAction.run(action);
    takeSlot.run({ id: account.id, slotAt: slot.at });
    return { kind: "scheduled", job: placed };
  }

  function setState(jobId: string, state: ActionState, now: number): void {
    orm.update(networkActions).set({ state, updatedAt: now }).where(eq(networkActions.jobId, jobId)).run();
  }

  function markSending(claim: JobClaim, now: number): MarkOutcome {
    const action = actionById.get({ jobId: claim.id });
    const account = action && accountById.get({ id: action.accountId });
    if (action?.state !== "scheduled" || account === undefined) return { kind: "void" };
    const { lastSentAt, minGapSeconds } = account;
    // After a pause of the server many actions are due at once; they still go one by one.
    const freeAt = lastSentAt === null || lastSentAt > now ? now : lastSentAt + minGapSeconds * 1000;
    if (freeAt > now) return { kind: "tooSoon", freeAt };
    if (!jobRows.writeClaimed(claim, () => ({ updatedAt: now }))) return { kind: "void" };
    setState(claim.id, "sending", now);
    orm.update(networkAccounts).set({ lastSentAt: now }).where(eq(networkAccounts.id, account.id)).run();
    return { kind: "marked" };
  }

  function endAction(claim: JobClaim, end: ActionEnd): boolean {
    if (!jobRows.end(claim, { ...end, kind: jobEndOf(end.state) } as JobEnd)) return false;
    setState(claim.id, end.state, end.at);
    return true;
  }

  function endTask({
    userId,
    jobId,
    outcome,
    message,
    metadata,
    at: now,
  }: TaskEnd): Awaited<ReturnType<NetworkStore["endTask"]>> {
    const action = actionById.get({ jobId });
    if (action === undefined || action.userId !== userId) return { kind: "absent" };
    const job = jobRows.get(jobId);
    if (action.state !== "awaiting" || job === null) return { kind: "refused", state: action.state };
    const status = outcome === "failed" ? "failed" : "completed";
    const change = {
      status,
      message,
      metadata: { ...job.metadata, ...metadata },
      completedAt: now,
      updatedAt: now,
    } as const;
    setState(jobId, outcome, now);
    return {
      kind: "ended",
      job: jobRows.write(job, { ...change, progress: status === "completed" ? 100 : job.progress }),
    };
  }

  const awaitingOf = (userId: string) =>
    and(eq(networkActions.userId, userId), sql`${networkActions.state} = 'awaiting'`);

  return {
    insertAccount: (account) => writer.write(() => insertAccountRow({ orm }, account)),
    accounts: async (userId) =>
      orm
        .select()
        .from(networkAccounts)
        .where(eq(networkAccounts.userId, userId))
        .orderBy(asc(networkAccounts.createdAt), asc(networkAccounts.id))
        .all()
        .map(accountOf),
    account: async (userId, id) => {
      const row = accountById.get({ id });
      return row?.userId === userId ? accountOf(row) : null;
    },
    updateAccount: (userId, id, change) =>
      writer.write(() => {
        const isOwn = and(eq(networkAccounts.id, id), eq(networkAccounts.userId, userId));
        const row = orm.update(networkAccounts).set(change).where(isOwn).returning().get();
        return row === undefined ? null : accountOf(row);
      }),
    schedule: (request) => writer.write(() => schedule(request)),
    action: async (jobId) => actionById.get({ jobId }) ?? null,
    markSending: (claim, now) => writer.write(() => markSending(claim, now)),
    postpone: (claim, change) =>
      writer.write(() => {
        const isOurs = jobRows.end(claim, { kind: "again", countsAsAttempt: false, ...change });
        if (isOurs) setState(claim.id, "scheduled", change.at);
        return isOurs;
      }),
    endAction: (claim, end) => writer.write(() => endAction(claim, end)),
    awaiting: async (userId, limit, offset) =>
      orm
        .select()
        .from(networkActions)
        .where(awaitingOf(userId))
        .orderBy(asc(networkActions.updatedAt), asc(networkActions.jobId))
        .limit(limit)
        .offset(offset)
        .all(),
    countAwaiting: async (userId) =>
      orm.select({ n: count() }).from(networkActions).where(awaitingOf(userId)).get()?.n ?? 0,
    endTask: (end) => writer.write(() => endTask(end)),
  };
}

/** Inserts an account inside a write unit; a new user is stored together with its first. */
export function insertAccountRow({ orm }: Pick<Engine, "orm">, account: NetworkAccount): void {
  orm.insert(networkAccounts).values(account).run();
}

function accountOf({
  lastSlotAt: _slot,
  lastSentAt: _sent,
  ...account
}: typeof networkAccounts.$inferSelect): NetworkAccount {
  return account;
}

function jobEndOf(state: ActionState): JobEnd["kind"] {
  if (state === "awaiting") return "parked";
  return state === "done" || state === "skipped" ? "completed" : "failed";
}
