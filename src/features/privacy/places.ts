/**
 * The register of personal data: where something may stand about the people whom users reach out to. Exports and
 * erasures go by it, and a test compares it with the schema, so that no column is added without a thought.
 */
export type Place = {
  name: string;
  table: string;
  /** Columns that name a row. */
  key: readonly string[];
  /** Columns that may tell of a person. */
  personal: readonly string[];
  /** The rest of the table. Exported as well, unless it is a blob. */
  others: readonly string[];
  /** SQL for the id of the user whose row it is, of a row `t`. */
  owner: string;
  /** SQL condition for rows that are about the person; null where rows can only mention somebody. */
  own: string | null;
  /** Personal columns that are looked through for mentions of anybody; empty where an index finds all there is. */
  texts: readonly string[];
  /**
   * What becomes of rows about the person. lead, prospect, action, suppression: by the rules of their feature. remove:
   * the row goes. Else columns are set to this SQL, and the row goes on to count.
   */
  erase: "lead" | "prospect" | "action" | "suppression" | "remove" | Readonly<Record<string, string>>;
  /** Of rows that only mention them the same becomes; else mentions are blotted out. */
  erasesMentions?: true;
};

// ?1 is a JSON object with lists: leadIds, profiles, emails, prospects, suppressions (hex).
const among = (list: string): string => `IN (SELECT value FROM json_each(?1, '$.${list}'))`;
const ownerBy = (seq: string): string => `(SELECT id FROM users WHERE seq = ${seq})`;
const ownerOfJob = "(SELECT user_id FROM jobs WHERE id = t.job_id)";

