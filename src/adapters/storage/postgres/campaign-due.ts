import { and, asc, desc, eq, inArray, sql } from "drizzle-orm";
import type { CampaignStore, DueEnrollment } from "../../../features/campaigns/store.ts";
import type { Enrollment } from "../../../features/campaigns/model.ts";
import type { StepsVersion } from "../../../features/campaigns/steps-version.ts";
import { campaignEarlierSteps, campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { storedLead } from "./lead-facts.ts";
import { contactOf } from "./network-contacts.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";
import { leads, workspaces } from "./tables.ts";

/** Which enrollments have a next move, with all that determines it. */
export function createDueEnrollments({ orm }: Engine): Pick<CampaignStore, "due" | "nextDueAt"> {
  return {
    async due(now, limit) {
      // Of each running campaign the first few: sorting all that is due would cost more with every lead.
      const ofCampaign = sql`SELECT id FROM ${campaignEnrollments}
        WHERE campaign_id = running.id AND state = 'active' AND wake_at IS NOT NULL AND wake_at <= ${now}
        ORDER BY wake_at LIMIT ${limit}`;
      const ids = sql`SELECT first.id FROM ${campaigns} AS running CROSS JOIN LATERAL (${ofCampaign}) AS first
        WHERE running.state = 'running'`;
      const found = await orm
        .select()
        .from(campaignEnrollments)
        .innerJoin(campaigns, eq(campaigns.id, campaignEnrollments.campaignId))
        .where(sql`${campaignEnrollments.id} IN (${ids})`)
        .orderBy(asc(campaignEnrollments.wakeAt), asc(campaignEnrollments.id))
        .limit(limit);
      const enrollments = found.map(({ campaign_enrollments: enrollment }) => enrollment);
      const edited = found.filter((row) => row.campaign_enrollments.atStep < row.campaigns.firstStep);
      const [ofEarlier, ofLeads, ofPeople, ofJobs] = [
        await earlierStepsOf(orm, [...new Set(edited.map((row) => row.campaigns.id))]),
        await leadsOf(orm, enrollments),
        await contactsOf(orm, enrollments),
        await actionsOf(orm, enrollments),
      ];
      return found.map(({ campaign_enrollments: enrollment, campaigns: campaign }) => {
        const lead = ofLeads.get(enrollment.leadId);
        return {
          enrollment,
          campaign,
          earlier:
            enrollment.atStep < campaign.firstStep
              ? (ofEarlier.get(campaign.id)?.find(({ firstStep }) => firstStep <= enrollment.atStep) ?? null)
              : null,
          lead: lead?.workspaceId === enrollment.workspaceId ? lead : null,
          contact: ofPeople.get(personName(enrollment)) ?? null,
          action: ofJobs.get(enrollment.jobId ?? "") ?? null,
        };
      });
    },
    async nextDueAt() {
      const [row] = await orm.execute<{ at: number | null }>(sql`
        SELECT min(next.at) AS at FROM ${campaigns} AS running CROSS JOIN LATERAL (
          SELECT min(wake_at) AS at FROM ${campaignEnrollments}
          WHERE campaign_id = running.id AND state = 'active' AND wake_at IS NOT NULL
        ) AS next WHERE running.state = 'running'`);
      return row?.at ?? null;
    },
  };
}

/** By campaign, latest first. */
async function earlierStepsOf(connection: Connection, campaignIds: readonly string[]) {
  if (campaignIds.length === 0) return new Map<string, StepsVersion[]>();
  const { campaignId, firstStep } = campaignEarlierSteps;
  const rows = await connection
    .select()
    .from(campaignEarlierSteps)
    .where(inArray(campaignId, [...campaignIds]))
    .orderBy(desc(firstStep));
  const versions = new Map<string, StepsVersion[]>();
  for (const { campaignId: id, ...version } of rows) versions.set(id, [...(versions.get(id) ?? []), version]);
  return versions;
}

async function leadsOf(connection: Connection, enrollments: readonly Enrollment[]) {
  const ids = [...new Set(enrollments.map(({ leadId }) => leadId))];
  if (ids.length === 0) return new Map<string, NonNullable<DueEnrollment["lead"]>>();
  const rows = await connection
    .select({ lead: leads, workspaceId: workspaces.id })
    .from(leads)
    .innerJoin(workspaces, eq(workspaces.seq, leads.owner))
    .where(inArray(leads.id, ids));
  return new Map(rows.map(({ lead, workspaceId }) => [lead.id, storedLead(lead, workspaceId).lead]));
}

async function contactsOf(connection: Connection, enrollments: readonly Enrollment[]) {
  const accountIds = [...new Set(enrollments.map(({ accountId }) => accountId))];
  const profileKeys = [...new Set(enrollments.map(({ profileKey }) => profileKey))];
  if (accountIds.length === 0) return new Map<string, NonNullable<DueEnrollment["contact"]>>();
  const rows = await connection
    .select({ row: networkContacts, accountId: networkAccounts.id })
    .from(networkContacts)
    .innerJoin(networkAccounts, eq(networkAccounts.seq, networkContacts.account))
    .where(and(inArray(networkAccounts.id, accountIds), inArray(networkContacts.profileKey, profileKeys)));
  return new Map(rows.map(contactOf).map((contact) => [personName(contact), contact]));
}

async function actionsOf(connection: Connection, enrollments: readonly Enrollment[]) {
  const jobIds = enrollments.flatMap(({ jobId }) => jobId ?? []);
  if (jobIds.length === 0) return new Map<string, NonNullable<DueEnrollment["action"]>>();
  const { jobId, state } = networkActions;
  const rows = await connection.select({ jobId, state }).from(networkActions).where(inArray(jobId, jobIds));
  return new Map(rows.map((action) => [action.jobId, action]));
}

function personName({ accountId, profileKey }: { accountId: string; profileKey: string }): string {
  return JSON.stringify([accountId, profileKey]);
}
