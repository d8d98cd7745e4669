/**
 * What a merge of workspaces does with each table that has an owner: statements with the parameters $from and $into (IDs),
 * $fromOwner and $intoOwner (numbers), and $at. Tables with an empty list are merged by code, in leads.ts and prospects.ts.
 * In the order in which they run; a table's rows are gone from the old owner afterwards.
 */
export const mergedTables: Readonly<Record<string, readonly string[]>> = {
  // Their changes to other tables come first.
  leads: [],
  enrichment_results: [],
  prospect_companies: [],
  prospect_changes: [],
  prospect_terms: [],
  prospect_directories: [],
  lead_tags: [unlessKnown("lead_tags", "owner", "Owner"), "DELETE FROM lead_tags WHERE owner = $fromOwner"],
  lead_counts: [
    "DELETE FROM lead_counts WHERE owner IN ($fromOwner, $intoOwner)",
    "INSERT INTO lead_counts SELECT owner, status, count(*) FROM leads WHERE owner = $intoOwner GROUP BY status",
  ],
  // The server learns them again.
  lead_hints_done: ["DELETE FROM lead_hints_done WHERE owner IN ($fromOwner, $intoOwner)"],
  suppressions: [unlessKnown("suppressions", "owner", "Owner"), "DELETE FROM suppressions WHERE owner = $fromOwner"],
  suppression_counts: [
    "DELETE FROM suppression_counts WHERE owner IN ($fromOwner, $intoOwner)",
    `INSERT INTO suppression_counts (owner, kind, entries)
     SELECT owner, kind, count(*) FROM suppressions WHERE owner = $intoOwner GROUP BY kind`,
  ],
  email_verdicts: [
    `INSERT INTO email_verdicts (owner, key, provider, confidence, at)
     SELECT $intoOwner, key, provider, confidence, at FROM email_verdicts WHERE owner = $fromOwner
     ON CONFLICT DO UPDATE SET confidence = excluded.confidence, at = excluded.at WHERE excluded.at > at`,
    "DELETE FROM email_verdicts WHERE owner = $fromOwner",
  ],
  enrichment_settings: [
    unlessKnown("enrichment_settings", "workspace_id", ""),
    "DELETE FROM enrichment_settings WHERE workspace_id = $from",
  ],
  // A client's request can have the same name in both; charges must stay apart, or the second would look paid.
  credit_ledger: [
    `UPDATE credit_ledger SET request = request || ' (' || $from || ')' WHERE workspace_id = $from AND request IN
       (SELECT request FROM credit_ledger WHERE workspace_id = $into)`,
    moved("credit_ledger"),
  ],
  credit_balances: [
    `INSERT INTO credit_balances SELECT $into, balance FROM credit_balances WHERE workspace_id = $from
     ON CONFLICT DO UPDATE SET balance = balance + excluded.balance`,
    "DELETE FROM credit_balances WHERE workspace_id = $from",
  ],
  credit_reservations: [
    `UPDATE credit_reservations SET request = request || ' (' || $from || ')' WHERE workspace_id = $from AND request IN
       (SELECT request FROM credit_reservations WHERE workspace_id = $into)`,
    moved("credit_reservations"),
  ],
  jobs: [
    // Reports of imports name prospects by their place in a directory that no longer exists.
    `UPDATE prospect_import_rows SET prospect = NULL WHERE job_id IN (SELECT id FROM jobs WHERE workspace_id = $from)`,
    `DELETE FROM prospect_import_created WHERE job_id IN (SELECT id FROM jobs WHERE workspace_id = $from)`,
    `UPDATE jobs SET payload = json_set(payload, '$.scope.workspaceId', $into)
     WHERE workspace_id = $from AND json_extract(payload, '$.scope.workspaceId') = $from`,
    moved("jobs"),
  ],
  members: [
    // Owners of the workspace that ends are admins of the other one; its owners decide about more.
    `INSERT OR IGNORE INTO members
     SELECT $into, user_id, CASE role WHEN 'owner' THEN 'admin' ELSE role END, permissions, is_active, created_at, $at
     FROM members WHERE workspace_id = $from`,
    "DELETE FROM members WHERE workspace_id = $from",
  ],
  invitations: [
    `DELETE FROM invitations WHERE workspace_id = $from AND email_key IN
       (SELECT email_key FROM invitations WHERE workspace_id = $into UNION ALL
        SELECT email_key FROM users JOIN members ON members.user_id = users.id WHERE members.workspace_id = $into)`,
    moved("invitations"),
  ],
  api_keys: [moved("api_keys")],
  network_accounts: [
    // Both often have one with the name "default".
    `UPDATE network_accounts SET name = substr(name, 1, 100) || ' (' ||
       (SELECT substr(name, 1, 90) FROM workspaces WHERE id = $from) || ')'
     WHERE workspace_id = $from AND name IN (SELECT name FROM network_accounts WHERE workspace_id = $into)`,
    `UPDATE network_accounts SET state = 'paused', state_reason = 'The workspace has the same account twice since a merge.'
     WHERE workspace_id = $from AND state = 'active' AND connector IN ('unipile', 'linkedapi') AND EXISTS
       (SELECT 1 FROM network_accounts AS other WHERE other.workspace_id = $into
        AND other.connector = network_accounts.connector
        AND other.connector_settings = network_accounts.connector_settings)`,
    moved("network_accounts"),
  ],
  network_actions: [moved("network_actions")],
  campaigns: [moved("campaigns")],
  campaign_enrollments: [moved("campaign_enrollments")],
  saved_searches: [moved("saved_searches")],
  voice_clones: [moved("voice_clones")],
  webhook_endpoints: [movedOwner("webhook_endpoints")],
  events: [movedOwner("events")],
  idempotent_requests: [movedOwner("idempotent_requests")],
  // History is not rewritten: the chain of hashes would break.
  audit_log: [],
};

/** Tables whose rows stay with the workspace that ends. */
export const keptTables: readonly string[] = ["audit_log"];

function moved(table: string): string {
  return `UPDATE ${table} SET workspace_id = $into WHERE workspace_id = $from`;
}

function movedOwner(table: string): string {
  return `UPDATE ${table} SET owner = $intoOwner WHERE owner = $fromOwner`;
}

/** Leaves behind what the other workspace has too. */
function unlessKnown(table: string, column: string, suffix: string): string {
  return `UPDATE OR IGNORE ${table} SET ${column} = $into${suffix} WHERE ${column} = $from${suffix}`;
}
