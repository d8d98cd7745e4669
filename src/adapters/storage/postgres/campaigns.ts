import { and, asc, count, desc, eq, gt, inArray, isNotNull, ne, or, sql } from "drizzle-orm";
import type { EnrollmentChange, EnrollRefusal, MoveOutcome } from "../../../features/campaigns/change-model.ts";
import {
  canDelete,
  decideChange,
  decideEnrollment,
  decideMove,
  decideStops,
  decideWinner,
  stopped,
  type CampaignsChange,
  type MoveFacts,
} from "../../../features/campaigns/decisions.ts";
import { summed } from "../../../features/campaigns/funnel-marks.ts";
import { lockOfEnrolling } from "../../../features/campaigns/locks.ts";
import type { Campaign, Enrollment } from "../../../features/campaigns/model.ts";
import type { CampaignStore, EnrollmentFilter } from "../../../features/campaigns/store.ts";
import { pauseAction, withdrawn } from "../../../features/network/decisions/ending.ts";
import { decideSchedule } from "../../../features/network/decisions/scheduling.ts";
import type { ScheduleAction } from "../../../features/network/queue-model.ts";
import { locksOfReader } from "../../../features/suppression/locks.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { doneBy } from "../../../platform/events/done-by.ts";
import { createDueEnrollments } from "./campaign-due.ts";
import { EnrollmentFactLoader } from "./campaign-facts.ts";
import { addFunnelChanges, createFunnelQueries } from "./campaign-funnel.ts";
import { noteInterest } from "./campaign-origin.ts";
import { campaignEarlierSteps, campaignEnrollments, campaignFunnelChanges, campaigns } from "./campaign-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { appendEvents } from "./event-rows.ts";
import { olderThan } from "./list-pages.ts";
import { decideLoaded, NamedFacts } from "./loaded.ts";
import { takeLocks } from "./locks.ts";
import { lockAccounts } from "./network-accounts.ts";
import { writeChanges } from "./network-changes.ts";
import { LoadedFacts, loadTargets } from "./network-facts.ts";
import { lockForSchedule } from "./network-schedule.ts";
import { networkActions } from "./network-tables.ts";

