import type { SQLQueryBindings } from "bun:sqlite";
import { nextVersion } from "../../../../features/leads/decisions.ts";
import { leadIdentity, leadKeysOf } from "../../../../features/leads/identity.ts";
import { openStates } from "../../../../features/network/action-model.ts";
import { cancelAction, isUnderWay } from "../../../../features/network/decisions/ending.ts";
import { mentionsOf, type Mentions } from "../../../../features/privacy/mentions.ts";
import type { PersonIdentity, PersonRecord } from "../../../../features/privacy/model.ts";
import type { ErasedRecords } from "../../../../features/privacy/store.ts";
import type { ProspectRows } from "../directory/prospect-rows.ts";
import type { Engine } from "../engine.ts";
import type { EventRows } from "../event-rows.ts";
import type { JobRows } from "../job-rows.ts";
import type { KeyIndex } from "../../../../lib/key-index/key-index.ts";
import type { LeadRows } from "../lead-rows.ts";
import type { NetworkRows } from "../network.ts";
import type { Owners } from "../owners.ts";
import { prepared } from "../prepared.ts";
import type { SuppressionRows } from "../suppressions.ts";
import { places, type Place } from "../../../../features/privacy/places.ts";

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

/** Stands where the person's profile stood; the domain is one that can never be reached (RFC 2606, section 2). */
const erasedProfile = "https://erased.invalid/person";

/** What of the job of an erased action is no word about its person. */
const keptMetadata = ["actionType", "accountId", "connector", "driver", "outcome", "canceled", "maxAttempts"];

type Outcome = "erased" | "unchanged" | "inProgress";

/** Erases single rows, inside a write unit. A row that is gone, or says nothing any more, is "unchanged". */
export function createPersonErasure(parts: ErasureParts) {
  const { engine, owners, leads, leadKeys, prospects, jobRows, network, suppressions, events } = parts;
  const { database } = engine;
  const blankAction = prepared(
    database,
    `UPDATE network_actions SET profile_url = ?1, profile_key = ?1, target_key = ?1, message = NULL, details = '{}',
       lead_id = NULL, reference = NULL WHERE job_id = ?2`,
  );
  const blankJob = prepared(
    database,
    "UPDATE jobs SET message = ?, edited_message = NULL, metadata = ?, payload = '{}' WHERE id = ?",
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

  function eraseOwn(place: Place, { key, userId }: PersonRecord, identity: PersonIdentity, at: number): Outcome {
    switch (place.erase) {
      case "lead":
        return removeLead(userId ?? "", String(key[0]), identity);
      case "prospect":
        return removeProspect(userId ?? "", Number(key[0]));
      case "action":
        return blank(userId ?? "", String(key[0]), at);
      case "suppression":
        return forgetValue(String(key[0]));
      default:
        return eraseRow(place, key);
    }
  }

  function eraseRow(place: Place, key: PersonRecord["key"]): Outcome {
    const { table, erase } = place;
    const work = typeof erase === "string" ? `DELETE FROM ${table}` : `UPDATE ${table} SET ${assignments(erase)}`;
    return change(`${work} WHERE ${isRow(place)}`, [...key]);
  }

  function removeLead(userId: string, id: string, { emails, profiles }: PersonIdentity): Outcome {
    const stored = leads.get(userId, id);
    if (stored === null) return "unchanged";
    leads.remove(stored);
    // Hashes of addresses that it had before it was changed.
    const owner = owners(userId)!;
    for (const email of emails) forgetKeys(owner, { email, network: null }, stored.seq);
    for (const network of profiles) forgetKeys(owner, { email: null, network }, stored.seq);
    return "erased";
  }

  function forgetKeys(owner: number, address: { email: string | null; network: string | null }, lead: number): void {
    for (const key of leadKeysOf(owner, { ...address, name: null }).strong) leadKeys.remove(key, lead);
  }

  function removeProspect(userId: string, seq: number): Outcome {
    const owner = owners(userId);
    const row = owner === null ? null : prospects.get(owner, seq - owner * 2 ** 32);
    if (owner === null || row === null) return "unchanged";
    prospects.unit(owner, () => prospects.remove(row));
    return "erased";
  }

  /** It goes on to count against the caps of its account. What waits is canceled; what is being sent has to end first. */
  function blank(userId: string, jobId: string, at: number): Outcome {
    const target = network.target(jobId);
    if (target === null || target.row.userId !== userId) return "unchanged";
    if (isUnderWay(target.row)) return "inProgress";
    if (openStates.includes(target.row.state)) network.write(cancelAction(target, at));
    blankAction.run(erasedProfile, jobId);
    const { metadata } = jobRows.get(jobId)!;
    const kept = Object.entries(metadata).filter(([name]) => keptMetadata.includes(name));
    blankJob.run("The person was erased", JSON.stringify({ ...Object.fromEntries(kept), erased: true }), jobId);
    return "erased";
  }

  function forgetValue(id: string): Outcome {
    const entry = suppressionById.get(id);
    if (entry === null || (entry.value === null && entry.reason === null)) return "unchanged";
    suppressions.forgetValue(id);
    return "erased";
  }

  /** Blots the person's addresses out of the texts of a row about something else. */
  function redact(place: Place, { key, userId }: PersonRecord, mentions: Mentions, at: number): Outcome {
    const row = database
      .query<Record<string, unknown>, SQLQueryBindings[]>(
        `SELECT ${place.texts.join(", ")} FROM ${place.table} WHERE ${isRow(place)}`,
      )
      .get(...key);
    if (row === null) return "unchanged";
    const texts = Object.entries(row).map(([name, text]) => [
      name,
      typeof text === "string" ? mentions.redacted(text) : null,
    ]);
    const redacted = Object.fromEntries(texts.filter(([, text]) => text !== null)) as Record<string, string>;
    if (Object.keys(redacted).length === 0) return "unchanged";
    if (place.erasesMentions) return eraseRow(place, key);
    if (place.erase === "lead") return rewriteLead(userId ?? "", String(key[0]), mentions, at);
    const columns = Object.keys(redacted).map((name) => `${name} = ?`);
    return change(`UPDATE ${place.table} SET ${columns.join(", ")} WHERE ${isRow(place)}`, [
      ...Object.values(redacted),
      ...key,
    ]);
  }

  function rewriteLead(userId: string, id: string, { redacted }: Mentions, at: number): Outcome {
    const stored = leads.get(userId, id);
    if (stored === null) return "unchanged";
    const { lead } = stored;
    const text = (value: string | null): string | null => (value === null ? null : (redacted(value) ?? value));
    const customFields = redacted(JSON.stringify(lead.customFields));
    const content = {
      ...lead,
      title: text(lead.title),
      source: text(lead.source),
      notes: text(lead.notes),
      tags: lead.tags.map((tag) => redacted(tag) ?? tag),
      customFields: customFields === null ? lead.customFields : (JSON.parse(customFields) as Record<string, unknown>),
    };
    leads.replace(stored, nextVersion(lead, content, at), leadIdentity(lead));
    return "erased";
  }

  function change(sql: string, params: SQLQueryBindings[]): Outcome {
    return database.query(sql).run(...params).changes > 0 ? "erased" : "unchanged";
  }

  return erase;
}

const isRow = ({ key }: Place): string => key.map((column) => `${column} = ?`).join(" AND ");

function assignments(values: Readonly<Record<string, string>>): string {
  return Object.entries(values)
    .map(([column, value]) => `${column} = ${value}`)
    .join(", ");
}
