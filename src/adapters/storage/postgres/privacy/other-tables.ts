import { otherTables as registered } from "../../../../features/privacy/other-tables.ts";

/** Tables that differ, or that only this engine has: counts, positions, and hashes. */
const different = {
  campaign_funnel_changes: ["n", "campaign_id", "mark", "day", "account_id", "step", "variant", "enrollments"],
  cluster_lead: ["only_one", "holder", "until"],
  event_positions: ["name", "event"],
  keys_version: ["only_one", "version"],
  lead_counts: ["n", "owner", "status", "leads"],
  nodes: [
    ...["id", "host", "pid", "role", "state", "version", "files", "started_at", "seen_at", "clock_ahead_ms"],
    ...["keys_version", "pool"],
  ],
  // Numbers of prospects, and hashes. Of changes: facets (title, place, company size), no names or addresses.
  prospect_aliases: ["owner", "number", "into_number"],
  prospect_blocks: ["owner", "block", "version"],
  prospect_changes: ["owner", "n", "terms"],
  prospect_directories: ["owner", "next_number", "last_change", "folded_to", "unfolded", "rules", "rebuilt_to"],
  prospect_keys: ["owner", "key", "number"],
  prospect_postings: ["owner", "term", "block", "bits"],
  prospect_reveals: ["owner", "number", "at"],
  rate_counters: [
    ...["subject", "minute_started_at", "minute_used", "hour_started_at", "hour_used", "day_started_at", "day_used"],
  ],
};

/** Tables that only the embedded engine has. */
const absent = [
  ...["inbox_words", "inbox_words_config", "inbox_words_data", "inbox_words_idx"],
  ...["backups_begun", "idempotent_request_keys", "idempotent_request_keys_log", "lead_keys_log", "prospect_key_pages"],
  ...["rate_windows", "simulation", "suppression_counts", "webhook_position"],
];

/** Tables that are not places, as this engine has them. Every column is listed here or in `storedPlaces`. */
export const otherTables: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries({ ...registered, ...different }).filter(([table]) => !absent.includes(table)),
);
