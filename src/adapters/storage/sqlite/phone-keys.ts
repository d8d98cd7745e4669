import { phoneKey } from "../../../features/leads/keys.ts";
import type { Engine } from "./engine.ts";
import type { HashIndex } from "./hash-index.ts";

const stateName = "phone_keys_missing_from";
type MissingLead = { seq: number; owner: number; phone: string };

/**
 * The keys of phone numbers. Only the do-not-contact list asks for them, and they are a third of the index: while the
 * list is empty new leads go without, and the first entry waits until those that are missing are made.
 */
export class PhoneKeys {
  readonly #engine: Pick<Engine, "database">;
  readonly #keys: HashIndex;
  /** Leads from this number on may lack theirs; null: none does; undefined: not read yet. */
  #missingFrom: number | null | undefined;

  constructor(engine: Pick<Engine, "database" | "writer">, keys: HashIndex) {
    this.#engine = engine;
    this.#keys = keys;
    engine.writer.onRollback(() => (this.#missingFrom = undefined));
  }

  /** Whether somebody could ask for them. */
  get isWanted(): boolean {
    return this.#engine.database.query("SELECT 1 FROM suppression_counts WHERE entries > 0 LIMIT 1").get() !== null;
  }

  get isComplete(): boolean {
    return this.#readMissing() === null;
  }

  /** Inside a write unit: the lead with this number, and those that come after it, go without. */
  leaveOut(seq: number): void {
    const missing = this.#readMissing();
    if (missing === null || seq < missing) this.#write(seq);
  }

  /** Inside a write unit: makes at most so many of those that are missing. True once none is. */
  makeMissing(most: number): boolean {
    const from = this.#readMissing();
    if (from === null) return true;
    const leads = this.#engine.database
      .query<MissingLead, [number, number]>(
        "SELECT seq, owner, phone FROM leads WHERE seq >= ? AND phone IS NOT NULL ORDER BY seq LIMIT ?",
      )
      .all(from, most);
    for (const { seq, owner, phone } of leads) {
      const key = phoneKey(owner, phone);
      if (key !== null) this.#keys.add(key, seq);
    }
    const isComplete = leads.length < most;
    this.#write(isComplete ? null : leads.at(-1)!.seq + 1);
    return isComplete;
  }

  #readMissing(): number | null {
    if (this.#missingFrom !== undefined) return this.#missingFrom;
    const row = this.#engine.database
      .query<{ value: string }, [string]>("SELECT value FROM server_state WHERE name = ?")
      .get(stateName);
    return (this.#missingFrom = row === null ? null : Number(row.value));
  }

  #write(from: number | null): void {
    this.#missingFrom = from;
    if (from === null) this.#engine.database.query("DELETE FROM server_state WHERE name = ?").run(stateName);
    else
      this.#engine.database
        .query("INSERT OR REPLACE INTO server_state (name, value) VALUES (?, ?)")
        .run(stateName, String(from));
  }
}
