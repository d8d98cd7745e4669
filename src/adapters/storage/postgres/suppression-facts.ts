import { and, eq, isNull, or, sql } from "drizzle-orm";
import { suppressionKey } from "../../../features/suppression/key.ts";
import type { StoredEntry } from "../../../features/suppression/matching.ts";
import type { SuppressionKind } from "../../../features/suppression/model.ts";
import type { Connection } from "./engine.ts";
import { Loaded } from "./loaded.ts";
import { suppressions } from "./tables.ts";

type Value = { kind: SuppressionKind; value: string };

/** The entries for values, the user's own first. */
export function loadedEntries(connection: Connection, owner: number): Loaded<Value, readonly StoredEntry[]> {
  const nameOf = ({ kind, value }: Value) => Buffer.from(suppressionKey(kind, value)).toString("hex");
  return new Loaded<Value, readonly StoredEntry[]>({ provisional: [], nameOf, fetch });

  async function fetch(values: readonly Value[]) {
    const keys = JSON.stringify(values.map(nameOf));
    const rows = await connection
      .select()
      .from(suppressions)
      .where(
        and(
          sql`${suppressions.key} IN (SELECT decode(value, 'hex') FROM json_array_elements_text(${keys}::json))`,
          or(eq(suppressions.owner, owner), isNull(suppressions.owner)),
        ),
      )
      .orderBy(sql`${suppressions.owner} NULLS LAST`);
    return Map.groupBy(rows, ({ key }) => Buffer.from(key).toString("hex"));
  }
}

/** Whether any entry applies to the user; none applies to one that does not exist, whose number is 0. */
export async function hasEntries(connection: Connection, owner: number): Promise<boolean> {
  if (owner === 0) return false;
  const rows = await connection
    .select({ seq: suppressions.seq })
    .from(suppressions)
    .where(or(eq(suppressions.owner, owner), isNull(suppressions.owner)))
    .limit(1);
  return rows.length > 0;
}
