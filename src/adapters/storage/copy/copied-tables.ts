import { copiedDirectories } from "./copied-directories.ts";
import { copied, type CopiedTable } from "./copied-table.ts";

// Every table that both engines have, in the order of loading: rows that others refer to come first. A test compares this
// list with the tables of both engines, so a new table or column must be named here, or in `uncopied-tables.ts`.

const people: CopiedTable[] = [
  copied("workspaces", "seq", { text: "id name time_zone", whole: "seq created_at updated_at" }),
  copied("users", "seq", {
    text: "id email email_key name role time_zone",
    whole: "seq created_at updated_at",
    flag: "is_active",
  }),
  copied("members", "workspace_id user_id", {
    text: "workspace_id user_id role",
    object: "permissions",
    flag: "is_active",
    whole: "created_at updated_at",
  }),
  copied("notification_reads", "workspace_id user_id", {
    text: "workspace_id user_id",
    whole: "read_until",
    object: "also_read",
  }),
  copied("api_keys", "id", {
    text: "id workspace_id user_id name hash hint",
    object: "permissions rate_limits allowed_networks",
    flag: "requires_approval is_active",
    whole: "expires_at expires_in_days usage_count last_used_at created_at updated_at",
  }),
  copied("key_usage", "key_id day", { text: "key_id", whole: "day uses" }),
  copied("key_warnings", "key_id", { text: "key_id", whole: "expires_at" }),
  copied("sessions", "id", {
    text: "id hash key_id key_hash address user_agent",
    whole: "created_at last_used_at expires_at",
  }),
  copied("sign_in_links", "hash", { text: "hash key_id key_hash", whole: "created_at expires_at" }),
  copied("user_identities", "id", { text: "id user_id issuer subject email", whole: "created_at last_used_at" }),
  copied("mail_outbox", "id", {
    text: "id dedupe kind user_id recipient subject body state reason",
    whole: "tries due_at created_at ended_at",
  }),
  copied("mail_preferences", "user_id", { text: "user_id", object: "kinds", whole: "updated_at" }),
  copied("invitations", "id", {
    text: "id workspace_id email email_key role hash invited_by",
    object: "permissions",
    whole: "created_at expires_at",
  }),
  copied("audit_log", "seq", {
    whole: "seq at",
    text: `action workspace_id via actor_id key_id key_name address user_agent request_id target_type target_id`,
    json: "details",
    bytes: "hash",
  }),
  copied("audit_start", "only_one", { whole: "only_one seq", bytes: "hash" }),
  copied("audit_end", "only_one", { whole: "only_one seq", bytes: "hash" }),
];

const eventColumns = "owner, at, type, lead_id, job_id, campaign_id, account_id, voice_id, actor_id, data";
/** In PostgreSQL, events get their positions after they are committed (`event-numbers.ts`). These are those that they get. */
const numberedEvents = `(SELECT position, ${eventColumns} FROM events WHERE position IS NOT NULL
  UNION ALL SELECT (SELECT event FROM event_positions WHERE name = 'numbered') + row_number() OVER (ORDER BY id),
    ${eventColumns} FROM events WHERE position IS NULL) AS numbered`;
/** How much the last position rises by that; 0 for other positions. */
const pendingEvents = "CASE name WHEN 'numbered' THEN (SELECT count(*) FROM events WHERE position IS NULL) ELSE 0 END";