export const places: readonly Place[] = [
  {
    // First: what is about to be sent is canceled before anything else goes.
    name: "enrollments",
    table: "campaign_enrollments",
    key: ["id"],
    personal: ["lead_id", "profile_key"],
    others: [
      ...["campaign_id", "user_id", "account_id", "state", "reason", "at_step", "since_at", "wake_at", "job_id"],
      ...["connected_at", "replied_at", "version", "created_at", "updated_at"],
    ],
    owner: "t.user_id",
    own: `t.lead_id ${among("leadIds")} OR t.profile_key ${among("profiles")}`,
    texts: [],
    erase: {
      state: "iif(state = 'active', 'stopped', state)",
      reason: "iif(state = 'active', 'leadGone', reason)",
      wake_at: "NULL",
      version: "version + 1",
      // Two erased people of a campaign are still two.
      lead_id: "'erased-' || id",
      profile_key: "'erased'",
    },
  },
  {
    // They count against the caps of their account, so the rows stay.
    name: "actions",
    table: "network_actions",
    key: ["job_id"],
    personal: ["profile_url", "profile_key", "target_key", "message", "details", "lead_id", "reference"],
    others: [
      ...["seq", "user_id", "account", "action_type", "meter", "has_note", "enrollment_id", "campaign_id"],
      ...["campaign_step", "state", "pending_reason", "used", "slot_at", "not_before", "draw", "created_at"],
      ...["updated_at", "may_be_open", "carried_out_at"],
    ],
    owner: "t.user_id",
    own: `t.lead_id ${among("leadIds")} OR t.profile_key ${among("profiles")}`,
    texts: ["message", "details"],
    erase: "action",
  },
  {
    name: "leads",
    table: "leads",
    key: ["id"],
    personal: [
      ...["first_name", "last_name", "email", "company", "title", "phone", "network_url", "industry", "location"],
      ...["source", "notes", "tags", "custom_fields", "folded"],
    ],
    others: ["seq", "owner", "status", "version", "created_at", "updated_at"],
    owner: ownerBy("t.owner"),
    own: `t.id ${among("leadIds")}`,
    texts: ["title", "source", "notes", "tags", "custom_fields"],
    erase: "lead",
  },
  {
    // Not looked through for mentions: millions of rows of facts, none of them written by hand.
    name: "prospects",
    table: "prospects",
    key: ["seq"],
    personal: ["content", "keys", "lead_id"],
    others: ["created_at", "updated_at"],
    owner: ownerBy("t.seq >> 32"),
    own: `t.seq ${among("prospects")}`,
    texts: [],
    erase: "prospect",
  },
  {
    name: "contacts",
    table: "network_contacts",
    key: ["account", "profile_key"],
    personal: ["profile_key", "profile_url", "reference", "lead_id"],
    others: [
      "campaign_id",
      "relation",
      "invited_at",
      "withdrawn_at",
      "connected_at",
      "messaged_at",
      "replied_at",
      "updated_at",
    ],
    owner: "(SELECT user_id FROM network_accounts WHERE seq = t.account)",
    own: `t.profile_key ${among("profiles")}`,
    texts: [],
    erase: "remove",
  },
  {
    name: "enrichments",
    table: "enrichment_results",
    key: ["n"],
    personal: ["email", "network", "name", "fields"],
    others: ["owner", "asked", "at"],
    owner: ownerBy("t.owner"),
    own: `t.email ${among("emails")} OR t.network ${among("profiles")}`,
    texts: ["fields"],
    erase: "remove",
    erasesMentions: true,
  },
  {
    name: "emailVerdicts",
    table: "email_verdicts",
    key: ["owner", "key", "provider"],
    personal: ["key"],
    others: ["confidence", "at"],
    owner: ownerBy("t.owner"),
    own: `t.key IN (SELECT unhex(value) FROM json_each(?1, '$.suppressions'))`,
    texts: [],
    erase: "remove",
  },
  {
    name: "enrichmentItems",
    table: "enrichment_items",
    key: ["job_id", "n"],
    personal: ["input", "outcome"],
    others: [],
    owner: ownerOfJob,
    own: `t.input ->> '$.leadId' ${among("leadIds")}`,
    texts: ["input", "outcome"],
    erase: "remove",
    erasesMentions: true,
  },
  {
    name: "leadImportRows",
    table: "lead_import_rows",
    key: ["job_id", "row"],
    personal: ["lead_id", "errors"],
    others: ["outcome"],
    owner: ownerOfJob,
    own: `t.lead_id ${among("leadIds")}`,
    texts: ["errors"],
    erase: { lead_id: "NULL", errors: "'[]'" },
  },
  {
    name: "leadImportNotes",
    table: "lead_import_notes",
    key: ["job_id", "n"],
    personal: ["lead_id", "texts"],
    others: ["lead"],
    owner: ownerOfJob,
    own: `t.lead_id ${among("leadIds")}`,
    texts: ["texts"],
    erase: "remove",
    erasesMentions: true,
  },
  {
    name: "prospectImportRows",
    table: "prospect_import_rows",
    key: ["job_id", "row"],
    personal: ["prospect", "errors"],
    others: ["outcome"],
    owner: ownerOfJob,
    own: `t.prospect IS NOT NULL AND ((SELECT seq FROM users WHERE id = ${ownerOfJob}) << 32) + t.prospect ${among("prospects")}`,
    texts: ["errors"],
    erase: { prospect: "NULL", errors: "'[]'" },
  },
  {
    // Jobs of the person's own actions are emptied with these.
    name: "jobs",
    table: "jobs",
    key: ["id"],
    personal: ["message", "edited_message", "metadata", "payload"],
    others: [
      ...["user_id", "type", "status", "run_at", "attempt", "failures", "max_attempts", "lease_until", "progress"],
      ...["created_at", "updated_at", "completed_at"],
    ],
    owner: "t.user_id",
    own: null,
    texts: ["message", "edited_message", "metadata", "payload"],
    erase: "remove",
  },
  {
    name: "savedSearches",
    table: "saved_searches",
    key: ["id"],
    personal: ["name", "filters"],
    others: ["user_id", "source", "created_at", "updated_at"],
    owner: "t.user_id",
    own: null,
    texts: ["name", "filters"],
    erase: "remove",
  },
  {
    // A voice is its speaker's, known by name only, and goes with the clone. Whoever made it may have noted an address.
    name: "voices",
    table: "voice_clones",
    key: ["id"],
    personal: ["name", "description", "labels", "consent"],
    others: [
      ...["user_id", "settings", "is_active", "engine", "quality", "job_id", "trained_at", "created_at", "updated_at"],
    ],
    owner: "t.user_id",
    own: null,
    texts: ["name", "description", "labels", "consent"],
    erase: "remove",
  },
  {
    name: "voiceSamples",
    table: "voice_samples",
    key: ["id"],
    personal: ["file_name"],
    others: ["clone_id", "format", "bytes", "sha256", "has_original", "derived_bytes", "quality", "created_at"],
    owner: "(SELECT user_id FROM voice_clones WHERE id = t.clone_id)",
    own: null,
    texts: ["file_name"],
    erase: "remove",
  },
  {
    // Of requests with an Idempotency-Key, for a day. That a request was carried out is known on, not what it answered.
    name: "answers",
    table: "idempotent_requests",
    key: ["seq"],
    personal: ["body"],
    others: ["id", "owner", "started_at", "fingerprint", "bytes", "status", "headers"],
    owner: ownerBy("t.owner"),
    own: null,
    texts: ["body"],
    erase: { body: "NULL" },
    erasesMentions: true,
  },
  {
    // Behind all that leaves events when it goes. They keep their numbers, by which streams and webhooks go on.
    name: "events",
    table: "events",
    key: ["seq"],
    personal: ["lead_id", "data"],
    others: ["owner", "type", "at", "job_id", "campaign_id", "account_id", "voice_id"],
    owner: ownerBy("t.owner"),
    // Receivers are still to be told which lead is gone: a number that means nothing any more.
    // A reply may come from a person who is no lead.
    own: `(t.lead_id ${among("leadIds")} AND t.type <> 'lead.deleted')
      OR (t.type = 'message.replied' AND t.data ->> '$.profileUrl' ${among("profiles")})`,
    texts: ["data"],
    erase: { lead_id: "NULL", data: "'{}'" },
  },
  {
    // What receivers answered may quote what they were told.
    name: "deliveries",
    table: "webhook_deliveries",
    key: ["endpoint", "event"],
    personal: ["attempts"],
    others: ["state", "next_at", "tries", "asked_at"],
    owner: ownerBy("(SELECT owner FROM webhook_endpoints WHERE seq = t.endpoint)"),
    own: null,
    texts: ["attempts"],
    erase: "remove",
  },
  {
    // Amounts stay.
    name: "credits",
    table: "credit_ledger",
    key: ["id"],
    personal: ["note"],
    others: ["user_id", "kind", "amount", "created_at", "purpose", "request", "item", "key_id"],
    owner: "t.user_id",
    own: null,
    texts: ["note"],
    erase: "remove",
  },
  {
    // The hash stays, so that nobody contacts the person after all.
    name: "suppressions",
    table: "suppressions",
    key: ["id"],
    personal: ["key", "value", "reason"],
    others: ["seq", "owner", "kind", "source", "created_at"],
    owner: ownerBy("t.owner"),
    own: `t.key IN (SELECT unhex(value) FROM json_each(?1, '$.suppressions'))`,
    texts: [],
    erase: "suppression",
  },
];

