import { copied, type CopiedTable } from "./copied-table.ts";

/** In SQLite, the number of a prospect is in the lower 32 bits of its `seq`, and that of the owner above. */
const numbered = {
  read: { owner: "seq >> 32", number: "seq & 4294967295" },
  order: ["seq"],
  seq: "$owner * 4294967296 + $number",
};
const ownerOfJob =
  "(SELECT workspaces.seq FROM jobs JOIN workspaces ON workspaces.id = jobs.workspace_id WHERE jobs.id = $job_id)";

/**
 * Directories whose index in PostgreSQL is not complete, because changes wait to be folded into it, or it is being made
 * anew. A backup finds some, a copy none. Their index is not read, and made anew from the prospects when it is first used.
 */
const isUnfolded = "(last_change > folded_to OR rebuilt_to IS NOT NULL)";
const foldedOwners = `owner NOT IN (SELECT owner FROM prospect_directories WHERE ${isUnfolded})`;
/** Lower than those of any version. */
const noRules = 0;

/** Directories of prospects with their indexes; see `copied-tables.ts`. */
export const copiedDirectories: readonly CopiedTable[] = [
  copied(
    "prospect_directories",
    "owner",
    { whole: "owner next_number rules" },
    {
      sqlite: {
        own: {
          prospects: "counted",
          indexed_to: "all, because the index is copied complete",
          changes_to: "none",
          key_runs: "assigned with the pages of keys",
        },
      },
      postgres: {
        read: { rules: `CASE WHEN ${isUnfolded} THEN ${noRules} ELSE rules END` },
        own: {
          last_change: "none",
          folded_to: "none, because the index is copied complete or not at all",
          unfolded: "none",
          rebuilt_to: "null, because the index is copied complete",
        },
      },
    },
  ),
  copied(
    "prospects",
    "owner number",
    { whole: "owner number created_at updated_at", text: "content lead_id" },
    {
      sqlite: {
        read: numbered.read,
        order: numbered.order,
        write: {
          ...{ seq: numbered.seq, content: "$content", lead_id: "$lead_id", created_at: "$created_at" },
          ...{ updated_at: "$updated_at", keys: "x''" },
        },
      },
    },
  ),
  copied(
    "prospect_aliases",
    "owner number",
    { whole: "owner number into_number" },
    {
      sqlite: {
        read: { ...numbered.read, into_number: "into_seq & 4294967295" },
        order: numbered.order,
        write: { seq: numbered.seq, into_seq: "$owner * 4294967296 + $into_number" },
      },
    },
  ),
  copied(
    "prospect_reveals",
    "owner number",
    { whole: "owner number at" },
    { sqlite: { read: numbered.read, order: numbered.order, write: { seq: numbered.seq, at: "$at" } } },
  ),
  copied("prospect_companies", "owner key", {
    whole: "owner created_at updated_at",
    text: "key name_key content",
  }),
  copied(
    "prospect_keys",
    "owner key number",
    { whole: "owner key number" },
    {
      sqlite: { table: "prospect_key_pages", isKeyRuns: true, write: { place: "", entries: "" } },
      postgres: { where: foldedOwners },
    },
  ),
  copied(
    "prospect_terms",
    "owner facet value",
    { whole: "owner id prospects", text: "facet value label" },
    { postgres: { where: foldedOwners } },
  ),
  copied(
    "prospect_postings",
    "owner term block",
    { whole: "owner term block", bytes: "bits" },
    {
      sqlite: {
        prepare: [
          "CREATE TEMP TABLE term_owners (term INTEGER PRIMARY KEY, owner INTEGER NOT NULL)",
          "INSERT INTO term_owners SELECT id, owner FROM prospect_terms",
        ],
        from: "prospect_postings CROSS JOIN term_owners ON term = place >> 16",
        read: { block: "place & 65535" },
        order: ["place"],
        write: { place: "$term * 65536 + $block", bits: "$bits" },
      },
      postgres: { where: foldedOwners },
    },
  ),
  copied("prospect_import_rows", "job_id row", { text: "job_id outcome", whole: "row prospect", object: "errors" }),
  copied(
    "prospect_import_created",
    "job_id row",
    { text: "job_id", whole: "row prospect prospects" },
    {
      sqlite: {
        read: { prospect: "prospect & 4294967295" },
        write: {
          ...{ job_id: "$job_id", row: "$row", prospects: "$prospects" },
          prospect: `${ownerOfJob} * 4294967296 + $prospect`,
        },
      },
    },
  ),
  copied("saved_searches", "id", {
    text: "id workspace_id name source",
    object: "filters",
    whole: "created_at updated_at",
  }),
];