const jobs: CopiedTable[] = [
  copied("jobs", "id", {
    text: "id workspace_id type status message edited_message user_id",
    whole: "run_at attempt failures max_attempts lease_until created_at updated_at completed_at",
    real: "progress",
    object: "metadata payload",
  }),
  copied(
    "events",
    "position",
    {
      whole: "position owner at",
      text: "type lead_id job_id campaign_id account_id voice_id actor_id",
      object: "data",
    },
    {
      sqlite: {
        read: { position: "seq" },
        order: ["seq"],
        write: {
          ...{ seq: "$position", owner: "$owner", at: "$at", type: "$type", lead_id: "$lead_id", job_id: "$job_id" },
          ...{ campaign_id: "$campaign_id", account_id: "$account_id", voice_id: "$voice_id", actor_id: "$actor_id" },
          data: "$data",
        },
      },
      postgres: { from: numberedEvents, own: { id: "numbered in the order of positions" } },
    },
  ),
  copied(
    "event_positions",
    "name",
    { text: "name", whole: "event" },
    {
      sqlite: {
        table: "webhook_position",
        from: `(SELECT 'numbered' AS name, seq AS event FROM sqlite_sequence WHERE name = 'events'
          UNION ALL SELECT 'webhooks', event FROM webhook_position) AS positions`,
        where: "event > 0",
        statements: [
          "DELETE FROM sqlite_sequence WHERE name = 'events' AND $name = 'numbered' AND $event > 0",
          "INSERT INTO sqlite_sequence (name, seq) SELECT 'events', $event WHERE $name = 'numbered'",
          "UPDATE webhook_position SET event = $event WHERE $name = 'webhooks'",
        ],
        write: { event: "$event" },
      },
      postgres: { read: { event: `event + ${pendingEvents}` }, where: `event + ${pendingEvents} > 0` },
    },
  ),
  copied(
    "server_state",
    "name",
    { text: "name", object: "value" },
    {
      // Others are about the engine itself.
      sqlite: { where: "name IN ('clock', 'maintenance')" },
      postgres: { where: "name IN ('clock', 'maintenance')" },
    },
  ),
  copied(
    "idempotent_requests",
    "id",
    {
      bytes: "id fingerprint body",
      whole: "owner started_at bytes status",
      object: "headers",
      flag: "is_encrypted",
    },
    {
      sqlite: {
        // A repeated request may have several rows, of which the newest counts.
        prepare: [
          "CREATE TEMP TABLE newest_requests (seq INTEGER PRIMARY KEY)",
          "INSERT INTO newest_requests SELECT max(seq) FROM idempotent_requests GROUP BY id",
        ],
        from: "newest_requests CROSS JOIN idempotent_requests USING (seq)",
        read: { body: "CAST(body AS BLOB)", is_encrypted: "typeof(body) = 'blob'" },
        order: ["newest_requests.seq"],
        write: {
          ...{ id: "$id", fingerprint: "$fingerprint", owner: "$owner", started_at: "$started_at", bytes: "$bytes" },
          ...{ status: "$status", headers: "$headers" },
          body: "CASE WHEN $is_encrypted THEN $body ELSE CAST($body AS TEXT) END",
        },
        own: { seq: "numbered in the order of the start" },
      },
      postgres: {
        order: ["started_at", "id"],
        own: { attempt: "random", node: "null: no node executes a request during a copy" },
        defaults: { attempt: "gen_random_uuid()" },
      },
    },
  ),
];

/** In SQLite, keys and tags may outlive their lead. The numbers of leads alone fit in memory, unlike their table. */
const ofLeads = {
  prepare: [
    "CREATE TEMP TABLE IF NOT EXISTS lead_numbers (seq INTEGER PRIMARY KEY)",
    "INSERT OR IGNORE INTO lead_numbers SELECT seq FROM leads",
  ],
  where: "EXISTS (SELECT 1 FROM lead_numbers WHERE lead_numbers.seq = lead)",
};

const leads: CopiedTable[] = [
  copied("lead_views", "id", {
    text: "id workspace_id owner_id name sort",
    object: "filters columns",
    whole: "created_at updated_at",
  }),
  copied("leads", "seq", {
    whole: "seq owner version created_at updated_at",
    text: `id first_name last_name email company title phone network_url industry location source notes status folded
      assigned_to`,
    object: "tags",
    json: "custom_fields",
  }),
  copied("merged_leads", "id", { text: "id lead_id" }),
  copied("lead_keys", "key lead", { whole: "key lead" }, { sqlite: ofLeads }),
  copied("lead_tags", "owner tag lead", { whole: "owner lead", text: "tag" }, { sqlite: ofLeads }),
  copied(
    "lead_counts",
    "owner status",
    { whole: "owner leads", text: "status" },
    {
      sqlite: { where: "leads <> 0" },
      postgres: {
        from: `(SELECT owner, status, sum(leads)::bigint AS leads FROM lead_counts GROUP BY owner, status) AS totals`,
        where: "leads <> 0",
        own: { n: "numbered as they are loaded" },
      },
    },
  ),
  copied("lead_hints", "key lead", { whole: "key lead" }),
  copied("lead_hints_done", "owner", { whole: "owner updated_at lead" }),
  copied("lead_import_rows", "job_id row", { text: "job_id outcome lead_id", whole: "row", object: "errors" }),
  copied("lead_import_created", "job_id row", { text: "job_id", whole: "row lead leads created_at" }),
  copied("lead_import_notes", "job_id n", { text: "job_id lead_id", whole: "n lead", object: "texts" }),
  copied("lead_import_note_keys", "job_id key n", { text: "job_id", whole: "key n" }),
  copied("suppressions", "seq", {
    whole: "seq owner created_at",
    text: "id kind value reason source",
    bytes: "key",
  }),
];

