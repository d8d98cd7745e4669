import { and, asc, eq, inArray, notInArray, sql } from "drizzle-orm";
import { openStates } from "../../../features/network/action-model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Connection } from "./connection.ts";
import { prospects } from "./directory/tables.ts";
import { conversations } from "./inbox-tables.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";
import { events, mergedLeads } from "./tables.ts";

/** Lets everything that refers to a lead refer to another one. Takes the locks of those who write it, in their order. */
export async function relinkLead(
  connection: Connection,
  workspaceId: WorkspaceId,
  from: string,
  to: string,
): Promise<void> {
  await connection
    .select({ seq: networkAccounts.seq })
    .from(networkAccounts)
    .where(eq(networkAccounts.workspaceId, workspaceId))
    .orderBy(asc(networkAccounts.seq))
    .for("update");
  const ofWorkspace = connection
    .select({ id: campaigns.id })
    .from(campaigns)
    .where(eq(campaigns.workspaceId, workspaceId));
  const enrolled = await connection
    .select({ leadId: campaignEnrollments.leadId, campaignId: campaignEnrollments.campaignId })
    .from(campaignEnrollments)
    .where(and(inArray(campaignEnrollments.campaignId, ofWorkspace), inArray(campaignEnrollments.leadId, [from, to])))
    .orderBy(asc(campaignEnrollments.id))
    .for("update");
  const of = (leadId: string) => new Set(enrolled.flatMap((each) => (each.leadId === leadId ? [each.campaignId] : [])));
  const inBoth = [...of(from).intersection(of(to))];
  // In a campaign that both are in, only one goes on: the other one ends as that of a deleted lead.
  const ends = and(inArray(networkActions.campaignId, inBoth), inArray(networkActions.state, [...openStates]));
  await connection
    .update(networkActions)
    .set({ leadId: to })
    .where(and(eq(networkActions.leadId, from), sql`(${ends}) IS NOT TRUE`));
  const accounts = connection
    .select({ seq: networkAccounts.seq })
    .from(networkAccounts)
    .where(eq(networkAccounts.workspaceId, workspaceId));
  await connection
    .update(networkContacts)
    .set({ leadId: to })
    .where(and(inArray(networkContacts.account, accounts), eq(networkContacts.leadId, from)));
  await connection.update(conversations).set({ leadId: to }).where(eq(conversations.leadId, from));
  await connection
    .update(campaignEnrollments)
    .set({ leadId: to })
    .where(
      and(
        inArray(campaignEnrollments.campaignId, [...of(from)]),
        notInArray(campaignEnrollments.campaignId, inBoth),
        eq(campaignEnrollments.leadId, from),
      ),
    );
  await connection.update(prospects).set({ leadId: to }).where(eq(prospects.leadId, from));
  await connection.update(mergedLeads).set({ leadId: to }).where(eq(mergedLeads.leadId, from));
  await connection.insert(mergedLeads).values({ id: from, leadId: to });
  await connection.update(events).set({ leadId: to }).where(eq(events.leadId, from));
}
