import { and, asc, eq, or, sql, type SQL } from "drizzle-orm";
import type { PgColumn } from "drizzle-orm/pg-core";
import type { PersonRecord } from "../../../../features/privacy/model.ts";
import type { Values } from "../../../../features/privacy/place-model.ts";
import type { Connection } from "../engine.ts";
import { columnOf, propertyOf, type StoredPlace } from "./stored-places.ts";

/** A row of a place. `fields`: as `PersonRecord` shows it. */
export type PlaceRow = Omit<PersonRecord, "place">;
export type Key = PersonRecord["key"];

/** JSON is read and written as text, in which mentions are found. */
export function isJson(column: PgColumn): boolean {
  return column.getSQLType().startsWith("json");
}

export function isBytes(column: PgColumn): boolean {
  return column.getSQLType() === "bytea";
}

/** Rows in the order of their keys. `owner` and `isOwn`: see `ownerSql` and `ownSql`. */
export async function selectRows(
  connection: Connection,
  place: StoredPlace,
  { owner, isOwn, where, isLocked = false }: { owner: SQL; isOwn: SQL; where: SQL | undefined; isLocked?: boolean },
): Promise<PlaceRow[]> {
  const names = [...new Set([...place.key, ...place.personal, ...place.others])];
  const columns = names.map((name) => {
    const column = columnOf(place, name);
    return sql`${isJson(column) ? sql`${column}::text` : column} AS ${sql.identifier(name)}`;
  });
  const order = place.key.map((name) => asc(columnOf(place, name)));
  const rows = await connection.execute(sql`
    SELECT ${owner} AS "user", coalesce(${isOwn}, false) AS "own", ${sql.join(columns, sql`, `)}
    FROM ${place.definition} WHERE ${where} ORDER BY ${sql.join(order, sql`, `)}
    ${isLocked ? sql`FOR UPDATE OF ${sql.identifier(place.table)}` : sql``}`);
  return rows.map(({ user, own, ...values }) => ({
    key: keyOf(place, values),
    workspaceId: (user as string | null) ?? null,
    isOwn: own === true,
    fields: fieldsOf(place, values),
  }));
}

export function haveKeys(place: StoredPlace, keys: readonly Key[]): SQL | undefined {
  return or(
    ...keys.map((key) => and(...place.key.map((name, n) => eq(columnOf(place, name), valueOf(place, key, n))))),
  );
}

/** Rows behind this one, or up to it, in the order of keys. */
export function areBehind(place: StoredPlace, key: Key): SQL {
  return sql`(${columnsOfKey(place)}) > (${valuesOfKey(place, key)})`;
}

export function areUpTo(place: StoredPlace, key: Key): SQL {
  return sql`(${columnsOfKey(place)}) <= (${valuesOfKey(place, key)})`;
}

/** The last of so many keys. Null if there are fewer. */
export async function lastOfKeys(
  connection: Connection,
  place: StoredPlace,
  where: SQL | undefined,
  count: number,
): Promise<Key | null> {
  const columns = Object.fromEntries(place.key.map((name) => [name, columnOf(place, name)]));
  const [row] = await connection
    .select(columns)
    .from(place.definition)
    .where(where)
    .orderBy(...place.key.map((name) => asc(columnOf(place, name))))
    .offset(count - 1)
    .limit(1);
  return row === undefined ? null : keyOf(place, row);
}

export async function removeRows(connection: Connection, place: StoredPlace, keys: readonly Key[]): Promise<void> {
  if (keys.length > 0) await connection.delete(place.definition).where(haveKeys(place, keys));
}

/** `values`: by the names of columns, JSON as text. */
export async function overwriteRows(
  connection: Connection,
  place: StoredPlace,
  keys: readonly Key[],
  values: Values,
): Promise<void> {
  if (keys.length === 0) return;
  const set = Object.entries(values).map(([name, value]) => {
    const column = columnOf(place, name);
    const isText = typeof value === "string" && isJson(column);
    return [propertyOf(place, name), isText ? sql`${value}::${sql.raw(column.getSQLType())}` : value];
  });
  await connection.update(place.definition).set(Object.fromEntries(set)).where(haveKeys(place, keys));
}

/** Bytes in hexadecimal. */
function keyOf({ key }: StoredPlace, row: Readonly<Record<string, unknown>>): Key {
  return key.map((name) => {
    const value = row[name];
    return value instanceof Uint8Array ? Buffer.from(value).toString("hex") : (value as string | number);
  });
}

function columnsOfKey(place: StoredPlace): SQL {
  return sql.join(
    place.key.map((name) => sql`${columnOf(place, name)}`),
    sql`, `,
  );
}

function valuesOfKey(place: StoredPlace, key: Key): SQL {
  const values = place.key.map((name, n) => sql`${sql.param(valueOf(place, key, n), columnOf(place, name))}`);
  return sql.join(values, sql`, `);
}

function valueOf(place: StoredPlace, key: Key, n: number): string | number | Uint8Array {
  return isBytes(columnOf(place, place.key[n]!)) ? Buffer.from(String(key[n]), "hex") : key[n]!;
}

/** Of bytes, only those that are text are shown. */
function fieldsOf({ texts }: StoredPlace, row: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(row).flatMap(([name, value]) => {
      if (!(value instanceof Uint8Array)) return [[name, value]];
      const isText = texts.includes(name) && row["is_encrypted"] !== true;
      return isText ? [[name, new TextDecoder().decode(value)]] : [];
    }),
  );
}
