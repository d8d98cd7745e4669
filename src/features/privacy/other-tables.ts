/** Tables derived from another one: they hold hashes or words of its rows and lose them together with the row. */
const followers = {
  lead_keys: ["key", "lead"],
  lead_keys_log: ["n", "entries"],
  lead_tags: ["owner", "tag", "lead"],
  merged_leads: ["id", "lead_id"],
  inbox_words: ["scope", "words"],
  inbox_words_config: ["k", "v"],
  inbox_words_data: ["id", "block"],
  inbox_words_idx: ["segid", "term", "pgno"],
  lead_hints: ["key", "lead"],
  lead_import_created: ["job_id", "row", "lead", "leads", "created_at"],
  prospect_import_created: ["job_id", "row", "prospect", "prospects"],
  lead_import_note_keys: ["job_id", "key", "n"],
  enrichment_result_keys: ["key", "result"],
  // Numbers of prospects, which are never reused: of those paid for within 90 days, and of merged records.
  prospect_reveals: ["seq", "at"],
  prospect_aliases: ["seq", "into_seq"],
  // Facets (title, place, company size) and hashes; no names or addresses.
  prospect_changes: ["n", "owner", "number", "removed", "added", "keys"],
  prospect_terms: ["owner", "facet", "value", "id", "label", "prospects"],
  prospect_postings: ["place", "bits"],
  prospect_key_pages: ["place", "entries"],
};

/** Tables about users, settings, texts sent to many people, companies, and counts: nothing about a single person. */
const impersonal = {
  api_keys: [
    ...[
      "id",
      "workspace_id",
      "user_id",
      "name",
      "hash",
      "hint",
      "permissions",
      "expires_at",
      "expires_in_days",
      "is_active",
      "usage_count",
      "rate_limits",
      "allowed_networks",
    ],
    ...["last_used_at", "created_at", "updated_at", "requires_approval"],
  ],
  // Callers, and hashes of people who were exported or erased.
  audit_log: [
    ...["seq", "at", "action", "workspace_id", "via", "actor_id", "key_id", "key_name", "address", "user_agent"],
    ...["request_id", "target_type", "target_id", "details", "hash"],
  ],
  audit_end: ["only_one", "seq", "hash"],
  audit_start: ["only_one", "seq", "hash"],
  backups_begun: ["name"],
  campaign_earlier_steps: ["campaign_id", "first_step", "steps"],
  campaigns: [
    ...["id", "workspace_id", "name", "state", "steps", "account_ids", "settings", "version", "first_step"],
    ...["started_at", "created_at", "updated_at", "winners"],
  ],
  campaign_funnel: ["campaign_id", "mark", "day", "account_id", "step", "variant", "enrollments"],
  credit_balances: ["workspace_id", "balance"],
  credit_budgets: ["key_id", "monthly", "ceiling"],
  credit_key_months: ["key_id", "month", "used"],
  credit_reservations: ["id", "workspace_id", "request", "purpose", "key_id", "job_id", "held", "held_until"],
  enrichment_settings: ["workspace_id", "providers"],
  // Hashes of keys chosen by clients.
  idempotent_request_keys: ["key", "seq"],
  idempotent_request_keys_log: ["n", "entries"],
  key_usage: ["key_id", "day", "uses"],
  key_warnings: ["key_id", "expires_at"],
  lead_counts: ["owner", "status", "leads"],
  lead_hints_done: ["owner", "updated_at", "lead"],
  notification_reads: ["workspace_id", "user_id", "read_until", "also_read"],
  network_accounts: [
    ...["seq", "id", "workspace_id", "name", "connector", "connector_settings", "tier", "time_zone", "working_hours"],
    ...[
      "holidays",
      "caps",
      "warm_up",
      "spacing",
      "sessions",
      "jitter_percent",
      "state",
      "state_reason",
      "requires_approval",
    ],
    ...["withdraw_after_days", "member_id", "is_shared", "needs_plan", "queue_version", "messages_read_to"],
    ...["created_at", "updated_at"],
  ],
  network_meters: [
    ...["account", "meter", "frontier_at", "free_at", "cool_until", "cool_level", "cool_reason"],
    "cool_since",
  ],
  prospect_companies: ["owner", "key", "name_key", "content", "created_at", "updated_at"],
  prospect_directories: ["owner", "next_number", "prospects", "indexed_to", "changes_to", "key_runs", "rules"],
  provider_spending: ["provider", "month", "spent"],
  rate_windows: ["subject", "window", "started_at", "used"],
  schema_migrations: ["number", "name", "hash", "applied_at"],
  server_state: ["name", "value"],
  sessions: [
    ...["id", "hash", "key_id", "key_hash", "address", "user_agent", "created_at", "last_used_at", "expires_at"],
  ],
  sign_in_links: ["hash", "key_id", "key_hash", "created_at", "expires_at"],
  simulation: ["only_one", "seed", "now", "starts"],
  suppression_counts: ["owner", "kind", "entries"],
  invitations: [
    ...["id", "workspace_id", "email", "email_key", "role", "permissions", "hash", "invited_by", "created_at"],
    "expires_at",
  ],
  // To users. Notifications name no lead.
  mail_outbox: [
    ...["id", "dedupe", "kind", "user_id", "recipient", "subject", "body", "state", "tries", "due_at", "reason"],
    ...["created_at", "ended_at"],
  ],
  mail_preferences: ["user_id", "kinds", "updated_at"],
  mail_position: ["only_one", "event"],
  user_identities: ["id", "user_id", "issuer", "subject", "email", "created_at", "last_used_at"],
  members: ["workspace_id", "user_id", "role", "permissions", "is_active", "created_at", "updated_at"],
  users: [...["seq", "id", "email", "email_key", "name", "role", "time_zone", "is_active", "created_at", "updated_at"]],
  voice_artefacts: ["clone_id", "engine", "artefact"],
  voice_removals: ["id", "engine", "artefact", "failures", "retry_at"],
  webhook_endpoints: [
    ...["seq", "id", "owner", "url", "description", "types", "is_enabled", "disabled_at", "disabled_reason", "secret"],
    ...["old_secret", "old_secret_until", "since", "failures", "failing_since", "rests_until", "last_success_at"],
    ...["last_failure_at", "due_at", "created_at", "updated_at", "is_deleted"],
  ],
  webhook_position: ["event"],
  workspaces: ["seq", "id", "name", "time_zone", "created_at", "updated_at"],
};

/** Tables that are not places. Every column of the schema is listed here or in `places`. */
export const otherTables: Readonly<Record<string, readonly string[]>> = { ...followers, ...impersonal };
