import type { Database } from "bun:sqlite";
import { phoneKey } from "../../../features/leads/identity.ts";
import { KeyEntries, mergeLeadKeyLog } from "./rebuild-identities.ts";
import { missingPhoneKeys } from "./phone-keys.ts";

const leadsAtOnce = 5_000;

/** Adds to the table of lead keys what is still in its log, and the keys of phone numbers that were left out. */
export function completeLeadKeys(database: Database): void {
  database.transaction(() => {
    mergeLeadKeyLog(database);
    addPhoneKeys(database);
  })();
}

function addPhoneKeys(database: Database): void {
  const state = database
    .query<{ value: string }, [string]>("SELECT value FROM server_state WHERE name = ?")
    .get(missingPhoneKeys);
  if (state === null) return;
  const page = database.prepare(
    `SELECT seq, owner, phone FROM leads WHERE seq >= ? AND phone IS NOT NULL ORDER BY seq LIMIT ${leadsAtOnce}`,
  );
  const added = new KeyEntries(database.prepare("INSERT OR IGNORE INTO lead_keys (key, lead) VALUES (?, ?)"));
  for (let from = Number(state.value); ;) {
    const rows = page.values(from) as [seq: number, owner: number, phone: string][];
    for (const [seq, owner, phone] of rows) {
      const key = phoneKey(owner, phone);
      if (key !== null) added.add(key, seq);
    }
    const last = rows.at(-1);
    if (last === undefined) break;
    from = last[0] + 1;
  }
  added.write();
  database.query("DELETE FROM server_state WHERE name = ?").run(missingPhoneKeys);
}
