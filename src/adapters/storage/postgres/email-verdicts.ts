import { and, eq, gte, lt, sql } from "drizzle-orm";
import type { Verdict } from "../../../features/enrichment/model.ts";
import { suppressionKey } from "../../../features/suppression/key.ts";
import { canonicalEmail } from "../../../platform/identity/email.ts";
import { emailVerdicts } from "./enrichment-tables.ts";
import type { Connection } from "./engine.ts";

const { owner: ownerColumn, key, provider, confidence, at } = emailVerdicts;

/** Results of email verifiers. Addresses are stored as hashes. */
export async function readVerdicts(
  connection: Connection,
  owner: number,
  emails: readonly string[],
  since: number,
): Promise<Verdict[]> {
  const rows = await connection
    .select({ key, provider, confidence, at })
    .from(emailVerdicts)
    .where(and(eq(ownerColumn, owner), isOneOf(emails), gte(at, since)));
  const byKey = Map.groupBy(rows, (row) => Buffer.from(row.key).toString("hex"));
  return emails.flatMap((email) =>
    (byKey.get(keyOf(email)) ?? []).map(({ key: _key, ...verdict }) => ({ email, ...verdict })),
  );
}

/** Replaces verdicts on the same addresses from before `since`; null: all of them. */
export async function replaceVerdicts(
  connection: Connection,
  owner: number,
  verdicts: readonly Verdict[],
  since: number | null,
): Promise<void> {
  const isReplaced = and(
    eq(ownerColumn, owner),
    isOneOf(verdicts.map(({ email }) => email)),
    since === null ? undefined : lt(at, since),
  );
  await connection.delete(emailVerdicts).where(isReplaced);
  const newest = new Map<string, Verdict>();
  for (const verdict of verdicts) {
    const name = JSON.stringify([keyOf(verdict.email), verdict.provider]);
    if (verdict.at >= (newest.get(name)?.at ?? 0)) newest.set(name, verdict);
  }
  await connection
    .insert(emailVerdicts)
    .values(
      [...newest.values()].map(({ email, ...verdict }) => ({
        owner,
        key: Buffer.from(keyOf(email), "hex"),
        provider: verdict.provider,
        confidence: verdict.confidence,
        at: verdict.at,
      })),
    )
    .onConflictDoUpdate({
      target: [ownerColumn, key, provider],
      set: { confidence: sql`excluded.confidence`, at: sql`excluded.at` },
      setWhere: sql`excluded.at >= ${at}`,
    });
}

/** Returns how many. */
export async function forgetVerdicts(connection: Connection, before: number, limit: number): Promise<number> {
  const removed = await connection
    .delete(emailVerdicts)
    .where(
      // One that is stored again meanwhile has another place, and stays.
      sql`ctid = ANY(ARRAY(SELECT ctid FROM ${emailVerdicts} WHERE at < ${before} LIMIT ${limit}))`,
    )
    .returning({ at });
  return removed.length;
}

function isOneOf(emails: readonly string[]) {
  const keys = JSON.stringify(emails.map(keyOf));
  return sql`${key} IN (SELECT decode(value, 'hex') FROM json_array_elements_text(${keys}::json))`;
}

function keyOf(email: string): string {
  return Buffer.from(suppressionKey("email", canonicalEmail(email))).toString("hex");
}
