import { importingJobTypes } from "../../../../features/privacy/decisions.ts";
import type { PersonStore } from "../../../../features/privacy/store.ts";
import { createProspectRows } from "../directory/prospect-rows.ts";
import type { Engine } from "../engine.ts";
import type { NetworkRows } from "../network.ts";
import { setBusyTimeout, setSecureDelete } from "../open.ts";
import { prepared } from "../prepared.ts";
import type { CommonRows } from "../common-rows.ts";
import { createPersonErasure } from "./person-erasure.ts";
import { createPersonSearch } from "./person-search.ts";

const importingTypes = importingJobTypes.map((type) => `'${type}'`).join(", ");

export function createPersonStore(
  engine: Engine,
  { owners, audits, events, jobRows, leadParts, suppressions }: CommonRows,
  network: NetworkRows,
): PersonStore {
  const { database, writer, reader, prospectIndex: index } = engine;
  const { keys: leadKeys, rows: leads } = leadParts;
  const prospects = createProspectRows(database);
  const erase = createPersonErasure({
    engine,
    owners,
    leads,
    leadKeys,
    prospects,
    jobRows,
    network,
    suppressions,
    events,
  });
  const setPayload = prepared(database, "UPDATE jobs SET payload = ? WHERE id = ?");
  const reading = prepared<unknown, [number, string | null]>(
    database,
    `SELECT 1 FROM jobs WHERE status = 'running' AND lease_until IS NOT NULL AND type IN (${importingTypes})
       AND created_at < ?1 AND (?2 IS NULL OR workspace_id = ?2) LIMIT 1`,
  );

  /** Deleted content is overwritten in the file, at the cost of writing pages that would otherwise only be marked as free. */
  function thoroughly<T>(run: () => T): Promise<T> {
    return writer.write(() => {
      setSecureDelete(database, "ON");
      try {
        return run();
      } finally {
        setSecureDelete(database, "FAST");
      }
    });
  }

  return {
    ...createPersonSearch({ engine, leads, prospects, index }),
    erase: (identity, records, at) => thoroughly(() => erase(identity, records, at)),
    suppress: (entries) => writer.write(() => entries.forEach((entry) => void suppressions.add(entry))),
    hasRunningImports: async ({ workspaceId }, at) => reading.get(at, workspaceId) !== null,
    forget: (claim, payload) =>
      thoroughly(() => {
        if (!jobRows.writeClaimed(claim, () => ({}))) return false;
        setPayload.run(JSON.stringify(payload), claim.id);
        return true;
      }),
    finish: (claim, end, audit) =>
      writer.write(() => {
        if (!jobRows.end(claim, end)) return false;
        setPayload.run("{}", claim.id);
        audits.append(audit);
        return true;
      }),
    async scrub() {
      // Mostly in the reader thread. The rest is small and not awaited: it fails if there is a concurrent reader.
      await reader.checkpoint();
      engine.shared.end();
      setBusyTimeout(database, 0);
      try {
        const [row] = database.query<{ busy: number }, []>("PRAGMA wal_checkpoint(TRUNCATE)").all();
        return row?.busy === 0;
      } finally {
        setBusyTimeout(database);
      }
    },
  };
}
