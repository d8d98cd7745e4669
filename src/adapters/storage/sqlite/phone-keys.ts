import { phoneKey } from "../../../features/leads/identity.ts";
import type { Engine } from "./engine.ts";
import type { KeyIndex } from "../../../lib/key-index/key-index.ts";

/** Name of the state with the first lead whose key may be missing. */
export const missingPhoneKeys = "phone_keys_missing_from";
type MissingLead = { seq: number; owner: number; phone: string };

/**
 * The keys of phone numbers. Only the do-not-contact list needs them, and they are a third of the index: while the list is
 * empty, new leads get none, and the first entry waits until the missing keys are added.
 */
export class PhoneKeys {
  readonly #engine: Pick<Engine, "database">;
  readonly #keys: KeyIndex;
  /** Leads from this number on may lack their key; null: none does; undefined: not read yet. */
  #missingFrom: number | null | undefined;

  constructor(engine: Pick<Engine, "database" | "writer">, keys: KeyIndex) {
    this.#engine = engine;
    this.#keys = keys;
    engine.writer.onRollback(() => (this.#missingFrom = undefined));
  }

  /** Whether the do-not-contact list has entries, which alone need the keys. */
  get isWanted(): boolean {
    return this.#engine.database.query("SELECT 1 FROM suppression_counts WHERE entries > 0 LIMIT 1").get() !== null;
  }

  get isComplete(): boolean {
    return this.#readMissing() === null;
  }

  /** In a write unit: the leads from this number on have no keys. */
  leaveOut(seq: number): void {
    const missing = this.#readMissing();
    if (missing === null || seq < missing) this.#write(seq);
  }

  /** In a write unit: adds at most `most` missing keys. True once none is missing. */
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
      .get(missingPhoneKeys);
    return (this.#missingFrom = row === null ? null : Number(row.value));
  }

  #write(from: number | null): void {
    this.#missingFrom = from;
    if (from === null) this.#engine.database.query("DELETE FROM server_state WHERE name = ?").run(missingPhoneKeys);
    else
      this.#engine.database
        .query("INSERT OR REPLACE INTO server_state (name, value) VALUES (?, ?)")
        .run(missingPhoneKeys, String(from));
  }
}
