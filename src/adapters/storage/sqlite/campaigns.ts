import { and, asc, count, desc, eq, gt, inArray, isNotNull, lte, or, sql } from "drizzle-orm";
import { unionAll } from "drizzle-orm/sqlite-core";
import { enrollmentStates, type Campaign, type Enrollment } from "../../../features/campaigns/model.ts";
import type { EnrollmentChange, EnrollRefusal, MoveOutcome } from "../../../features/campaigns/change-model.ts";
import {
  canDelete,
  decideChange,
  decideEnrollment,
  decideMove,
  decideStops,
  decideWinner,
  stopped,
  type CampaignFacts,
  type CampaignsChange,
} from "../../../features/campaigns/decisions.ts";
import { summed, type FunnelChange } from "../../../features/campaigns/funnel-marks.ts";
import type { CampaignStore, DueEnrollment, EnrollmentFilter } from "../../../features/campaigns/store.ts";
import type { Decision } from "../../../platform/base/decision.ts";
import type { ScheduleAction } from "../../../features/network/queue-model.ts";
import { pauseAction, withdrawn } from "../../../features/network/decisions/ending.ts";
import { createFunnelQueries, createFunnelRows } from "./campaign-funnel.ts";
import { campaignEarlierSteps, campaignEnrollments, campaigns } from "./campaign-tables.ts";
import { doneBy } from "../../../platform/events/done-by.ts";
import type { Engine } from "./engine.ts";
import { olderThan } from "./list-pages.ts";
import { createLeadReader } from "./lead-rows.ts";
import type { NetworkRows } from "./network.ts";
import { networkActions } from "./network-tables.ts";
import { lazy, prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Actions are scheduled and withdrawn through the rows of the network. */
export function createCampaignStore(engine: Engine, common: CommonRows, network: NetworkRows): CampaignStore {
  const { orm, database, writer, reader } = engine;
  const { events, suppressions } = common;
  const lead = createLeadReader(engine, common.owners);
  const funnel = createFunnelRows(engine);
  const { origin } = network;
  const byId = lazy(() =>
    orm
      .select()
      .from(campaigns)
      .where(eq(campaigns.id, sql.placeholder("id")))
      .prepare(),
  );
  const enrollmentById = lazy(() =>
    orm
      .select()
      .from(campaignEnrollments)
      .where(eq(campaignEnrollments.id, sql.placeholder("id")))
      .prepare(),
  );
  const isEnrolled = prepared(database, "SELECT 1 FROM campaign_enrollments WHERE campaign_id = ? AND lead_id = ?");
  const isElsewhere = prepared(
    database,
    "SELECT 1 FROM campaign_enrollments e JOIN campaigns c ON c.id = e.campaign_id" +
      " WHERE e.lead_id = ? AND e.state = 'active' AND c.id <> ? AND c.state <> 'canceled'",
  );
  const lastContact = prepared<{ at: number | null }, [string, string]>(
    database,
    "SELECT max(c.invited_at, coalesce(c.messaged_at, 0)) AS at FROM network_contacts c" +
      " JOIN network_accounts a ON a.seq = c.account WHERE a.workspace_id = ? AND c.profile_key = ?" +
      " UNION ALL SELECT c.messaged_at FROM network_contacts c JOIN network_accounts a ON a.seq = c.account" +
      " WHERE a.workspace_id = ?1 AND c.profile_key = ?2 ORDER BY at DESC LIMIT 1",
  );
  const otherActive = prepared(
    database,
    "SELECT 1 FROM campaign_enrollments WHERE campaign_id = ? AND state = 'active' AND id <> ? LIMIT 1",
  );
  const actionOf = prepared<{ jobId: string; state: string }, [string]>(
    database,
    "SELECT job_id AS jobId, state FROM network_actions WHERE job_id = ?",
  );

  const campaign = (id: string): Campaign | null => byId().get({ id }) ?? null;
  const enrollment = (id: string): Enrollment | null => enrollmentById().get({ id }) ?? null;

  const facts: CampaignFacts = {
    campaign,
    hasLead: (workspaceId, leadId) => lead(workspaceId, leadId) !== null,
    isSuppressed: ({ workspaceId, profileKey, leadId }) =>
      suppressions.find(workspaceId, { profileKey, leadId }) !== null,
    isEnrolled: (campaignId, leadId) => isEnrolled.get(campaignId, leadId) !== null,
    isInOtherCampaign: (campaignId, leadId) => isElsewhere.get(leadId, campaignId) !== null,
    lastContactAt: (workspaceId, profileKey) => lastContact.get(workspaceId, profileKey)?.at ?? null,
    hasOtherActive: (campaignId, enrollmentId) => otherActive.get(campaignId, enrollmentId) !== null,
    target: network.target,
    schedule: network.decideSchedule,
  };

  function apply<Outcome>({ outcome, changes }: Decision<Outcome, CampaignsChange>): Outcome {
    for (const change of changes) write(change);
    return outcome;
  }

  function write(change: CampaignsChange): void {
    switch (change.kind) {
      case "campaign":
        return void orm.update(campaigns).set(change.values).where(eq(campaigns.id, change.id)).run();
      case "earlierSteps":
        return void orm
          .insert(campaignEarlierSteps)
          .values({ campaignId: change.campaignId, ...change.version })
          .run();
      case "enroll":
        return void orm.insert(campaignEnrollments).values(change.enrollment).run();
      case "enrollment":
        return void orm
          .update(campaignEnrollments)
          .set({ ...change.values, version: nextVersion })
          .where(eq(campaignEnrollments.id, change.id))
          .run();
      case "funnel":
        return funnel.add(change.changes);
      case "network":
        return network.write(change.changes);
      case "event":
        return events.append(change.event);
    }
  }

  function enroll(enrollments: readonly Enrollment[], dryRun: boolean, now: number): (EnrollRefusal | null)[] {
    const counted: FunnelChange[] = [];
    const refusals = enrollments.map((enrollment) => {
      const { outcome, changes } = decideEnrollment(enrollment, facts, now);
      if (dryRun) return outcome;
      for (const change of changes)
        if (change.kind === "funnel") counted.push(...change.changes);
        else write(change);
      return outcome;
    });
    funnel.add(summed(counted));
    return refusals;
  }

  function due(now: number, limit: number): DueEnrollment[] {
    const running = orm
      .select({ id: campaigns.id })
      .from(campaigns)
      .where(sql`${campaigns.state} = 'running'`)
      .all();
    const found: DueEnrollment[] = [];
    for (const { id } of running) {
      if (found.length >= limit) break;
      const rows = orm
        .select()
        .from(campaignEnrollments)
        .where(
          and(
            eq(campaignEnrollments.campaignId, id),
            sql`${campaignEnrollments.state} = 'active'`,
            isNotNull(campaignEnrollments.wakeAt),
            sql`${campaignEnrollments.wakeAt} <= ${now}`,
          ),
        )
        .orderBy(asc(campaignEnrollments.wakeAt))
        .limit(limit - found.length)
        .all();
      found.push(...rows.map((row) => dueOf(row)).filter((item) => item !== null));
    }
    return found;
  }

  function dueOf(enrollment: Enrollment): DueEnrollment | null {
    const { workspaceId, leadId, accountId, profileKey, jobId, campaignId } = enrollment;
    const own = campaign(campaignId);
    if (own === null) return null;
    return {
      enrollment,
      campaign: own,
      earlier: enrollment.atStep < own.firstStep ? earlierSteps(campaignId, enrollment.atStep) : null,
      lead: lead(workspaceId, leadId)?.lead ?? null,
      contact: network.contactOf(accountId, profileKey),
      action: jobId === null ? null : (actionOf.get(jobId) as DueEnrollment["action"]),
    };
  }

  /** The steps with the step of this number. */
  function earlierSteps(campaignId: string, step: number): DueEnrollment["earlier"] {
    const { firstStep, steps } = campaignEarlierSteps;
    const found = orm
      .select({ firstStep, steps })
      .from(campaignEarlierSteps)
      .where(and(eq(campaignEarlierSteps.campaignId, campaignId), lte(firstStep, step)))
      .orderBy(desc(firstStep))
      .limit(1)
      .get();
    return found ?? null;
  }

  function move(
    { id, version }: Pick<Enrollment, "id" | "version">,
    change: EnrollmentChange,
    action: ScheduleAction | null,
  ): MoveOutcome | null {
    return apply(decideMove(enrollment(id), version, change, action, facts));
  }

  function stop(
    workspaceId: WorkspaceId,
    campaignId: string,
    id: string,
    reason: string,
    at: number,
  ): Enrollment | null {
    const found = enrollment(id);
    if (found?.workspaceId !== workspaceId || found.campaignId !== campaignId) return null;
    if (move(found, stopped(reason, at), null) === null) return null;
    return enrollment(id);
  }

  function stopAll(campaignId: string, reason: string, limit: number, at: number): number {
    const active = orm
      .select()
      .from(campaignEnrollments)
      .where(and(eq(campaignEnrollments.campaignId, campaignId), eq(campaignEnrollments.state, "active")))
      .limit(limit)
      .all();
    return apply(decideStops(active, reason, at));
  }

  function withdrawActions(campaignId: string, limit: number, at: number): number {
    const waiting = orm
      .select({ jobId: networkActions.jobId })
      .from(networkActions)
      .where(and(eq(networkActions.campaignId, campaignId), isWaiting))
      .limit(limit)
      .all();
    for (const { jobId } of waiting) {
      const target = network.target(jobId);
      if (target !== null) network.write(pauseAction(target, at));
    }
    return waiting.length;
  }
  const isWaiting = or(
    inArray(networkActions.state, [...withdrawn.states]),
    and(eq(networkActions.state, "awaiting"), inArray(networkActions.pendingReason, [...withdrawn.reasons])),
  );
  async function counts(campaignId: string): ReturnType<CampaignStore["counts"]> {
    const ofCampaign = eq(campaignEnrollments.campaignId, campaignId);
    const { state, reason, connectedAt, repliedAt } = campaignEnrollments;
    const [enrollments, people, actions] = await Promise.all([
      reader.all<Awaited<ReturnType<CampaignStore["counts"]>>["enrollments"][number]>(
        orm
          .select({ state, reason, n: count().as("n") })
          .from(campaignEnrollments)
          .where(ofCampaign)
          .groupBy(state, reason)
          .toSQL(),
      ),
      reader.all<{ connected: number; replied: number }>(
        orm
          .select({ connected: count(connectedAt).as("connected"), replied: count(repliedAt).as("replied") })
          .from(campaignEnrollments)
          .where(ofCampaign)
          .toSQL(),
      ),
      reader.all<Awaited<ReturnType<CampaignStore["counts"]>>["actions"][number]>({
        sql:
          "SELECT campaign_step AS step, state, count(*) AS n FROM network_actions WHERE campaign_id = ?" +
          " GROUP BY campaign_step, state",
        params: [campaignId],
      }),
    ]);
    return { enrollments, connected: people[0]?.connected ?? 0, replied: people[0]?.replied ?? 0, actions };
  }

  const nextWake = prepared<{ at: number | null }, []>(
    database,
    "SELECT min((SELECT min(wake_at) FROM campaign_enrollments e WHERE e.campaign_id = c.id AND e.state = 'active'" +
      " AND e.wake_at IS NOT NULL)) AS at FROM campaigns c WHERE c.state = 'running'",
  );

  return {
    insert: (item) => writer.write(() => void orm.insert(campaigns).values(item).run()),
    get: async (workspaceId, id) => {
      const found = campaign(id);
      return found?.workspaceId === workspaceId ? found : null;
    },
    list: async (workspaceId, limit, after = null) =>
      orm
        .select()
        .from(campaigns)
        .where(and(eq(campaigns.workspaceId, workspaceId), olderThan(campaigns, after)))
        .orderBy(desc(campaigns.createdAt), desc(campaigns.id))
        .limit(limit)
        .all(),
    countCampaigns: async (workspaceId) =>
      orm.select({ n: count() }).from(campaigns).where(eq(campaigns.workspaceId, workspaceId)).get()?.n ?? 0,
    update: (workspaceId, id, states, change, actorId = null, version = null) =>
      writer.write(() => apply(doneBy(actorId, decideChange(campaign(id), workspaceId, states, change, version)))),
    remove: (workspaceId, id) =>
      writer.write(() => {
        if (!canDelete(campaign(id), workspaceId)) return false;
        orm.delete(campaigns).where(eq(campaigns.id, id)).run();
        return true;
      }),
    enroll: (enrollments, dryRun, now) =>
      suppressions.knowing(
        () =>
          enrollments.map(({ workspaceId, profileKey, leadId }) => ({ workspaceId, target: { profileKey, leadId } })),
        async () => (dryRun ? enroll(enrollments, true, now) : writer.write(() => enroll(enrollments, false, now))),
      ),
    due: async (now, limit) => due(now, limit),
    nextDueAt: async () => nextWake.get()?.at ?? null,
    move: (enrollment, change, action) => writer.write(() => move(enrollment, change, action)),
    withdrawActions: (campaignId, limit, at) => writer.write(() => withdrawActions(campaignId, limit, at)),
    stopAll: (campaignId, reason, limit, at) => writer.write(() => stopAll(campaignId, reason, limit, at)),
    stop: (workspaceId, campaignId, enrollmentId, reason, at) =>
      writer.write(() => stop(workspaceId, campaignId, enrollmentId, reason, at)),
    ofLead: async (workspaceId, leadId, limit) =>
      orm
        .select({ enrollment: campaignEnrollments, campaignName: campaigns.name })
        .from(campaignEnrollments)
        .innerJoin(campaigns, eq(campaigns.id, campaignEnrollments.campaignId))
        .where(and(eq(campaigns.workspaceId, workspaceId), eq(campaignEnrollments.leadId, leadId)))
        .orderBy(desc(campaignEnrollments.createdAt), desc(campaignEnrollments.id))
        .limit(limit)
        .all(),
    enrollments: async (workspaceId, campaignId, filter, after, limit) => {
      // The index has the states before the IDs: each is read in order, and only as far as the page goes.
      const [first, ...others] = (filter.state === undefined ? enrollmentStates : [filter.state]).map((state) =>
        orm
          .select({ id: campaignEnrollments.id })
          .from(campaignEnrollments)
          .where(
            and(
              isListed(workspaceId, campaignId, { ...filter, state }),
              after === null ? undefined : gt(campaignEnrollments.id, after),
            ),
          ),
      );
      const [second, ...rest] = others;
      const all = second === undefined ? first! : unionAll(first!, second, ...rest);
      const page = all.orderBy(asc(campaignEnrollments.id)).limit(limit);
      const ids = (await reader.all<{ id: string }>(page.toSQL())).map(({ id }) => id);
      return orm
        .select()
        .from(campaignEnrollments)
        .where(inArray(campaignEnrollments.id, ids))
        .orderBy(asc(campaignEnrollments.id))
        .all();
    },
    countEnrollments: async (workspaceId, campaignId, filter) => {
      const counted = orm
        .select({ n: count().as("n") })
        .from(campaignEnrollments)
        .where(isListed(workspaceId, campaignId, filter));
      return (await reader.all<{ n: number }>(counted.toSQL()))[0]?.n ?? 0;
    },
    counts,
    ...createFunnelQueries(engine),
    running: async (after, limit) =>
      orm
        .select()
        .from(campaigns)
        .where(and(eq(campaigns.state, "running"), after === null ? undefined : gt(campaigns.id, after)))
        .orderBy(asc(campaigns.id))
        .limit(limit)
        .all(),
    decideWinner: (id, winner, at) => writer.write(() => apply(decideWinner(campaign(id), winner, at))),
    noteInterest: (subject, at) => writer.write(() => origin.noteInterest(subject, at)),
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