/** Tables that follow another one: they hold hashes or words of its rows and lose them with these. */
const followers = {
  lead_keys: ["key", "lead"],
  lead_keys_log: ["n", "entries"],
  lead_tags: ["owner", "tag", "lead"],
  lead_hints: ["key", "lead"],
  lead_import_created: ["job_id", "row", "lead", "leads", "created_at"],
  prospect_import_created: ["job_id", "row", "prospect", "prospects"],
  lead_import_note_keys: ["job_id", "key", "n"],
  enrichment_result_keys: ["key", "result"],
  // Numbers of prospects, which are never given again: for a repeat within 90 days, and of records that became one.
  prospect_reveals: ["seq", "at"],
  prospect_aliases: ["seq", "into_seq"],
  // Facets (title, place, company size) and hashes, without names and addresses.
  prospect_changes: ["n", "owner", "number", "removed", "added", "keys"],
  prospect_terms: ["owner", "facet", "value", "id", "label", "prospects"],
  prospect_postings: ["place", "bits"],
  prospect_key_pages: ["place", "entries"],
};

/** Tables about users, their settings, texts to many, companies, and what is counted: nothing of one person. */
const impersonal = {
  api_keys: [
    ...[
      "id",
      "user_id",
      "name",
      "hash",
      "hint",
      "permissions",
      "expires_at",
      "expires_in_days",
      "is_active",
      "usage_count",
    ],
    ...["last_used_at", "created_at", "updated_at", "requires_approval"],
  ],
  // Callers, and hashes of those who were exported or erased.
  audit_log: [
    ...["seq", "at", "action", "user_id", "via", "actor_id", "key_id", "key_name", "address", "user_agent"],
    ...["request_id", "target_type", "target_id", "details", "hash"],
  ],
  audit_end: ["only_one", "seq", "hash"],
  audit_start: ["only_one", "seq", "hash"],
  backups_begun: ["name"],
  campaigns: [
    ...["id", "user_id", "name", "state", "steps", "account_ids", "settings", "started_at", "created_at"],
    "updated_at",
  ],
  credit_balances: ["user_id", "balance"],
  credit_budgets: ["key_id", "monthly", "ceiling"],
  credit_key_months: ["key_id", "month", "used"],
  credit_reservations: ["id", "user_id", "request", "purpose", "key_id", "job_id", "held", "held_until"],
  enrichment_settings: ["user_id", "providers"],
  // Hashes of keys that clients made up.
  idempotent_request_keys: ["key", "seq"],
  idempotent_request_keys_log: ["n", "entries"],
  key_warnings: ["key_id", "expires_at"],
  lead_counts: ["owner", "status", "leads"],
  lead_hints_done: ["owner", "updated_at", "lead"],
  network_accounts: [
    ...["seq", "id", "user_id", "name", "connector", "connector_settings", "tier", "time_zone", "working_hours"],
    ...["caps", "warm_up", "spacing", "sessions", "jitter_percent", "state", "state_reason", "requires_approval"],
    ...["withdraw_after_days", "needs_plan", "queue_version", "created_at", "updated_at"],
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
  sessions: ["hash", "key_id", "key_hash", "created_at", "expires_at"],
  sign_in_links: ["hash", "key_id", "key_hash", "created_at", "expires_at"],
  simulation: ["only_one", "seed", "now", "starts"],
  suppression_counts: ["owner", "kind", "entries"],
  users: ["seq", "id", "email", "name", "role", "time_zone", "created_at", "updated_at"],
  voice_artefacts: ["clone_id", "engine", "artefact"],
  voice_removals: ["id", "engine", "artefact", "failures", "retry_at"],
  webhook_endpoints: [
    ...["seq", "id", "owner", "url", "description", "types", "is_enabled", "disabled_at", "disabled_reason", "secret"],
    ...["old_secret", "old_secret_until", "since", "failures", "failing_since", "rests_until", "last_success_at"],
    ...["last_failure_at", "due_at", "created_at", "updated_at", "is_deleted"],
  ],
  webhook_position: ["event"],
};

/** Tables that are no places of their own. Every column of the schema is here or in `places`. */
export const otherTables: Readonly<Record<string, readonly string[]>> = { ...followers, ...impersonal };
