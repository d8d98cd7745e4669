import { Database } from "bun:sqlite";

/**
 * Pauses the network accounts that have work to do, in a database that no process has open, and returns how many. What
 * they have done since the database was copied is unknown, and nothing may be sent twice.
 */
export function holdAccounts(path: string, reason: string, now: number): number {
  const database = new Database(path, { readwrite: true, create: false, strict: true });
  try {
    const table = database.query<{ name: string }, []>(findEnrollments).get();
    return table === null ? 0 : database.run(pause(table.name), [reason, now]).changes;
  } finally {
    database.close(true);
  }
}

/** The database has the schema of the version that wrote it, and earlier versions spelled the name differently. */
const findEnrollments =
  "SELECT name FROM sqlite_schema WHERE type = 'table' AND name IN ('campaign_enrollments', 'campaign_enrolments')";

const pause = (enrollments: string) => `UPDATE network_accounts
  SET state = 'paused', state_reason = ?, updated_at = ?, needs_plan = 1, queue_version = queue_version + 1
  WHERE state = 'active' AND (
    EXISTS (SELECT 1 FROM network_actions WHERE account = network_accounts.seq
      AND state IN ('awaitingApproval', 'scheduled', 'sending', 'awaiting'))
    OR EXISTS (SELECT 1 FROM ${enrollments} WHERE account_id = network_accounts.id AND state = 'active'))`;
