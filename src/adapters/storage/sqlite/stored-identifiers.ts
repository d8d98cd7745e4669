import { paidIdentity } from "../../../features/enrichment/paid-identity.ts";
import type { Merged } from "../../../features/enrichment/model.ts";
import { identifiersBeside, maxLinkedRecords } from "../../../features/leads/linked-identifiers.ts";
import type { LeadIdentity } from "../../../features/leads/model.ts";
import { identifiersOfRecord } from "../../../features/suppression/matching.ts";
import type { Identifier } from "../../../features/suppression/person-identifiers.ts";
import type { Engine } from "./engine.ts";
import type { LeadParts } from "./lead-parts.ts";
import { prepared } from "./prepared.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** Identifiers that an owner's leads, actions, campaigns, and enrichment results tie together. Reads only indexes. */
export type StoredIdentifiers = {
  /** Reads at most `maxLinkedRecords` records of each kind. */
  beside(workspaceId: WorkspaceId, owner: number, identifier: Identifier): Identifier[];
  ofLead(workspaceId: WorkspaceId, leadId: string): Identifier[];
};

export function createStoredIdentifiers(engine: Engine, { keys, rows }: LeadParts): StoredIdentifiers {
  const { database, phoneRegion } = engine;
  const leadBySeq = prepared<LeadRow, [number, number]>(database, leadBySeqSql);
  const leadsByProfile = prepared<unknown, [string, string, number]>(database, leadsByProfileSql);
  const profilesByLead = prepared<unknown, [string, string, number]>(database, profilesByLeadSql);
  const resultsByKey = prepared<ResultRow, [number, number, number]>(database, resultsByKeySql);

  function ofLeadRow(workspaceId: WorkspaceId, { id, ...reached }: LeadRow): Identifier[] {
    const profiles = new Set((profilesByLead.values(id, workspaceId, maxLinkedRecords) as [string][]).flat());
    return [
      ...identifiersOfRecord(reached, phoneRegion),
      ...[...profiles].map((value) => ({ kind: "profile", value }) as const),
    ];
  }

  function ofLead(workspaceId: WorkspaceId, leadId: string): Identifier[] {
    const stored = rows.get(workspaceId, leadId);
    return stored === null ? [] : ofLeadRow(workspaceId, stored.lead);
  }

  function recordsWithKey(workspaceId: WorkspaceId, owner: number, key: number): Identifier[][] {
    const seqs = keys.each(key).take(maxLinkedRecords);
    const leads = [...seqs.flatMap((seq) => leadBySeq.all(seq, owner))].map((row) => ofLeadRow(workspaceId, row));
    return [...leads, ...resultsByKey.all(key, owner, maxLinkedRecords).map(ofResult)];
  }

  function ofResult({ email, network, name, fields }: ResultRow): Identifier[] {
    const paid = paidIdentity({ email, network, name }, JSON.parse(fields) as Merged);
    return identifiersOfRecord({ email: paid.email, networkUrl: paid.network, phone: null }, phoneRegion);
  }

  function leadsOfProfile(workspaceId: WorkspaceId, profile: string): ReadonlySet<string> {
    return new Set((leadsByProfile.values(profile, workspaceId, maxLinkedRecords) as [string][]).flat());
  }

  const beside: StoredIdentifiers["beside"] = (workspaceId, owner, identifier) =>
    identifiersBeside(owner, identifier, {
      recordsWithKey: (key) => recordsWithKey(workspaceId, owner, key),
      leadsOfProfile: (profile) =>
        [...leadsOfProfile(workspaceId, profile)].map((leadId) => ofLead(workspaceId, leadId)),
    });

  return { beside, ofLead };
}

type LeadRow = { id: string; email: string | null; networkUrl: string | null; phone: string | null };
type ResultRow = LeadIdentity & { fields: string };

const leadBySeqSql = `SELECT id, email, network_url AS networkUrl, phone FROM leads WHERE seq = ? AND owner = ?`;
const leadsByProfileSql = `SELECT DISTINCT lead_id AS leadId FROM network_actions
  WHERE profile_key = ?1 AND workspace_id = ?2 AND lead_id IS NOT NULL
  UNION ALL SELECT c.lead_id FROM network_contacts AS c CROSS JOIN network_accounts AS a ON a.seq = c.account
  WHERE c.profile_key = ?1 AND c.lead_id IS NOT NULL AND a.workspace_id = ?2
  UNION ALL SELECT lead_id FROM campaign_enrollments WHERE profile_key = ?1 AND workspace_id = ?2 AND state = 'active'
  LIMIT ?3`;
const profilesByLeadSql = `SELECT DISTINCT profile_key AS profileKey FROM network_actions WHERE lead_id = ?1 AND workspace_id = ?2
  UNION ALL SELECT profile_key FROM campaign_enrollments WHERE lead_id = ?1 AND workspace_id = ?2 AND state = 'active' LIMIT ?3`;
const resultsByKeySql = `SELECT r.email, r.network, r.name, r.fields FROM enrichment_result_keys AS k
  CROSS JOIN enrichment_results AS r ON r.n = k.result WHERE k.key = ? AND r.owner = ? ORDER BY k.result DESC LIMIT ?`;

/** For the test that no look-up reads a whole table. */
export const lookUps = [leadBySeqSql, leadsByProfileSql, profilesByLeadSql, resultsByKeySql];
