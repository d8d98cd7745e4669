import type { SQLQueryBindings } from "bun:sqlite";
import { eq } from "drizzle-orm";
import { funnelChange } from "../../../../features/campaigns/funnel-marks.ts";
import { nextVersion } from "../../../../features/leads/decisions.ts";
import { leadIdentity, leadKeysOf } from "../../../../features/leads/identity.ts";
import { openStates } from "../../../../features/network/action-model.ts";
import { cancelAction, isUnderWay } from "../../../../features/network/decisions/ending.ts";
import {
  erasedAction,
  erasedJob,
  erasedValues,
  erasureOf,
  redactedLead,
} from "../../../../features/privacy/decisions.ts";
import { mentionsOf, type Mentions } from "../../../../features/privacy/mentions.ts";
import type { PersonIdentity, PersonRecord } from "../../../../features/privacy/model.ts";
import type { Place, Values } from "../../../../features/privacy/place-model.ts";
import { places } from "../../../../features/privacy/places.ts";
import type { ErasedRecords } from "../../../../features/privacy/store.ts";
import { placeOfSeq } from "../../prospect-seq.ts";
import type { ProspectRows } from "../directory/prospect-rows.ts";
import { createFunnelRows } from "../campaign-funnel.ts";
import { campaignEnrollments } from "../campaign-tables.ts";
import type { Engine } from "../engine.ts";
import type { EventRows } from "../event-rows.ts";
import type { JobRows } from "../job-rows.ts";
import type { KeyIndex } from "../../../../lib/key-index/key-index.ts";
import type { LeadRows } from "../lead-rows.ts";
import type { NetworkRows } from "../network.ts";
import type { Owners } from "../owners.ts";
import { prepared } from "../prepared.ts";
import type { SuppressionRows } from "../suppressions.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

export type ErasureParts = {
  engine: Engine;
  owners: Owners;
  leads: LeadRows;
  leadKeys: KeyIndex;
  prospects: ProspectRows;
  jobRows: JobRows;
  network: NetworkRows;
  suppressions: SuppressionRows;
  events: EventRows;
};

type Outcome = "erased" | "unchanged" | "inProgress";