/** Locks are taken in the order of the network's, and then: campaigns, enrollments. */
export function createCampaignStore(engine: Engine): CampaignStore {
  const { orm, transact, phoneRegion } = engine;

  async function decideEnrollments(
    connection: Connection,
    enrollments: readonly Enrollment[],
    dryRun: boolean,
    now: number,
  ): Promise<{ refusals: (EnrollRefusal | null)[]; changes: CampaignsChange[] }> {
    const workspaceIds = new Set(enrollments.map(({ workspaceId }) => workspaceId));
    const loader = await EnrollmentFactLoader.open(connection, phoneRegion, workspaceIds);
    return decideLoaded(() => {
      loader.restart();
      const decisions = enrollments.map((enrollment) => {
        const decision = decideEnrollment(enrollment, loader.facts, now);
        // A dry run answers for each lead by what is stored.
        if (!dryRun && decision.changes.length > 0) loader.note(enrollment);
        return decision;
      });
      return {
        refusals: decisions.map(({ outcome }) => outcome),
        changes: decisions.flatMap(({ changes }) => changes),
      };
    }, loader);
  }

  function enroll(enrollments: readonly Enrollment[], now: number): Promise<(EnrollRefusal | null)[]> {
    return transact(async (connection) => {
      const workspaceIds = [...new Set(enrollments.map(({ workspaceId }) => workspaceId))];
      await takeLocks(
        connection,
        workspaceIds.flatMap((id) => [...locksOfReader(id), lockOfEnrolling(id)]),
      );
      await lockCampaigns(connection, [...new Set(enrollments.map(({ campaignId }) => campaignId))], "share");
      const { refusals, changes } = await decideEnrollments(connection, enrollments, false, now);
      await write(connection, changes);
      return refusals;
    });
  }

  function move(
    { id, version }: Pick<Enrollment, "id" | "version">,
    change: EnrollmentChange,
    action: ScheduleAction | null,
  ): Promise<MoveOutcome | null> {
    return transact(async (connection) => {
      const network =
        action === null ? new LoadedFacts(connection, engine) : await lockForSchedule(connection, engine, action);
      const [before] = await connection.select().from(campaignEnrollments).where(eq(campaignEnrollments.id, id));
      if (before === undefined) return null;
      // The action that the move may withdraw. If the enrollment has another one by the time it is locked, it also has
      // another version, and is not moved.
      const { jobId } = before;
      if (action === null && jobId !== null) await network.decide(() => network.target(jobId));
      // The last enrollment to end completes the campaign, so that ends take turns.
      await lockCampaigns(connection, [before.campaignId], action === null ? "no key update" : "share");
      const [enrollment] = await connection
        .select()
        .from(campaignEnrollments)
        .where(eq(campaignEnrollments.id, id))
        .for("update");
      const named = new NamedFacts();
      const facts = moveFacts(connection, network, named);
      const { outcome, changes } = await decideLoaded(
        () => decideMove(enrollment ?? null, version, change, action, facts),
        network,
        named,
      );
      await write(connection, changes);
      return outcome;
    });
  }

  async function stop(
    workspaceId: WorkspaceId,
    campaignId: string,
    id: string,
    reason: string,
    at: number,
  ): Promise<Enrollment | null> {
    let found = await find(id);
    while (found?.workspaceId === workspaceId && found.campaignId === campaignId) {
      if ((await move(found, stopped(reason, at), null)) !== null) return find(id);
      // Another transaction may have changed it meanwhile.
      const current = await find(id);
      if (current?.version === found.version) return null;
      found = current;
    }
    return null;
  }

  async function find(id: string): Promise<Enrollment | null> {
    const [row] = await orm.select().from(campaignEnrollments).where(eq(campaignEnrollments.id, id));
    return row ?? null;
  }

  function stopAll(campaignId: string, reason: string, limit: number, at: number): Promise<number> {
    const { id, state } = campaignEnrollments;
    return transact(async (connection) => {
      const active = await connection
        .select()
        .from(campaignEnrollments)
        .where(and(eq(campaignEnrollments.campaignId, campaignId), eq(state, "active")))
        .orderBy(asc(id))
        .limit(limit)
        .for("update");
      const { outcome, changes } = decideStops(active, reason, at);
      await write(connection, changes);
      return outcome;
    });
  }

  function withdrawActions(campaignId: string, limit: number, at: number): Promise<number> {
    return transact(async (connection) => {
      const { jobId, account, seq } = networkActions;
      const isPending = and(eq(networkActions.campaignId, campaignId), isWaiting);
      const used = await connection.selectDistinct({ account }).from(networkActions).where(isPending);
      const accounts = await lockAccounts(
        connection,
        used.map((row) => row.account),
      );
      const waiting = await connection
        .select({ jobId })
        .from(networkActions)
        .where(
          and(
            isPending,
            inArray(
              account,
              accounts.map((record) => record.seq),
            ),
          ),
        )
        .orderBy(asc(seq))
        .limit(limit);
      const targets = await loadTargets(
        connection,
        waiting.map((row) => row.jobId),
        accounts,
      );
      await writeChanges(
        connection,
        targets.flatMap((target) => [...pauseAction(target, at)]),
      );
      return targets.length;
    });
  }

  async function counts(campaignId: string): ReturnType<CampaignStore["counts"]> {
    const ofCampaign = eq(campaignEnrollments.campaignId, campaignId);
    const { state, reason, connectedAt, repliedAt } = campaignEnrollments;
    const enrollments = await orm
      .select({ state, reason, n: count() })
      .from(campaignEnrollments)
      .where(ofCampaign)
      .groupBy(state, reason);
    const [people] = await orm
      .select({ connected: count(connectedAt), replied: count(repliedAt) })
      .from(campaignEnrollments)
      .where(ofCampaign);
    const { campaignStep, state: actionState } = networkActions;
    const actions = await orm
      .select({ step: sql<number>`${campaignStep}`, state: actionState, n: count() })
      .from(networkActions)
      .where(eq(networkActions.campaignId, campaignId))
      .groupBy(campaignStep, actionState);
    return { enrollments, ...(people ?? { connected: 0, replied: 0 }), actions };
  }

  return {
    insert: (campaign) => transact(async (connection) => void (await connection.insert(campaigns).values(campaign))),
    get: async (workspaceId, id) => {
      const ofWorkspace = and(eq(campaigns.id, id), eq(campaigns.workspaceId, workspaceId));
      const [found] = await orm.select().from(campaigns).where(ofWorkspace);
      return found ?? null;
    },
    list: (workspaceId, limit, after = null) =>
      orm
        .select()
        .from(campaigns)
        .where(and(eq(campaigns.workspaceId, workspaceId), olderThan(campaigns, after)))
        .orderBy(desc(campaigns.createdAt), desc(campaigns.id))
        .limit(limit),
    countCampaigns: async (workspaceId) => {
      const [row] = await orm.select({ n: count() }).from(campaigns).where(eq(campaigns.workspaceId, workspaceId));
      return row?.n ?? 0;
    },
    update: (workspaceId, id, states, change, actorId = null, version = null) =>
      transact(async (connection) => {
        const [campaign] = await lockCampaigns(connection, [id], "no key update");
        const decision = decideChange(campaign ?? null, workspaceId, states, change, version);
        const { outcome, changes } = doneBy(actorId, decision);
        await write(connection, changes);
        return outcome;
      }),
    remove: (workspaceId, id) =>
      transact(async (connection) => {
        const [campaign] = await lockCampaigns(connection, [id], "update");
        if (!canDelete(campaign ?? null, workspaceId)) return false;
        await connection.delete(campaigns).where(eq(campaigns.id, id));
        await connection.delete(campaignFunnelChanges).where(eq(campaignFunnelChanges.campaignId, id));
        return true;
      }),
    enroll: async (enrollments, dryRun, now) =>
      dryRun ? (await decideEnrollments(orm, enrollments, true, now)).refusals : enroll(enrollments, now),
    ...createDueEnrollments(engine),
    move,
    withdrawActions,
    stopAll,
    stop,
    ofLead: (workspaceId, leadId, limit) =>
      orm
        .select({ enrollment: campaignEnrollments, campaignName: campaigns.name })
        .from(campaignEnrollments)
        .innerJoin(campaigns, eq(campaigns.id, campaignEnrollments.campaignId))
        .where(and(eq(campaigns.workspaceId, workspaceId), eq(campaignEnrollments.leadId, leadId)))
        .orderBy(desc(campaignEnrollments.createdAt), desc(campaignEnrollments.id))
        .limit(limit),
    enrollments: (workspaceId, campaignId, filter, after, limit) =>
      orm
        .select()
        .from(campaignEnrollments)
        .where(
          and(
            isListed(workspaceId, campaignId, filter),
            after === null ? undefined : gt(campaignEnrollments.id, after),
          ),
        )
        .orderBy(asc(campaignEnrollments.id))
        .limit(limit),
    countEnrollments: async (workspaceId, campaignId, filter) => {
      const listed = isListed(workspaceId, campaignId, filter);
      const [row] = await orm.select({ n: count() }).from(campaignEnrollments).where(listed);
      return row?.n ?? 0;
    },
    counts,
    ...createFunnelQueries(engine),
    running: (after, limit) =>
      orm
        .select()
        .from(campaigns)
        .where(and(eq(campaigns.state, "running"), after === null ? undefined : gt(campaigns.id, after)))
        .orderBy(asc(campaigns.id))
        .limit(limit),
    decideWinner: (id, winner, at) =>
      transact(async (connection) => {
        const [campaign] = await lockCampaigns(connection, [id], "no key update");
        const { outcome, changes } = decideWinner(campaign ?? null, winner, at);
        await write(connection, changes);
        return outcome;
      }),
    noteInterest: (subject, at) => transact((connection) => noteInterest(connection, subject, at)),
  };
}

