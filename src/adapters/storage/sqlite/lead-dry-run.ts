import { leadIdentity } from "../../../features/leads/identity.ts";
import type { LeadContent, LeadIdentity } from "../../../features/leads/model.ts";
import type { ImportBatch } from "../../../features/leads/store.ts";
import type { Engine } from "./engine.ts";
import { leadKeysOf } from "../../../features/leads/keys.ts";
import { samePerson } from "./lead-match.ts";
import type { LeadRows } from "./lead-rows.ts";
import type { Owners } from "./owners.ts";

/** What a person is known by; a merge takes each text that the newcomer has. */
type Texts = Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">;
/** A person as it would be stored: `note` once the run has noted it, `lead` and `leadId` if it is one already. */
type Person = { identity: LeadIdentity; texts: Texts; note: number | null; lead: number | null; leadId: string | null };
type Note = { n: number; lead: number | null; lead_id: string | null; texts: string };

/**
 * Foretells an import row by row without touching a lead: whom it would store or change is noted under its job, and
 * later rows of the file are compared with the notes as well.
 */
export function createDryRuns({ database }: Engine, owners: Owners, rows: Pick<LeadRows, "candidates">) {
  const lastNote = database.prepare<{ n: number | null }, [string]>(
    "SELECT max(n) AS n FROM lead_import_notes WHERE job_id = ?",
  );
  const notesByKey = database.prepare<Note, [string, number]>(
    `SELECT n, lead, lead_id, texts FROM lead_import_note_keys JOIN lead_import_notes USING (job_id, n)
     WHERE job_id = ? AND key = ? ORDER BY n`,
  );
  const noteOfLead = database.prepare<Note, [string, number]>(
    "SELECT n, lead, lead_id, texts FROM lead_import_notes WHERE job_id = ? AND lead = ?",
  );
  const write = database.prepare(
    "INSERT INTO lead_import_notes (job_id, n, lead, lead_id, texts) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET texts = excluded.texts",
  );
  const writeKey = database.prepare("INSERT OR IGNORE INTO lead_import_note_keys (job_id, key, n) VALUES (?, ?, ?)");
  const forgetKeys = database.prepare(
    "DELETE FROM lead_import_note_keys WHERE job_id = ?1 AND (key, n) IN (SELECT key, n FROM lead_import_note_keys WHERE job_id = ?1 LIMIT ?2)",
  );
  const forgetNotes = database.prepare(
    "DELETE FROM lead_import_notes WHERE job_id = ?1 AND n IN (SELECT n FROM lead_import_notes WHERE job_id = ?1 LIMIT ?2)",
  );

  /** Inside a write unit. `leadId` is that of a lead which is there now. */
  function foresee(
    { userId, jobId, onDuplicate }: ImportBatch,
    content: LeadContent,
    identity: LeadIdentity,
  ): { outcome: "created" | "updated" | "skipped"; leadId: string | null } {
    const owner = owners(userId);
    if (owner === null || onDuplicate === "create") return { outcome: "created", leadId: null };
    const same = samePerson(owner, identity, (key) => candidates(userId, owner, jobId, key));
    if (same === null) note(owner, jobId, { identity, texts: textsOf(content), note: null, lead: null, leadId: null });
    else if (onDuplicate === "update") note(owner, jobId, merged(same, content));
    if (same === null) return { outcome: "created", leadId: null };
    return { outcome: onDuplicate === "skip" ? "skipped" : "updated", leadId: same.leadId };
  }

  function* candidates(userId: string, owner: number, jobId: string, key: number): Generator<Person, void, void> {
    for (const { seq, lead } of rows.candidates(userId, owner, key)) {
      const changed = noteOfLead.get(jobId, seq);
      if (changed !== null) yield personOf(changed);
      else yield { identity: leadIdentity(lead), texts: textsOf(lead), note: null, lead: seq, leadId: lead.id };
    }
    for (const noted of notesByKey.all(jobId, key)) yield personOf(noted);
  }

  function note(owner: number, jobId: string, { identity, texts, note: known, lead, leadId }: Person): void {
    const n = known ?? (lastNote.get(jobId)?.n ?? 0) + 1;
    write.run(jobId, n, lead, leadId, JSON.stringify(texts));
    const { strong, name } = leadKeysOf(owner, identity);
    for (const key of name === null ? strong : [...strong, name]) writeKey.run(jobId, key, n);
  }

  /** Inside a write unit: removes notes and keys of a run, at most `limit` of each; fewer than that answered = all gone. */
  function forget(jobId: string, limit: number): number {
    const { changes } = forgetKeys.run(jobId, limit);
    return Math.max(changes, forgetNotes.run(jobId, limit).changes);
  }

  return { foresee, forget };
}

function personOf({ n, lead, lead_id, texts: json }: Note): Person {
  const texts = JSON.parse(json) as Texts;
  return { identity: leadIdentity(texts), texts, note: n, lead, leadId: lead_id };
}

function merged(person: Person, incoming: LeadContent): Person {
  const texts = { ...person.texts };
  for (const name of Object.keys(texts) as (keyof Texts)[]) texts[name] = incoming[name] ?? texts[name];
  return { ...person, texts, identity: leadIdentity(texts) };
}

function textsOf({ email, networkUrl, firstName, lastName, company }: Texts): Texts {
  return { email, networkUrl, firstName, lastName, company };
}
