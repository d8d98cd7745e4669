import { and, eq, inArray, ne, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { PersonIdentity, PersonScope } from "../../../../features/privacy/model.ts";
import { suppressionKeysOfPerson } from "../../../../features/privacy/person-keys.ts";
import type { Condition, Match, OwnedTable } from "../../../../features/privacy/place-model.ts";
import type { PhoneRegion } from "../../../../platform/identity/phone.ts";
import { placeOfSeq } from "../../prospect-seq.ts";
import { networkAccounts } from "../network-tables.ts";
import { jobs, workspaces } from "../tables.ts";
import { voiceClones } from "../voice-tables.ts";
import { webhookEndpoints } from "../webhook-tables.ts";
import { isBytes } from "./place-rows.ts";
import { columnOf, type StoredPlace } from "./stored-places.ts";

/** What rows about the person are recognized by. */
export type PersonLists = PersonIdentity & { suppressions: Uint8Array[] };

export function listsOf(identity: PersonIdentity, region: PhoneRegion | null): PersonLists {
  return { ...identity, suppressions: suppressionKeysOfPerson(identity, region) };
}

/** The ID of the workspace that owns a row. */
export function ownerSql(place: StoredPlace): SQL {
  const { owner } = place;
  const column = columnOf(place, owner.column);
  switch (owner.kind) {
    case "workspaceId":
      return sql`${column}`;
    case "userNumber":
      return sql`(SELECT ${workspaces.id} FROM ${workspaces} WHERE ${workspaces.seq} = ${column})`;
    case "ownerOf":
      return ownersOfTables[owner.table](column);
    case "directoryEntry":
      throw new Error(`${place.table} has no numbers that contain the owner`);
  }
}

export function isInScope(place: StoredPlace, { workspaceId }: PersonScope): SQL | undefined {
  return workspaceId === null ? undefined : eq(ownerSql(place), workspaceId);
}

/** Whether a row is about the person; null counts as false. */
export function ownSql(place: StoredPlace, lists: PersonLists): SQL {
  return or(...place.own.map((match) => matchSql(place, match, lists))) ?? sql`false`;
}

/** Whether one of the texts of a row contains one of these strings, in lower case. Null: no row does. */
export function mentionSql(place: StoredPlace, needles: readonly string[]): SQL | null {
  if (place.texts.length === 0 || needles.length === 0) return null;
  const columns = place.texts.map((name) => columnOf(place, name));
  const conditions = [
    containsSql(columns.filter((column) => !isBytes(column)).map(textSql), needles),
    // Bytes that are not UTF-8 would fail the query, so all are compared in a form that any bytes have.
    containsSql(columns.filter(isBytes).map(escapedSql), needles.map(escaped)),
  ];
  return or(...conditions.filter((condition) => condition !== null)) ?? null;
}

/** Excludes the rows of a place that are never about a person. */
export function exceptSql(place: StoredPlace): SQL | undefined {
  return place.unless && isNot(place, place.unless);
}

const ownersOfTables: Record<OwnedTable, (column: PgColumn) => SQL> = {
  jobs: (column) => sql`(SELECT ${jobs.workspaceId} FROM ${jobs} WHERE ${jobs.id} = ${column})`,
  network_accounts: (column) =>
    sql`(SELECT ${networkAccounts.workspaceId} FROM ${networkAccounts} WHERE ${networkAccounts.seq} = ${column})`,
  voice_clones: (column) =>
    sql`(SELECT ${voiceClones.workspaceId} FROM ${voiceClones} WHERE ${voiceClones.id} = ${column})`,
  webhook_endpoints: (column) =>
    sql`(SELECT ${workspaces.id} FROM ${webhookEndpoints} JOIN ${workspaces}
      ON ${workspaces.seq} = ${webhookEndpoints.owner} WHERE ${webhookEndpoints.seq} = ${column})`,
};

function matchSql(place: StoredPlace, match: Match, lists: PersonLists): SQL | undefined {
  const { only, unless } = match;
  return and(isListed(place, match, lists), only && is(place, only), unless && isNot(place, unless));
}

function isListed(place: StoredPlace, { column: name, member, in: list }: Match, lists: PersonLists): SQL | undefined {
  const column = columnOf(place, name);
  if (list === "prospects" || list === "prospectNumbers") return isNumbered(place, column, lists.prospects);
  if (member !== undefined) return inArray(sql`${column} ->> ${sql.raw(`'${member}'`)}`, lists[list]);
  return inArray(column, lists[list]);
}

/** Whether a column is the number of one of these prospects in the directory of the row's owner. */
function isNumbered(place: StoredPlace, column: PgColumn, seqs: readonly number[]): SQL | undefined {
  const byOwner = Map.groupBy(seqs.map(placeOfSeq), ({ owner }) => owner);
  const conditions = [...byOwner].map(([owner, numbers]) =>
    and(
      inArray(
        column,
        numbers.map(({ number }) => number),
      ),
      eq(ownerNumberSql(place), owner),
    ),
  );
  return or(...conditions) ?? sql`false`;
}

function ownerNumberSql(place: StoredPlace): SQL {
  if (place.owner.kind === "userNumber") return sql`${columnOf(place, place.owner.column)}`;
  return sql`(SELECT ${workspaces.seq} FROM ${workspaces} WHERE ${workspaces.id} = ${ownerSql(place)})`;
}

const is = (place: StoredPlace, { column, is: value }: Condition): SQL => eq(columnOf(place, column), value);
const isNot = (place: StoredPlace, { column, is: value }: Condition): SQL => ne(columnOf(place, column), value);
const textSql = (column: PgColumn): SQL => sql`coalesce(${column}::text, '')`;
const escapedSql = (column: PgColumn): SQL => sql`coalesce(encode(${column}, 'escape'), '')`;

function containsSql(texts: readonly SQL[], needles: readonly string[]): SQL | null {
  if (texts.length === 0) return null;
  // The columns differ in collation. Byte by byte, no locale has letters of its own, such as the Turkish dotless i.
  const text = sql`lower((${sql.join([...texts], sql` || chr(10) || `)}) COLLATE "C")`;
  const patterns = needles.map((needle) => `%${needle.replaceAll(/[\\%_]/g, "\\$&")}%`);
  return sql`${text} LIKE ANY (ARRAY(SELECT value FROM json_array_elements_text(${JSON.stringify(patterns)}::json)))`;
}

/** As PostgreSQL's `encode(…, 'escape')` has it. */
function escaped(text: string): string {
  return [...Buffer.from(text)]
    .map((byte) => {
      if (byte === 0x5c) return "\\\\";
      return byte === 0 || byte > 0x7f ? `\\${byte.toString(8).padStart(3, "0")}` : String.fromCharCode(byte);
    })
    .join("");
}