/** Erases single rows, inside a write unit. A row that was deleted or already erased is "unchanged". */
export function createPersonErasure(parts: ErasureParts) {
  const { engine, owners, leads, leadKeys, prospects, jobRows, network, suppressions, events } = parts;
  const { database, orm } = engine;
  const funnel = createFunnelRows(engine);
  const overwriteAction = prepared(
    database,
    `UPDATE network_actions SET profile_url = ?, profile_key = ?, target_key = ?, message = ?, details = ?, lead_id = ?,
       reference = ? WHERE job_id = ?`,
  );
  const overwriteJob = prepared(
    database,
    "UPDATE jobs SET message = ?, edited_message = ?, metadata = ?, payload = ? WHERE id = ?",
  );
  const suppressionById = prepared<{ value: string | null; reason: string | null }, [string]>(
    database,
    "SELECT value, reason FROM suppressions WHERE id = ?",
  );
  const byName = new Map(places.map((place) => [place.name, place]));

  function erase(identity: PersonIdentity, records: readonly PersonRecord[], at: number): ErasedRecords {
    events.flush(); // what was told of the person a moment ago is to be found as well
    const mentions = mentionsOf(identity);
    const result: ErasedRecords = { erased: {}, inProgress: 0 };
    for (const record of records) {
      const place = byName.get(record.place);
      if (place === undefined) throw new Error(`There is no place ${record.place}`);
      const outcome = record.isOwn ? eraseOwn(place, record, identity, at) : redact(place, record, mentions, at);
      if (outcome === "inProgress") result.inProgress++;
      else if (outcome === "erased") result.erased[place.name] = (result.erased[place.name] ?? 0) + 1;
    }
    return result;
  }

  function eraseOwn(place: Place, { key, workspaceId }: PersonRecord, identity: PersonIdentity, at: number): Outcome {
    switch (place.erase) {
      case "lead":
        return removeLead(workspaceId ?? "", String(key[0]), identity);
      case "prospect":
        return removeProspect(workspaceId ?? "", Number(key[0]));
      case "action":
        return blank(workspaceId ?? "", String(key[0]), at);
      case "suppression":
        return forgetValue(String(key[0]));
      default:
        return eraseRow(place, key);
    }
  }

  function eraseRow(place: Place, key: PersonRecord["key"]): Outcome {
    if (typeof place.erase === "string") return change(`DELETE FROM ${place.table} WHERE ${isRow(place)}`, [...key]);
    const row = readRow<Values>(place, "*", key);
    if (row === null) return "unchanged";
    const before = place.name === "enrollments" ? enrollment(key) : null;
    const outcome = overwrite(place, erasedValues(place.erase, row), key);
    // An active enrollment ends, and counts as such.
    if (before !== null) funnel.add(funnelChange(before, enrollment(key)));
    return outcome;
  }

  function enrollment([id]: PersonRecord["key"]) {
    return (
      orm
        .select()
        .from(campaignEnrollments)
        .where(eq(campaignEnrollments.id, String(id)))
        .get() ?? null
    );
  }

  function overwrite(place: Place, values: Values, key: PersonRecord["key"]): Outcome {
    const columns = Object.keys(values).map((name) => `${name} = ?`);
    const sql = `UPDATE ${place.table} SET ${columns.join(", ")} WHERE ${isRow(place)}`;
    return change(sql, [...Object.values(values), ...key]);
  }

  function readRow<Row>(place: Place, columns: string, key: PersonRecord["key"]): Row | null {
    return database
      .query<Row, SQLQueryBindings[]>(`SELECT ${columns} FROM ${place.table} WHERE ${isRow(place)}`)
      .get(...key);
  }

  function removeLead(workspaceId: WorkspaceId, id: string, { emails, profiles }: PersonIdentity): Outcome {
    const stored = leads.get(workspaceId, id);
    if (stored === null) return "unchanged";
    leads.remove(stored);
    // Hashes of former addresses.
    const owner = owners(workspaceId)!;
    for (const email of emails) forgetKeys(owner, { email, network: null }, stored.seq);
    for (const network of profiles) forgetKeys(owner, { email: null, network }, stored.seq);
    return "erased";
  }

  function forgetKeys(owner: number, address: { email: string | null; network: string | null }, lead: number): void {
    for (const key of leadKeysOf(owner, { ...address, name: null }).strong) leadKeys.remove(key, lead);
  }

  function removeProspect(workspaceId: WorkspaceId, seq: number): Outcome {
    const owner = owners(workspaceId);
    const row = owner === null ? null : prospects.get(owner, placeOfSeq(seq).number);
    if (owner === null || row === null) return "unchanged";
    prospects.unit(owner, () => prospects.remove(row));
    return "erased";
  }

  /** The action still counts against the caps of its account. A pending one is canceled; one that is being sent must end first. */
  function blank(workspaceId: WorkspaceId, jobId: string, at: number): Outcome {
    const target = network.target(jobId);
    if (target === null || target.row.workspaceId !== workspaceId) return "unchanged";
    if (isUnderWay(target.row)) return "inProgress";
    if (openStates.includes(target.row.state)) network.write(cancelAction(target, at));
    const { profileUrl, profileKey, targetKey, message, details, leadId, reference } = erasedAction;
    const texts = [profileUrl, profileKey, targetKey, message, JSON.stringify(details)];
    overwriteAction.run(...texts, leadId, reference, jobId);
    const job = erasedJob(jobRows.get(jobId)!);
    const kept = [JSON.stringify(job.metadata), JSON.stringify(job.payload)];
    overwriteJob.run(job.message, job.editedMessage ?? null, ...kept, jobId);
    return "erased";
  }

  function forgetValue(id: string): Outcome {
    const entry = suppressionById.get(id);
    if (entry === null || (entry.value === null && entry.reason === null)) return "unchanged";
    suppressions.forgetValue(id);
    return "erased";
  }

  /** Redacts the person's addresses in the texts of a row about something else. */
  function redact(place: Place, { key, workspaceId }: PersonRecord, mentions: Mentions, at: number): Outcome {
    const fields = readRow<Record<string, unknown>>(place, place.texts.join(", "), key);
    const erasure = fields && erasureOf(place, { isOwn: false, fields }, mentions);
    if (erasure === null) return "unchanged";
    if (erasure.kind === "erase") return eraseRow(place, key);
    if (place.erase === "lead") return rewriteLead(workspaceId ?? "", String(key[0]), mentions, at);
    return overwrite(place, erasure.texts, key);
  }

  function rewriteLead(workspaceId: WorkspaceId, id: string, mentions: Mentions, at: number): Outcome {
    const stored = leads.get(workspaceId, id);
    if (stored === null) return "unchanged";
    const { lead } = stored;
    leads.replace(stored, nextVersion(lead, redactedLead(lead, mentions), at), leadIdentity(lead));
    return "erased";
  }

  function change(sql: string, params: SQLQueryBindings[]): Outcome {
    return database.query(sql).run(...params).changes > 0 ? "erased" : "unchanged";
  }

  return erase;
}

const isRow = ({ key }: Place): string => key.map((column) => `${column} = ?`).join(" AND ");