const network: CopiedTable[] = [
  copied("network_accounts", "seq", {
    whole: "seq jitter_percent withdraw_after_days queue_version messages_read_to created_at updated_at",
    text: "id workspace_id name connector tier time_zone state state_reason member_id",
    object: "connector_settings working_hours holidays caps warm_up spacing sessions",
    flag: "requires_approval is_shared needs_plan",
  }),
  copied("network_actions", "seq", {
    whole: "seq account meter campaign_step used slot_at not_before created_at updated_at carried_out_at",
    text: `job_id workspace_id action_type profile_url profile_key target_key message lead_id enrollment_id campaign_id
      state pending_reason reference`,
    flag: "has_note may_be_open is_urgent",
    object: "details",
    real: "draw",
  }),
  copied("network_contacts", "account profile_key", {
    whole: "account invited_at withdrawn_at connected_at messaged_at replied_at updated_at",
    text: "profile_key profile_url relation reference lead_id campaign_id",
  }),
  copied("network_meters", "account meter", {
    whole: "account meter frontier_at free_at cool_until cool_level cool_since",
    text: "cool_reason",
  }),
  copied(
    "conversations",
    "seq",
    {
      whole: "seq account unread read_to snoozed_until last_at received_at created_at updated_at",
      text: "id workspace_id profile_key profile_url person_name lead_id assigned_to label last_state last_text",
    },
    { postgres: { own: { search: "derived from the name" } } },
  ),
  copied(
    "messages",
    "seq",
    {
      whole: "seq conversation at created_at",
      text: "id workspace_id profile_key kind state text user_id",
    },
    { postgres: { own: { search: "derived from the text" } } },
  ),
  copied("snippets", "id", { text: "id workspace_id name text", whole: "created_at updated_at" }),
  copied("campaigns", "id", {
    text: "id workspace_id name state",
    json: "steps",
    object: "account_ids settings winners",
    whole: "version first_step started_at created_at updated_at",
  }),
  copied("campaign_earlier_steps", "campaign_id first_step", {
    text: "campaign_id",
    json: "steps",
    whole: "first_step",
  }),
  copied("campaign_enrollments", "id", {
    text: "id campaign_id workspace_id lead_id account_id profile_key state reason job_id",
    object: "variants trail",
    whole: "at_step since_at wake_at connected_at replied_at interested_at version created_at updated_at",
  }),
];

const funnel: CopiedTable = copied(
  "campaign_funnel",
  "campaign_id mark day account_id step variant",
  { text: "campaign_id mark account_id variant", whole: "day step enrollments" },
  {
    postgres: {
      from: `(SELECT campaign_id, mark, day, account_id, step, variant, sum(enrollments)::bigint AS enrollments FROM (
        SELECT campaign_id, mark, day, account_id, step, variant, enrollments FROM campaign_funnel
        UNION ALL SELECT campaign_id, mark, day, account_id, step, variant, enrollments FROM campaign_funnel_changes
      ) AS changes GROUP BY campaign_id, mark, day, account_id, step, variant) AS totals`,
    },
  },
);

const credits: CopiedTable[] = [
  copied(
    "credit_ledger",
    "seq",
    {
      whole: "seq amount created_at",
      text: "id workspace_id kind note purpose request item key_id",
    },
    {
      sqlite: {
        read: { seq: "rowid" },
        order: ["rowid"],
        write: {
          ...{ rowid: "$seq", amount: "$amount", created_at: "$created_at", id: "$id", workspace_id: "$workspace_id" },
          ...{ kind: "$kind", note: "$note", purpose: "$purpose", request: "$request", item: "$item" },
          key_id: "$key_id",
        },
      },
    },
  ),
  copied("credit_balances", "workspace_id", { text: "workspace_id", whole: "balance" }),
  copied("credit_key_months", "key_id month", { text: "key_id", whole: "month used" }),
  copied("credit_budgets", "key_id", { text: "key_id", whole: "monthly ceiling" }),
  copied("credit_reservations", "id", {
    text: "id workspace_id request purpose key_id job_id",
    whole: "held held_until",
  }),
  copied("enrichment_results", "n", { whole: "n owner at", text: "email network name", json: "asked fields" }),
  copied("enrichment_result_keys", "key result", { whole: "key result" }),
  copied("enrichment_items", "job_id n", { text: "job_id", whole: "n", json: "input outcome" }),
  copied("enrichment_settings", "workspace_id", { text: "workspace_id", object: "providers" }),
  copied("provider_spending", "provider month", { text: "provider", whole: "month", real: "spent" }),
  copied("email_verdicts", "owner key provider", {
    whole: "owner at",
    bytes: "key",
    text: "provider",
    real: "confidence",
  }),
];

const voices: CopiedTable[] = [
  copied("voice_clones", "id", {
    text: "id workspace_id name description engine job_id",
    json: "labels settings consent quality",
    flag: "is_active",
    whole: "trained_at created_at updated_at",
  }),
  copied("voice_samples", "id", {
    text: "id clone_id file_name format sha256",
    whole: "bytes derived_bytes created_at",
    flag: "has_original",
    json: "quality",
  }),
  copied("voice_artefacts", "clone_id", { text: "clone_id engine artefact" }),
  copied("voice_removals", "id", { whole: "id failures retry_at", text: "engine artefact" }),
];

const webhooks: CopiedTable[] = [
  copied("webhook_endpoints", "seq", {
    whole: `seq owner disabled_at old_secret_until since failures failing_since rests_until last_success_at
      last_failure_at due_at created_at updated_at`,
    text: "id url description disabled_reason secret old_secret",
    object: "types",
    flag: "is_enabled is_deleted",
  }),
  copied("webhook_deliveries", "endpoint event", {
    whole: "endpoint event next_at asked_at tries",
    text: "state",
    object: "attempts",
  }),
];

export const copiedTables: readonly CopiedTable[] = [
  ...people,
  ...jobs,
  ...leads,
  ...network,
  funnel,
  ...credits,
  ...voices,
  ...webhooks,
  ...copiedDirectories,
];
