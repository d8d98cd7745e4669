import { and, eq, inArray, ne, sql } from "drizzle-orm";
import type { EnrollFacts } from "../../../features/campaigns/decisions.ts";
import type { Campaign, Enrollment } from "../../../features/campaigns/model.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import { campaignEnrollments, campaigns } from "./campaign-tables.ts";
import type { Connection } from "./engine.ts";
import { LeadFactLoader } from "./lead-facts.ts";
import { loadAll, Loaded, type FactSource } from "./loaded.ts";
import { networkAccounts, networkContacts } from "./network-tables.ts";
import { leads, workspaces } from "./tables.ts";

type Place = { campaignId: string; leadId: string };
type Person = { workspaceId: WorkspaceId; profileKey: string };

/** What decisions about enrolling many leads ask, with one query for each kind of fact. */
export class EnrollmentFactLoader implements FactSource {
  readonly facts: EnrollFacts;
  readonly #connection: Connection;
  readonly #suppressions: ReadonlyMap<WorkspaceId, LeadFactLoader>;
  /** By lead: the campaigns that have enrolled it since the last `restart`. */
  readonly #enrolledNow = new Map<string, Set<string>>();
  readonly #parts;

  /** Whatever the decisions depend on is locked before. */
  static async open(
    connection: Connection,
    phoneRegion: PhoneRegion | null,
    workspaceIds: Iterable<WorkspaceId>,
  ): Promise<EnrollmentFactLoader> {
    const suppressions = new Map<WorkspaceId, LeadFactLoader>();
    for (const id of workspaceIds)
      suppressions.set(id, await LeadFactLoader.open(connection, id, phoneRegion, () => []));
    return new EnrollmentFactLoader(connection, suppressions);
  }

  constructor(connection: Connection, suppressions: ReadonlyMap<WorkspaceId, LeadFactLoader>) {
    this.#connection = connection;
    this.#suppressions = suppressions;
    const parts = {
      campaigns: new Loaded<string, Campaign | null>({
        provisional: null,
        nameOf: String,
        fetch: (ids) => this.#loadCampaigns(ids),
      }),
      workspaceOfLead: new Loaded<string, WorkspaceId | null>({
        provisional: null,
        nameOf: String,
        fetch: (ids) => this.#loadWorkspaces(ids),
      }),
      isEnrolled: new Loaded<Place, boolean>({
        provisional: false,
        nameOf: placeName,
        fetch: (places) => this.#loadEnrolled(places),
      }),
      activeIn: new Loaded<string, readonly string[]>({
        provisional: [],
        nameOf: String,
        fetch: (leadIds) => this.#loadActive(leadIds),
      }),
      lastContactAt: new Loaded<Person, number | null>({
        provisional: null,
        nameOf: personName,
        fetch: (people) => this.#loadContacts(people),
      }),
    };
    this.#parts = parts;
    const enrolledNow = (leadId: string): readonly string[] => [...(this.#enrolledNow.get(leadId) ?? [])];
    this.facts = {
      campaign: (id) => parts.campaigns.get(id),
      hasLead: (workspaceId, leadId) => parts.workspaceOfLead.get(leadId) === workspaceId,
      isSuppressed: ({ workspaceId, profileKey, leadId }) =>
        this.#suppressions.get(workspaceId)!.facts.suppression({ profileKey, leadId }) !== null,
      isEnrolled: (campaignId, leadId) =>
        enrolledNow(leadId).includes(campaignId) || parts.isEnrolled.get({ campaignId, leadId }),
      isInOtherCampaign: (campaignId, leadId) =>
        [...enrolledNow(leadId), ...parts.activeIn.get(leadId)].some((id) => id !== campaignId),
      lastContactAt: (workspaceId, profileKey) => parts.lastContactAt.get({ workspaceId, profileKey }),
    };
  }

  load(): Promise<boolean> {
    return loadAll([...Object.values(this.#parts), ...this.#suppressions.values()]);
  }

  /** Forgets what was enrolled: the decisions about all leads are made again. */
  restart(): void {
    this.#enrolledNow.clear();
  }

  /** Later decisions take this enrollment into account. */
  note({ campaignId, leadId }: Enrollment): void {
    this.#enrolledNow.set(leadId, (this.#enrolledNow.get(leadId) ?? new Set()).add(campaignId));
  }

  async #loadCampaigns(ids: readonly string[]): Promise<Map<string, Campaign>> {
    const rows = await this.#connection
      .select()
      .from(campaigns)
      .where(inArray(campaigns.id, [...ids]));
    return new Map(rows.map((row) => [row.id, row]));
  }

  async #loadWorkspaces(leadIds: readonly string[]): Promise<Map<string, WorkspaceId>> {
    const rows = await this.#connection
      .select({ leadId: leads.id, workspaceId: workspaces.id })
      .from(leads)
      .innerJoin(workspaces, eq(workspaces.seq, leads.owner))
      .where(inArray(leads.id, [...leadIds]));
    return new Map(rows.map(({ leadId, workspaceId }) => [leadId, workspaceId]));
  }

  async #loadEnrolled(places: readonly Place[]): Promise<Map<string, boolean>> {
    const { campaignId, leadId } = campaignEnrollments;
    const rows = await this.#connection
      .select({ campaignId, leadId })
      .from(campaignEnrollments)
      .where(
        sql`(${campaignId}, ${leadId}) IN (
          SELECT "campaignId", "leadId" FROM json_to_recordset(${JSON.stringify(places)}::json)
            AS place ("campaignId" text, "leadId" text))`,
      );
    return new Map(rows.map((place) => [placeName(place), true]));
  }

  /** By lead: the campaigns in which it is active, except for canceled ones. */
  async #loadActive(leadIds: readonly string[]): Promise<Map<string, string[]>> {
    const rows = await this.#connection
      .select({ leadId: campaignEnrollments.leadId, campaignId: campaigns.id })
      .from(campaignEnrollments)
      .innerJoin(campaigns, eq(campaigns.id, campaignEnrollments.campaignId))
      .where(
        and(
          inArray(campaignEnrollments.leadId, [...leadIds]),
          sql`${campaignEnrollments.state} = 'active'`,
          ne(campaigns.state, "canceled"),
        ),
      );
    const byLead = Map.groupBy(rows, ({ leadId }) => leadId);
    return new Map([...byLead].map(([leadId, found]) => [leadId, found.map(({ campaignId }) => campaignId)]));
  }

  async #loadContacts(people: readonly Person[]): Promise<Map<string, number | null>> {
    const { workspaceId } = networkAccounts;
    const { profileKey, invitedAt, messagedAt } = networkContacts;
    const rows = await this.#connection
      .select({ workspaceId, profileKey, at: sql<number | null>`max(greatest(${invitedAt}, ${messagedAt}))` })
      .from(networkContacts)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, networkContacts.account))
      .where(
        sql`(${workspaceId}, ${profileKey}) IN (
          SELECT "workspaceId", "profileKey" FROM json_to_recordset(${JSON.stringify(people)}::json)
            AS person ("workspaceId" text, "profileKey" text))`,
      )
      .groupBy(workspaceId, profileKey);
    return new Map(rows.map((row) => [personName(row), row.at]));
  }
}

function placeName({ campaignId, leadId }: Place): string {
  return JSON.stringify([campaignId, leadId]);
}

function personName({ workspaceId, profileKey }: Person): string {
  return JSON.stringify([workspaceId, profileKey]);
}
