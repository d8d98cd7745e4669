import { and, eq, inArray, notInArray, sql } from "drizzle-orm";
import { openStates } from "../../../features/network/action-model.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Engine } from "./engine.ts";
import type { EventRows } from "./event-rows.ts";
import { conversations } from "./inbox-tables.ts";
import { createMergedLeads } from "./merged-leads.ts";
import { networkActions, networkContacts } from "./network-tables.ts";
import { prepared } from "./prepared.ts";

/** Lets everything that refers to a lead refer to another one, in a write unit. */
export function createLeadRelinks({ orm, database }: Engine, events: EventRows) {
  const moveProspects = prepared(database, "UPDATE prospects SET lead_id = ? WHERE lead_id = ?");
  const merged = createMergedLeads({ orm });
  const moveEvents = prepared(database, "UPDATE events SET lead_id = ? WHERE lead_id = ?");

  return (workspaceId: WorkspaceId, from: string, to: string): void => {
    const ofWorkspace = orm.select({ id: campaigns.id }).from(campaigns).where(eq(campaigns.workspaceId, workspaceId));
    const enrolled = (leadId: string) =>
      orm
        .select({ id: campaignEnrollments.campaignId, profileKey: campaignEnrollments.profileKey })
        .from(campaignEnrollments)
        .where(and(inArray(campaignEnrollments.campaignId, ofWorkspace), eq(campaignEnrollments.leadId, leadId)))
        .all();
    const inBoth = new Set(enrolled(from).map(({ id }) => id)).intersection(new Set(enrolled(to).map(({ id }) => id)));
    const ofAction = eq(networkActions.leadId, from);
    const people = new Set([
      ...enrolled(from).map(({ profileKey }) => profileKey),
      ...orm
        .selectDistinct({ key: networkActions.profileKey })
        .from(networkActions)
        .where(ofAction)
        .all()
        .map(({ key }) => key),
    ]);
    // In a campaign that both are in, only one goes on: the other one ends as that of a deleted lead.
    const ends = and(inArray(networkActions.campaignId, [...inBoth]), inArray(networkActions.state, [...openStates]));
    orm
      .update(networkActions)
      .set({ leadId: to })
      .where(and(ofAction, sql`(${ends}) IS NOT TRUE`))
      .run();
    orm
      .update(networkContacts)
      .set({ leadId: to })
      .where(and(inArray(networkContacts.profileKey, [...people]), eq(networkContacts.leadId, from)))
      .run();
    orm.update(conversations).set({ leadId: to }).where(eq(conversations.leadId, from)).run();
    orm
      .update(campaignEnrollments)
      .set({ leadId: to })
      .where(
        and(
          inArray(campaignEnrollments.campaignId, ofWorkspace),
          notInArray(campaignEnrollments.campaignId, [...inBoth]),
          eq(campaignEnrollments.leadId, from),
        ),
      )
      .run();
    moveProspects.run(to, from);
    merged.remember(from, to);
    events.flush();
    moveEvents.run(to, from);
  };
}
