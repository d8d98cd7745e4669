import { and, asc, count, desc, eq, gt, inArray, isNotNull, sql } from "drizzle-orm";
import type { Campaign, Enrolment } from "../../campaigns/model.ts";
import type {
  CampaignChange,
  CampaignStore,
  DueEnrolment,
  EnrolmentChange,
  EnrolRefusal,
} from "../../campaigns/store.ts";
import type { ScheduleAction } from "../../network/store.ts";
import { createCampaignHooks } from "./campaign-hooks.ts";
import { campaignEnrolments, campaigns } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import { createEventRows } from "./event-rows.ts";
import type { LeadReader } from "./lead-reader.ts";
import type { NetworkRows } from "./network.ts";
import { networkActions } from "./network-tables.ts";
import { createSuppressionRows } from "./suppressions.ts";

/** Actions are put into the queue of their account, and taken back, by the rows of the network. */
export function createCampaignStore(engine: Engine, lead: LeadReader, network: () => NetworkRows): CampaignStore {
  const { orm, database, writer, reader } = engine;
  const suppressions = createSuppressionRows(engine);
  const hooks = createCampaignHooks(engine);
  const events = createEventRows(engine);
  const byId = orm
    .select()
    .from(campaigns)
    .where(eq(campaigns.id, sql.placeholder("id")))
    .prepare();
  const enrolmentById = orm
    .select()
    .from(campaignEnrolments)
    .where(eq(campaignEnrolments.id, sql.placeholder("id")))
    .prepare();
  const isEnrolled = database.query("SELECT 1 FROM campaign_enrolments WHERE campaign_id = ? AND lead_id = ?");
  const isElsewhere = database.query(
    "SELECT 1 FROM campaign_enrolments e JOIN campaigns c ON c.id = e.campaign_id" +
      " WHERE e.lead_id = ? AND e.state = 'active' AND c.id <> ? AND c.state <> 'cancelled'",
  );
  const lastContact = database.query<{ at: number | null }, [string, string]>(
    "SELECT max(c.invited_at, coalesce(c.messaged_at, 0)) AS at FROM network_contacts c" +
      " JOIN network_accounts a ON a.seq = c.account WHERE a.user_id = ? AND c.profile_key = ?" +
      " UNION ALL SELECT c.messaged_at FROM network_contacts c JOIN network_accounts a ON a.seq = c.account" +
      " WHERE a.user_id = ?1 AND c.profile_key = ?2 ORDER BY at DESC LIMIT 1",
  );
  const actionOf = database.query<{ jobId: string; state: string }, [string]>(
    "SELECT job_id AS jobId, state FROM network_actions WHERE job_id = ?",
  );

  const campaign = (id: string): Campaign | null => byId.get({ id }) ?? null;
  const owned = (userId: string, id: string): Campaign | null => {
    const found = campaign(id);
    return found?.userId === userId ? found : null;
  };

  function update(userId: string, id: string, states: readonly string[], change: CampaignChange): Campaign | null {
    const before = owned(userId, id);
    if (before === null || !states.includes(before.state)) return null;
    const { state, updatedAt } = change;
    if (state !== undefined && state !== before.state && state !== "draft")
      events.append({ type: stateEvents[state], userId, at: updatedAt, campaignId: id });
    return orm.update(campaigns).set(change).where(eq(campaigns.id, id)).returning().get();
  }

  function refusalOf(enrolment: Enrolment, now: number): EnrolRefusal | null {
    const { userId, campaignId, leadId, profileKey } = enrolment;
    const target = owned(userId, campaignId);
    if (target === null || target.state === "cancelled") return "campaignEnded";
    const person = lead(userId, leadId)?.lead;
    if (person === undefined) return "leadGone";
    if (isEnrolled.get(campaignId, leadId) !== null) return "alreadyEnrolled";
    if (suppressions.find(userId, { profileKey, leadId }) !== null) return "doNotContact";
    const { excludeOtherCampaigns, excludeContactedDays: days } = target.settings;
    if (excludeOtherCampaigns && isElsewhere.get(leadId, campaignId) !== null) return "inOtherCampaign";
    const contactedAt = days === null ? null : lastContact.get(userId, profileKey)?.at;
    return days !== null && (contactedAt ?? 0) > now - days * dayMs ? "contactedRecently" : null;
  }

  function enrol(enrolments: readonly Enrolment[], dryRun: boolean, now: number): (EnrolRefusal | null)[] {
    return enrolments.map((enrolment) => {
      const refusal = refusalOf(enrolment, now);
      if (refusal === null && !dryRun) orm.insert(campaignEnrolments).values(enrolment).run();
      return refusal;
    });
  }

  function due(now: number, limit: number): DueEnrolment[] {
    const running = orm
      .select({ id: campaigns.id })
      .from(campaigns)
      .where(sql`${campaigns.state} = 'running'`)
      .all();
    const found: DueEnrolment[] = [];
    for (const { id } of running) {
      if (found.length >= limit) break;
      const rows = orm
        .select()
        .from(campaignEnrolments)
        .where(
          and(
            eq(campaignEnrolments.campaignId, id),
            sql`${campaignEnrolments.state} = 'active'`,
            isNotNull(campaignEnrolments.wakeAt),
            sql`${campaignEnrolments.wakeAt} <= ${now}`,
          ),
        )
        .orderBy(asc(campaignEnrolments.wakeAt))
        .limit(limit - found.length)
        .all();
      found.push(...rows.map((row) => dueOf(row)).filter((item) => item !== null));
    }
    return found;
  }

  function dueOf(enrolment: Enrolment): DueEnrolment | null {
    const { userId, leadId, accountId, profileKey, jobId, campaignId } = enrolment;
    const found = campaign(campaignId);
    if (found === null) return null;
    return {
      enrolment,
      campaign: found,
      lead: lead(userId, leadId)?.lead ?? null,
      contact: network().contactOf(accountId, profileKey),
      action: jobId === null ? null : (actionOf.get(jobId) as DueEnrolment["action"]),
    };
  }

  function move(
    { id, version }: Pick<Enrolment, "id" | "version">,
    change: EnrolmentChange,
    action: ScheduleAction | null,
  ): Awaited<ReturnType<CampaignStore["move"]>> {
    const row = enrolmentById.get({ id });
    if (row === undefined || row.version !== version || row.state !== "active") return null;
    if (action !== null && campaign(row.campaignId)?.state !== "running") return null;
    // Whatever ends an enrolment takes back what still waits for it.
    if (change.state !== undefined && row.jobId !== null) network().scheduling.takeBack(row.jobId, change.updatedAt);
    const outcome = action === null ? ({ kind: "moved" } as const) : network().scheduling.decide(action, true);
    const isDone = outcome.kind === "moved" || outcome.kind === "scheduled" || outcome.kind === "existing";
    if (isDone) {
      const jobId = "job" in outcome ? outcome.job.id : change.jobId;
      orm
        .update(campaignEnrolments)
        .set({ ...change, ...(jobId !== undefined && { jobId }), version: version + 1 })
        .where(eq(campaignEnrolments.id, id))
        .run();
      if (change.state !== undefined && change.state !== "active") tellIfLast(row, change.updatedAt);
    }
    return outcome;
  }

  /** The end of an enrolment may be that of the campaign; of one that was cancelled that is known already. */
  function tellIfLast({ campaignId, userId }: Enrolment, at: number): void {
    if (hasActive.get(campaignId) === null && campaign(campaignId)?.state === "running")
      events.append({ type: "campaign.completed", userId, at, campaignId });
  }
  const hasActive = database.query(
    "SELECT 1 FROM campaign_enrolments WHERE campaign_id = ? AND state = 'active' LIMIT 1",
  );

  function withdrawActions(campaignId: string, limit: number, at: number): number {
    const waiting = orm
      .select({ jobId: networkActions.jobId })
      .from(networkActions)
      .where(and(eq(networkActions.campaignId, campaignId), isWaiting))
      .limit(limit)
      .all();
    for (const { jobId } of waiting) {
      hooks.beginAgain(jobId, at);
      network().scheduling.takeBack(jobId, at);
    }
    return waiting.length;
  }
  const isWaiting = sql`(${networkActions.state} IN ('awaitingApproval', 'scheduled') OR (${networkActions.state} = 'awaiting'
    AND ${networkActions.pendingReason} IN ('awaitingPerson', 'awaitingWorker')))`;
  const stopMany = database.query(
    "UPDATE campaign_enrolments SET state = 'stopped', reason = ?, wake_at = NULL, version = version + 1, updated_at = ?" +
      " WHERE id IN (SELECT id FROM campaign_enrolments WHERE campaign_id = ? AND state = 'active' LIMIT ?)",
  );

  async function counts(campaignId: string): ReturnType<CampaignStore["counts"]> {
    const ofCampaign = eq(campaignEnrolments.campaignId, campaignId);
    const { state, reason, connectedAt, repliedAt } = campaignEnrolments;
    const [enrolments, people, actions] = await Promise.all([
      reader.all<Awaited<ReturnType<CampaignStore["counts"]>>["enrolments"][number]>(
        orm
          .select({ state, reason, n: count().as("n") })
          .from(campaignEnrolments)
          .where(ofCampaign)
          .groupBy(state, reason)
          .toSQL(),
      ),
      reader.all<{ connected: number; replied: number }>(
        orm
          .select({ connected: count(connectedAt).as("connected"), replied: count(repliedAt).as("replied") })
          .from(campaignEnrolments)
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
    return { enrolments, connected: people[0]?.connected ?? 0, replied: people[0]?.replied ?? 0, actions };
  }

  const nextWake = database.query<{ at: number | null }, []>(
    "SELECT min((SELECT min(wake_at) FROM campaign_enrolments e WHERE e.campaign_id = c.id AND e.state = 'active'" +
      " AND e.wake_at IS NOT NULL)) AS at FROM campaigns c WHERE c.state = 'running'",
  );

  return {
    insert: (item) => writer.writeForAnswer(() => void orm.insert(campaigns).values(item).run()),
    get: async (userId, id) => owned(userId, id),
    list: async (userId) =>
      orm
        .select()
        .from(campaigns)
        .where(eq(campaigns.userId, userId))
        .orderBy(desc(campaigns.createdAt), desc(campaigns.id))
        .limit(mostListed)
        .all(),
    update: (userId, id, states, change) => writer.writeForAnswer(() => update(userId, id, states, change)),
    remove: (userId, id) =>
      writer.write(() => {
        if (owned(userId, id)?.state !== "draft") return false;
        orm.delete(campaigns).where(eq(campaigns.id, id)).run();
        return true;
      }),
    enrol: async (enrolments, dryRun, now) =>
      dryRun ? enrol(enrolments, true, now) : writer.writeForAnswer(() => enrol(enrolments, false, now)),
    due: async (now, limit) => due(now, limit),
    nextDueAt: async () => nextWake.get()?.at ?? null,
    move: (enrolment, change, action) => writer.write(() => move(enrolment, change, action)),
    withdrawActions: (campaignId, limit, at) => writer.writeForAnswer(() => withdrawActions(campaignId, limit, at)),
    stopAll: (campaignId, reason, limit, at) =>
      writer.writeForAnswer(() => stopMany.run(reason, at, campaignId, limit).changes),
    stop: (userId, enrolmentId, reason, at) =>
      writer.writeForAnswer(() => {
        const row = enrolmentById.get({ id: enrolmentId });
        if (row?.userId !== userId || row.state !== "active") return null;
        move(row, { state: "stopped", reason, wakeAt: null, updatedAt: at }, null);
        return enrolmentById.get({ id: enrolmentId }) ?? null;
      }),
    enrolments: async (userId, campaignId, { state }, after, limit) => {
      const page = orm
        .select({ id: campaignEnrolments.id })
        .from(campaignEnrolments)
        .where(
          and(
            eq(campaignEnrolments.campaignId, campaignId),
            eq(campaignEnrolments.userId, userId),
            state === undefined ? undefined : eq(campaignEnrolments.state, state),
            after === null ? undefined : gt(campaignEnrolments.id, after),
          ),
        )
        .orderBy(asc(campaignEnrolments.id))
        .limit(limit);
      const ids = (await reader.all<{ id: string }>(page.toSQL())).map(({ id }) => id);
      return orm
        .select()
        .from(campaignEnrolments)
        .where(inArray(campaignEnrolments.id, ids))
        .orderBy(asc(campaignEnrolments.id))
        .all();
    },
    counts,
  };
}

const dayMs = 86_400_000;
const mostListed = 1000;

const stateEvents = {
  running: "campaign.started",
  paused: "campaign.paused",
  cancelled: "campaign.canceled",
} as const;
