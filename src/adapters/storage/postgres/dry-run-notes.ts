import { and, asc, eq, inArray, sql } from "drizzle-orm";
import type { DryRunNote, ImportChange, ImportFacts, PersonTexts } from "../../../features/leads/import-decision.ts";
import type { Connection } from "./engine.ts";
import { loadAll, Loaded, type FactSource } from "./loaded.ts";
import { leadImportNoteKeys, leadImportNotes } from "./tables.ts";

/** The notes of one dry run, loaded as the decision asks. */
export class DryRunNotes implements FactSource {
  readonly facts: ImportFacts["notes"];
  readonly #connection: Connection;
  readonly #jobId: string;
  readonly #withKey = new Loaded<number, readonly DryRunNote[]>({
    provisional: [],
    nameOf: Number,
    fetch: (keys) => this.#loadByKeys(keys),
  });
  readonly #ofLead = new Loaded<number, DryRunNote | null>({
    provisional: null,
    nameOf: Number,
    fetch: (seqs) => this.#loadOfLeads(seqs),
  });

  static async open(connection: Connection, jobId: string): Promise<DryRunNotes> {
    const [row] = await connection
      .select({ last: sql<number>`coalesce(max(${leadImportNotes.n}), 0)::bigint` })
      .from(leadImportNotes)
      .where(eq(leadImportNotes.jobId, jobId));
    return new DryRunNotes(connection, jobId, row?.last ?? 0);
  }

  constructor(connection: Connection, jobId: string, last: number) {
    this.#connection = connection;
    this.#jobId = jobId;
    this.facts = {
      last,
      withKey: (key) => this.#withKey.get(key),
      ofLead: (seq) => this.#ofLead.get(seq),
    };
  }

  /** The decision will ask for the notes with these keys. */
  expect(keys: readonly number[]): void {
    for (const key of keys) this.#withKey.want(key);
  }

  load(): Promise<boolean> {
    return loadAll([this.#withKey, this.#ofLead]);
  }

  async write(changes: readonly Extract<ImportChange, { kind: "note" }>[]): Promise<void> {
    let last = Math.max(this.facts.last, ...changes.map(({ note: { n } }) => n ?? 0));
    for (const { note, keys } of changes) {
      const n = note.n ?? this.#ofLead.get(note.lead!)?.n ?? ++last;
      const { lead, leadId, texts } = note;
      await this.#connection
        .insert(leadImportNotes)
        .values({ jobId: this.#jobId, n, lead, leadId, texts })
        .onConflictDoUpdate({ target: [leadImportNotes.jobId, leadImportNotes.n], set: { texts } });
      const rows = keys.map((key) => ({ jobId: this.#jobId, key, n }));
      await this.#connection.insert(leadImportNoteKeys).values(rows).onConflictDoNothing();
    }
  }

  async #loadByKeys(keys: readonly number[]): Promise<Map<number, DryRunNote[]>> {
    const rows = await this.#connection
      .select({ key: leadImportNoteKeys.key, note: leadImportNotes })
      .from(leadImportNoteKeys)
      .innerJoin(
        leadImportNotes,
        and(eq(leadImportNotes.jobId, leadImportNoteKeys.jobId), eq(leadImportNotes.n, leadImportNoteKeys.n)),
      )
      .where(and(eq(leadImportNoteKeys.jobId, this.#jobId), inArray(leadImportNoteKeys.key, [...keys])))
      .orderBy(asc(leadImportNotes.n));
    const byKey = Map.groupBy(rows, ({ key }) => key);
    return new Map([...byKey].map(([key, found]) => [key, found.map(({ note }) => noteOf(note))]));
  }

  async #loadOfLeads(seqs: readonly number[]): Promise<Map<number, DryRunNote>> {
    const rows = await this.#connection
      .select()
      .from(leadImportNotes)
      .where(and(eq(leadImportNotes.jobId, this.#jobId), inArray(leadImportNotes.lead, [...seqs])));
    return new Map(rows.map((row) => [row.lead!, noteOf(row)]));
  }
}

/** Removes at most `limit` notes and as many keys of a run. Returns how many; fewer than `limit`: none is left. */
export async function forgetNotes(connection: Connection, jobId: string, limit: number): Promise<number> {
  const removed = await Promise.all(
    [leadImportNoteKeys, leadImportNotes].map(async (table) => {
      const some = sql`ctid = ANY(ARRAY(SELECT ctid FROM ${table} WHERE job_id = ${jobId} LIMIT ${limit}))`;
      const rows = await connection.delete(table).where(some).returning({ n: table.n });
      return rows.length;
    }),
  );
  return Math.max(...removed);
}

function noteOf({ n, lead, leadId, texts }: typeof leadImportNotes.$inferSelect): DryRunNote {
  return { n, lead, leadId, texts: texts as PersonTexts };
}
