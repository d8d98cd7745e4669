import { and, eq, inArray, sql, type SQL } from "drizzle-orm";
import type { KnownResult } from "../../../features/enrichment/decisions.ts";
import { paidIdentity } from "../../../features/enrichment/paid-identity.ts";
import { identifiersBeside, maxLinkedRecords } from "../../../features/leads/linked-identifiers.ts";
import {
  directoryKeyOf,
  identifiersInRecord,
  maxRecordsOfIdentifier,
} from "../../../features/prospecting/linked-identifiers.ts";
import type { ProspectContent } from "../../../features/prospecting/model.ts";
import { identifiersOfRecord } from "../../../features/suppression/matching.ts";
import type { Identifier } from "../../../features/suppression/person-identifiers.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { campaignEnrollments } from "./campaign-tables.ts";
import { loadProspects, numbersByKeys } from "./directory/rows.ts";
import type { Connection } from "./engine.ts";
import { resultsWithKeys } from "./enrichment-results.ts";
import { loadAll, Loaded, type FactSource } from "./loaded.ts";
import { networkAccounts, networkActions, networkContacts } from "./network-tables.ts";
import { leadKeys, leads } from "./tables.ts";

/** Identifiers that the records of one user tie together, as far as they were loaded. */
export class LinkedRecords implements FactSource {
  readonly #connection: Connection;
  readonly #workspaceId: WorkspaceId;
  readonly #owner: number;
  readonly #phoneRegion: PhoneRegion | null;
  readonly #records = new Loaded<number, readonly Identifier[][]>({
    provisional: [],
    nameOf: Number,
    fetch: (keys) => this.#loadRecords(keys),
  });
  readonly #ofLead = new Loaded<string, readonly Identifier[]>({
    provisional: [],
    nameOf: String,
    fetch: (ids) => this.#loadIdentifiers(ids),
  });
  readonly #ofProfile = new Loaded<string, readonly Identifier[][]>({
    provisional: [],
    nameOf: String,
    fetch: (profiles) => this.#loadProfiles(profiles),
  });

  /** Records of the directory that may have the key of an identifier. */
  readonly #inDirectory = new Loaded<number, readonly ProspectContent[]>({
    provisional: [],
    nameOf: Number,
    fetch: (keys) => this.#loadProspects(keys),
  });

  constructor(connection: Connection, workspaceId: WorkspaceId, owner: number, phoneRegion: PhoneRegion | null) {
    this.#connection = connection;
    this.#workspaceId = workspaceId;
    this.#owner = owner;
    this.#phoneRegion = phoneRegion;
  }

  load(): Promise<boolean> {
    return loadAll([this.#records, this.#ofLead, this.#ofProfile, this.#inDirectory]);
  }

  beside(identifier: Identifier): readonly Identifier[] {
    const stored = identifiersBeside(this.#owner, identifier, {
      recordsWithKey: (key) => this.#records.get(key),
      leadsOfProfile: (profile) => this.#ofProfile.get(profile),
    });
    const key = directoryKeyOf(identifier);
    if (key === null) return stored;
    return [...stored, ...this.#inDirectory.get(key).flatMap((record) => identifiersInRecord(record, identifier))];
  }

  ofLead(leadId: string): readonly Identifier[] {
    return this.#ofLead.get(leadId);
  }

  async #loadRecords(keys: readonly number[]): Promise<Map<number, Identifier[][]>> {
    const found = await this.#connection
      .select({ key: sql<number>`found.key`.mapWith(Number), ...reachable })
      .from(leads)
      .innerJoin(
        sql`(${leadsWithKeys(keys.map((key) => ({ key, most: maxLinkedRecords })))}) AS found`,
        sql`found.lead = ${leads.seq}`,
      )
      .where(eq(leads.owner, this.#owner));
    const profiles = await this.#profilesOf(found.map(({ id }) => id));
    const results = await resultsWithKeys(this.#connection, this.#owner, keys, maxLinkedRecords);
    const records = [
      ...found.map((row) => ({ key: row.key, record: this.#identifiersOf(row, profiles) })),
      ...results.map(({ key, result }) => ({ key, record: this.#identifiersOfResult(result) })),
    ];
    const byKey = Map.groupBy(records, ({ key }) => key);
    return new Map([...byKey].map(([key, ofKey]) => [key, ofKey.map(({ record }) => record)]));
  }

  async #loadProspects(keys: readonly number[]): Promise<Map<number, ProspectContent[]>> {
    const byKey = await numbersByKeys(this.#connection, this.#owner, keys, maxRecordsOfIdentifier);
    const stored = await loadProspects(this.#connection, this.#owner, [...new Set([...byKey.values()].flat())]);
    return new Map(
      [...byKey].map(([key, numbers]) => [key, numbers.flatMap((number) => stored.get(number)?.content ?? [])]),
    );
  }

  async #loadIdentifiers(ids: readonly string[]): Promise<Map<string, Identifier[]>> {
    const rows = await this.#connection
      .select(reachable)
      .from(leads)
      .where(and(inArray(leads.id, [...ids]), eq(leads.owner, this.#owner)));
    const profiles = await this.#profilesOf(rows.map(({ id }) => id));
    return new Map(rows.map((row) => [row.id, this.#identifiersOf(row, profiles)]));
  }

  async #loadProfiles(profiles: readonly string[]): Promise<Map<string, Identifier[][]>> {
    const ofActions = await this.#connection
      .selectDistinct({ profile: networkActions.profileKey, leadId: networkActions.leadId })
      .from(networkActions)
      .where(and(inArray(networkActions.profileKey, [...profiles]), eq(networkActions.workspaceId, this.#workspaceId)))
      .limit(maxLinkedRecords);
    const ofContacts = await this.#connection
      .select({ profile: networkContacts.profileKey, leadId: networkContacts.leadId })
      .from(networkContacts)
      .innerJoin(networkAccounts, eq(networkAccounts.seq, networkContacts.account))
      .where(
        and(inArray(networkContacts.profileKey, [...profiles]), eq(networkAccounts.workspaceId, this.#workspaceId)),
      )
      .limit(maxLinkedRecords);
    const ofEnrollments = await this.#connection
      .select({ profile: campaignEnrollments.profileKey, leadId: campaignEnrollments.leadId })
      .from(campaignEnrollments)
      .where(and(inArray(campaignEnrollments.profileKey, [...profiles]), this.#isActiveEnrollment()))
      .limit(maxLinkedRecords);
    const pairs = [...ofActions, ...ofContacts, ...ofEnrollments].flatMap(({ profile, leadId }) =>
      leadId === null ? [] : [{ profile, leadId }],
    );
    const identifiers = await this.#loadIdentifiers([...new Set(pairs.map(({ leadId }) => leadId))]);
    const byProfile = Map.groupBy(pairs, ({ profile }) => profile);
    return new Map(
      [...byProfile].map(([profile, found]) => [
        profile,
        [...new Set(found.map(({ leadId }) => leadId))].map((leadId) => identifiers.get(leadId) ?? []),
      ]),
    );
  }

  /** The profiles that actions and campaigns tie to leads. */
  async #profilesOf(leadIds: readonly string[]): Promise<ReadonlyMap<string, string[]>> {
    if (leadIds.length === 0) return new Map();
    const rows = await this.#connection
      .selectDistinct({ leadId: networkActions.leadId, profile: networkActions.profileKey })
      .from(networkActions)
      .where(and(inArray(networkActions.leadId, [...leadIds]), eq(networkActions.workspaceId, this.#workspaceId)));
    const enrolled = await this.#connection
      .select({ leadId: campaignEnrollments.leadId, profile: campaignEnrollments.profileKey })
      .from(campaignEnrollments)
      .where(and(inArray(campaignEnrollments.leadId, [...leadIds]), this.#isActiveEnrollment()));
    const byLead = Map.groupBy([...rows, ...enrolled], ({ leadId }) => leadId ?? "");
    return new Map([...byLead].map(([leadId, found]) => [leadId, found.map(({ profile }) => profile)]));
  }

  #isActiveEnrollment(): SQL | undefined {
    return and(eq(campaignEnrollments.workspaceId, this.#workspaceId), sql`${campaignEnrollments.state} = 'active'`);
  }

  #identifiersOfResult({ identity, merged }: KnownResult): Identifier[] {
    const { email, network } = paidIdentity(identity, merged);
    return identifiersOfRecord({ email, networkUrl: network, phone: null }, this.#phoneRegion);
  }

  #identifiersOf(row: Reached, profiles: ReadonlyMap<string, string[]>): Identifier[] {
    const linked = [...new Set(profiles.get(row.id))].map((value) => ({ kind: "profile", value }) as const);
    return [...identifiersOfRecord(row, this.#phoneRegion), ...linked];
  }
}

type Reached = { id: string; email: string | null; networkUrl: string | null; phone: string | null };
const reachable = { id: leads.id, email: leads.email, networkUrl: leads.networkUrl, phone: leads.phone };

/** Keys with the numbers of their leads: of each key the oldest. */
export function leadsWithKeys(wanted: readonly { key: number; most: number }[]) {
  return sql`SELECT wanted.key, ranked.lead
    FROM json_to_recordset(${JSON.stringify(wanted)}::json) AS wanted (key bigint, most integer)
    CROSS JOIN LATERAL (
      SELECT lead FROM ${leadKeys} WHERE key = wanted.key ORDER BY lead LIMIT wanted.most
    ) AS ranked`;
}
