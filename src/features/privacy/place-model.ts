/**
 * The register of personal data: where the people whom users contact may be mentioned. Exports and erasures follow it;
 * storage engines generate their queries from it. A test compares it with the schema, so that no column is added without
 * deciding what it may say about a person.
 */
export type Place = {
  name: string;
  table: string;
  /** Columns that identify a row. */
  key: readonly string[];
  /** Columns that may contain personal data. */
  personal: readonly string[];
  /** The other columns of the table. Exported as well, except for blobs. */
  others: readonly string[];
  owner: Owner;
  /** Rows that match any of these are about the person; if there are none, rows can only mention people. */
  own: readonly Match[];
  /** Personal columns that are searched for mentions of anyone; empty where indexes find everything. */
  texts: readonly string[];
  /** Rows that are never about a person and never mention anyone. */
  unless?: Condition;
  erase: Erasure;
  /** Rows that only mention the person are erased in the same way; otherwise, the mentions are redacted. */
  erasesMentions?: true;
};

/**
 * The user a row belongs to: the one with this ID or number, the owner of a directory entry, or the owner of the row of
 * another table that the column refers to.
 */
export type Owner =
  | { kind: "workspaceId" | "userNumber" | "directoryEntry"; column: string }
  | { kind: "ownerOf"; table: OwnedTable; column: string };
export type OwnedTable = "jobs" | "network_accounts" | "voice_clones" | "webhook_endpoints";

/**
 * Rows whose column, or the member of the JSON object in it, is one of the person's identifiers. `suppressions`: hashes
 * as in the do-not-contact list; `prospectNumbers`: numbers of directory entries of the row's owner.
 */
export type Match = {
  column: string;
  member?: string;
  in: "leadIds" | "profiles" | "emails" | "prospects" | "prospectNumbers" | "suppressions";
  only?: Condition;
  unless?: Condition;
};

/** The column has this value. */
export type Condition = { column: string; is: string };

export type Values = Readonly<Record<string, string | number | null>>;

/**
 * What erasing a row means. lead, prospect, action, suppression: the rules of that feature apply. remove: the row is
 * deleted. Otherwise, these columns are overwritten, and the row continues to count.
 */
export type Erasure = "lead" | "prospect" | "action" | "suppression" | "remove" | Values | ((row: Values) => Values);
