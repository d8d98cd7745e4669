import type { Condition, Match, OwnedTable, Owner, Place } from "../../../../features/privacy/place-model.ts";

/** The ID of the user who owns a row of the place, named `t`. */
export function ownerSql(owner: Owner): string {
  const column = `t.${owner.column}`;
  switch (owner.kind) {
    case "workspaceId":
      return column;
    case "userNumber":
      return userByNumber(column);
    case "directoryEntry":
      return userByNumber(`${column} >> 32`);
    case "ownerOf":
      return `(SELECT ${ownersOfTables[owner.table]} = ${column})`;
  }
}

/** Whether a row, named `t`, is about the person whose identifiers are the lists in ?1, a JSON object. */
export function ownSql({ own, owner }: Place): string {
  return own.length === 0 ? "0" : `(${own.map((match) => matchSql(match, owner)).join(" OR ")})`;
}

/** Excludes the rows of a place, named `t`, that are never about a person. */
export function exceptSql({ unless }: Place): string {
  return unless === undefined ? "" : ` AND t.${unless.column} <> '${unless.is}'`;
}

/** A value of a list in ?1. */
export function among(list: string): string {
  return `IN (SELECT value FROM json_each(?1, '$.${list}'))`;
}

/** From the end of a query that selects the user's ID: the column that the value is compared with. */
const ownersOfTables: Record<OwnedTable, string> = {
  jobs: "workspace_id FROM jobs WHERE id",
  network_accounts: "workspace_id FROM network_accounts WHERE seq",
  voice_clones: "workspace_id FROM voice_clones WHERE id",
  webhook_endpoints:
    "workspaces.id FROM webhook_endpoints JOIN workspaces ON workspaces.seq = owner WHERE webhook_endpoints.seq",
};

function matchSql({ column, member, in: list, only, unless }: Match, owner: Owner): string {
  const value = member === undefined ? `t.${column}` : `t.${column} ->> '$.${member}'`;
  const conditions = [
    membershipSql(value, list, owner),
    ...(only === undefined ? [] : [conditionSql(only, "=")]),
    ...(unless === undefined ? [] : [conditionSql(unless, "<>")]),
  ];
  return conditions.length === 1 ? conditions[0]! : `(${conditions.join(" AND ")})`;
}

function membershipSql(value: string, list: Match["in"], owner: Owner): string {
  // Hashes are blobs; JSON has them in hexadecimal.
  if (list === "suppressions") return `${value} IN (SELECT unhex(value) FROM json_each(?1, '$.suppressions'))`;
  if (list !== "prospectNumbers") return `${value} ${among(list)}`;
  const directory = `(SELECT seq FROM workspaces WHERE id = ${ownerSql(owner)}) << 32`;
  return `(${value} IS NOT NULL AND (${directory}) + ${value} ${among("prospects")})`;
}

function conditionSql({ column, is }: Condition, operator: "=" | "<>"): string {
  return `t.${column} ${operator} '${is}'`;
}

function userByNumber(number: string): string {
  return `(SELECT id FROM workspaces WHERE seq = ${number})`;
}
