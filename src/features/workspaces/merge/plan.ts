import type { MergedKind } from "./model.ts";

/**
 * What a merge does with the rows of a table.
 *
 * - `decide`: each is decided about by a rule of decisions.ts.
 * - `move`: they change their workspace.
 * - `moveUnlessKnown`: those that the remaining workspace has too are deleted; its own stay.
 * - `moveNewer`: of two for the same, the newer one stays.
 * - `add`: numbers of both are added.
 * - `learn`: they are deleted in both workspaces, because the server derives them from the others.
 * - `keep`: they stay with the workspace that ends.
 */
export type MergePolicy = "decide" | "move" | "moveUnlessKnown" | "moveNewer" | "add" | "learn" | "keep";

/**
 * The tables with rows of a workspace, in the order in which they are merged. Both engines have them. Prospects, and
 * what an engine derives from other tables, are stored differently in each.
 */
export const mergePlan = {
  // Moving them changes other tables, which come later.
  leads: "decide",
  enrichment_results: "decide",
  lead_tags: "moveUnlessKnown",
  lead_hints_done: "learn",
  suppressions: "moveUnlessKnown",
  email_verdicts: "moveNewer",
  enrichment_settings: "moveUnlessKnown",
  credit_ledger: "decide",
  credit_reservations: "decide",
  credit_balances: "add",
  jobs: "decide",
  members: "decide",
  // After members: who is one needs no invitation.
  invitations: "decide",
  notification_reads: "moveUnlessKnown",
  api_keys: "move",
  network_accounts: "decide",
  network_actions: "move",
  conversations: "move",
  messages: "move",
  snippets: "moveUnlessKnown",
  campaigns: "move",
  campaign_enrollments: "move",
  saved_searches: "move",
  lead_views: "move",
  voice_clones: "move",
  webhook_endpoints: "move",
  events: "move",
  idempotent_requests: "move",
  // The past is not rewritten: the chain of hashes would break.
  audit_log: "keep",
} as const satisfies Record<string, MergePolicy>;
export type MergedTable = keyof typeof mergePlan;

/** Kinds of which an engine counts the rows before and afterwards, with their tables. */
export const countedTables = {
  doNotContact: "suppressions",
  networkAccounts: "network_accounts",
  campaigns: "campaigns",
  voices: "voice_clones",
  savedSearches: "saved_searches",
  webhooks: "webhook_endpoints",
  members: "members",
  invitations: "invitations",
  keys: "api_keys",
  jobs: "jobs",
  events: "events",
} as const satisfies Partial<Record<MergedKind, MergedTable>>;
export type CountedKind = keyof typeof countedTables;