const outcomeTimes = {
  connected: campaignEnrollments.connectedAt,
  replied: campaignEnrollments.repliedAt,
  interested: campaignEnrollments.interestedAt,
} as const;

function isListed(workspaceId: WorkspaceId, campaignId: string, { state, outcome }: EnrollmentFilter) {
  return and(
    eq(campaignEnrollments.campaignId, campaignId),
    eq(campaignEnrollments.workspaceId, workspaceId),
    state === undefined ? undefined : eq(campaignEnrollments.state, state),
    outcome === undefined ? undefined : isNotNull(outcomeTimes[outcome]),
  );
}

const nextVersion = sql`${campaignEnrollments.version} + 1`;
const isWaiting = or(
  inArray(networkActions.state, [...withdrawn.states]),
  and(eq(networkActions.state, "awaiting"), inArray(networkActions.pendingReason, [...withdrawn.reasons])),
);

async function write(connection: Connection, changes: readonly CampaignsChange[]): Promise<void> {
  const enrolled = changes.flatMap((change) => (change.kind === "enroll" ? [change.enrollment] : []));
  if (enrolled.length > 0) await connection.insert(campaignEnrollments).values(enrolled);
  for (const change of changes) {
    if (change.kind === "campaign")
      await connection.update(campaigns).set(change.values).where(eq(campaigns.id, change.id));
    else if (change.kind === "earlierSteps")
      await connection.insert(campaignEarlierSteps).values({ campaignId: change.campaignId, ...change.version });
    else if (change.kind === "enrollment")
      await connection
        .update(campaignEnrollments)
        .set({ ...change.values, version: nextVersion })
        .where(eq(campaignEnrollments.id, change.id));
    else if (change.kind === "network") await writeChanges(connection, change.changes);
  }
  const counted = changes.flatMap((change) => (change.kind === "funnel" ? change.changes : []));
  await addFunnelChanges(connection, summed(counted));
  const appended = changes.flatMap((change) => (change.kind === "event" ? [change.event] : []));
  await appendEvents(connection, appended);
}

/** In the order of their IDs. `share`: the campaigns do not change until the transaction ends. */
function lockCampaigns(
  connection: Connection,
  ids: readonly string[],
  strength: "share" | "no key update" | "update",
): Promise<Campaign[]> {
  return connection
    .select()
    .from(campaigns)
    .where(inArray(campaigns.id, [...ids]))
    .orderBy(asc(campaigns.id))
    .for(strength);
}

function moveFacts(connection: Connection, network: LoadedFacts, named: NamedFacts): MoveFacts {
  return {
    campaign: (id) =>
      named.get(`campaign ${id}`, async () => {
        const [found] = await connection.select().from(campaigns).where(eq(campaigns.id, id));
        return found ?? null;
      }),
    hasOtherActive: (campaignId, enrollmentId) =>
      named.get(`others of ${enrollmentId}`, async () => {
        const { id, state } = campaignEnrollments;
        const isOther = and(eq(campaignEnrollments.campaignId, campaignId), eq(state, "active"), ne(id, enrollmentId));
        return (await connection.select({ id }).from(campaignEnrollments).where(isOther).limit(1)).length > 0;
      }),
    target: network.target,
    schedule: (action) => decideSchedule(action, network),
  };
}
