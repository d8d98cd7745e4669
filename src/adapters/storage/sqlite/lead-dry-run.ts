import type { DryRunNote, ImportChange, ImportFacts, PersonTexts } from "../../../features/leads/import-decision.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

type NoteRow = { n: number; lead: number | null; lead_id: string | null; texts: string };

/** The notes of dry runs, each under its job. */
export function createDryRunNotes({ database }: Engine) {
  const lastNote = prepared<{ n: number | null }, [string]>(
    database,
    "SELECT max(n) AS n FROM lead_import_notes WHERE job_id = ?",
  );
  const notesByKey = prepared<NoteRow, [string, number]>(
    database,
    `SELECT n, lead, lead_id, texts FROM lead_import_note_keys JOIN lead_import_notes USING (job_id, n)
     WHERE job_id = ? AND key = ? ORDER BY n`,
  );
  const noteOfLead = prepared<NoteRow, [string, number]>(
    database,
    "SELECT n, lead, lead_id, texts FROM lead_import_notes WHERE job_id = ? AND lead = ?",
  );
  const writeNote = prepared(
    database,
    "INSERT INTO lead_import_notes (job_id, n, lead, lead_id, texts) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET texts = excluded.texts",
  );
  const writeKey = prepared(database, "INSERT OR IGNORE INTO lead_import_note_keys (job_id, key, n) VALUES (?, ?, ?)");
  const forgetKeys = prepared(
    database,
    "DELETE FROM lead_import_note_keys WHERE job_id = ?1 AND (key, n) IN (SELECT key, n FROM lead_import_note_keys WHERE job_id = ?1 LIMIT ?2)",
  );
  const forgetNotes = prepared(
    database,
    "DELETE FROM lead_import_notes WHERE job_id = ?1 AND n IN (SELECT n FROM lead_import_notes WHERE job_id = ?1 LIMIT ?2)",
  );

  const last = (jobId: string) => lastNote.get(jobId)?.n ?? 0;
  const ofLead = (jobId: string, lead: number) => noteIn(noteOfLead.get(jobId, lead));

  function factsOf(jobId: string): ImportFacts["notes"] {
    return {
      get last() {
        return last(jobId);
      },
      withKey: (key) => notesByKey.all(jobId, key).map((row) => noteIn(row)!),
      ofLead: (lead) => ofLead(jobId, lead),
    };
  }

  function write(jobId: string, { note, keys }: Extract<ImportChange, { kind: "note" }>): void {
    const { lead, leadId, texts } = note;
    const n = note.n ?? ofLead(jobId, lead!)?.n ?? last(jobId) + 1;
    writeNote.run(jobId, n, lead, leadId, JSON.stringify(texts));
    for (const key of keys) writeKey.run(jobId, key, n);
  }

  /** Removes at most `limit` notes and as many keys of a run. Returns how many; fewer than `limit`: none is left. */
  function forget(jobId: string, limit: number): number {
    const { changes } = forgetKeys.run(jobId, limit);
    return Math.max(changes, forgetNotes.run(jobId, limit).changes);
  }

  return { factsOf, write, forget };
}

function noteIn(row: NoteRow | null): DryRunNote | null {
  if (row === null) return null;
  const { n, lead, lead_id: leadId, texts } = row;
  return { n, lead, leadId, texts: JSON.parse(texts) as PersonTexts };
}
