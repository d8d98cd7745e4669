/** Tables that are not copied, by engine, each with the reason. */
export const uncopiedTables: Readonly<Record<"sqlite" | "postgres", Readonly<Record<string, string>>>> = {
  sqlite: {
    schema_migrations: "each engine has its own migrations",
    backups_begun: "backups belong to the data directory that they were made from",
    idempotent_request_keys: "derived from idempotent_requests, and made anew",
    idempotent_request_keys_log: "part of idempotent_request_keys",
    inbox_words: "derived from messages and conversations, and made anew",
    inbox_words_config: "part of inbox_words",
    inbox_words_data: "part of inbox_words",
    inbox_words_idx: "part of inbox_words",
    lead_keys_log: "merged into lead_keys before",
    prospect_changes: "contained in the index of the directory before",
    rate_windows: "windows start anew, as after a day without requests",
    simulation: "a simulation is not copied",
    suppression_counts: "derived from suppressions, and counted anew",
  },
  postgres: {
    schema_migrations: "each engine has its own migrations",
    campaign_funnel_changes: "part of campaign_funnel",
    cluster_lead: "about running nodes",
    keys_version: "about what running nodes have cached",
    nodes: "about running nodes",
    prospect_blocks: "versions of the sets in prospect_postings, which start anew",
    prospect_changes: "folded into the index of the directory before",
    rate_counters: "windows start anew, as after a day without requests",
  },
};
