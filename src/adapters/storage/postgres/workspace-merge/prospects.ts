import { and, asc, eq, gt, max, sql } from "drizzle-orm";
import { putPerson } from "../../../../features/prospecting/directory-decisions.ts";
import { besideNameOf, personKeys, prospectIdentity } from "../../../../features/prospecting/keys.ts";
import type { ProspectContent } from "../../../../features/prospecting/model.ts";
import { lockDirectory } from "../directory/directory-row.ts";
import { DirectoryUnit } from "../directory/directory-unit.ts";
import { companies, directories, prospects, reveals } from "../directory/tables.ts";
import type { Connection } from "../engine.ts";
import type { Sides } from "./tables.ts";

const prospectsAtOnce = 1000;

type Row = typeof prospects.$inferSelect;

/**
 * Copies the directory of one workspace into the other one's. People whom the other one has are completed.
 * What was paid for and became a lead stays so. Companies come first, since people are completed by them. Returns how
 * many prospects wait for the next fold; null: nothing was copied.
 */
export async function copyDirectory(connection: Connection, sides: Sides): Promise<number | null> {
  const { from, into } = sides;
  let unfolded: number | null = null;
  await copyCompanies(connection, sides);
  for await (const rows of prospectsOf(connection, from.owner)) {
    const copied = await copy(connection, into.owner, rows);
    await keepHistory(connection, sides, copied.numbers, rows);
    unfolded = copied.unfolded;
  }
  return unfolded;
}

/** Its prospects and their index are deleted with it. */
export async function removeDirectory(connection: Connection, { from }: Sides): Promise<void> {
  await connection.delete(directories).where(eq(directories.owner, from.owner));
}

async function copyCompanies(connection: Connection, { from, into }: Sides): Promise<void> {
  const known = connection.select().from(companies).where(eq(companies.owner, from.owner)).limit(1);
  if ((await known).length === 0) return;
  await lockDirectory(connection, into.owner);
  const { key, nameKey, content, createdAt, updatedAt } = companies;
  const copied = connection
    .select({ owner: sql`${into.owner}::bigint`.as("owner"), key, nameKey, content, createdAt, updatedAt })
    .from(companies)
    .where(eq(companies.owner, from.owner));
  await connection.insert(companies).select(copied).onConflictDoNothing();
}

async function* prospectsOf(connection: Connection, owner: number): AsyncGenerator<Row[], void, void> {
  for (let last = -1; ;) {
    const rows = await connection
      .select()
      .from(prospects)
      .where(and(eq(prospects.owner, owner), gt(prospects.number, last)))
      .orderBy(asc(prospects.number))
      .limit(prospectsAtOnce);
    if (rows.length > 0) yield rows;
    if (rows.length < prospectsAtOnce) return;
    last = rows.at(-1)!.number;
  }
}

/** `numbers`: those of the rows in the directory that they were copied to. */
async function copy(
  connection: Connection,
  owner: number,
  rows: readonly Row[],
): Promise<{ numbers: number[]; unfolded: number }> {
  const unit = await DirectoryUnit.open(connection, owner);
  const people = rows.map(({ content: json, updatedAt }) => {
    const content = JSON.parse(json) as ProspectContent;
    return { content, identity: prospectIdentity(content), updatedAt };
  });
  for (const { identity } of people) unit.prospects.expectPerson(personKeys(identity), besideNameOf(identity));
  const numbers = await unit.decide((stage) => {
    const put = people.map((person) => putPerson(stage.records, person, person.updatedAt));
    // A later person may have shown that two records are about one.
    const keptFor = new Map(stage.united.map(({ kept, gone }) => [gone, kept]));
    return put.map((number) => {
      let kept = number;
      for (let next = keptFor.get(kept); next !== undefined; next = keptFor.get(kept)) kept = next;
      return kept;
    });
  });
  return { numbers, unfolded: await unit.write() };
}

/** When the prospects became known, which leads they became, and until when they are paid for. */
async function keepHistory(
  connection: Connection,
  { from, into }: Sides,
  numbers: readonly number[],
  rows: readonly Row[],
): Promise<void> {
  const pairs = rows.map(({ number, leadId, createdAt }, n) => ({ gone: number, kept: numbers[n], leadId, createdAt }));
  const told = sql`json_to_recordset(${JSON.stringify(pairs)}::json)
    AS told (gone bigint, kept bigint, "leadId" text, "createdAt" bigint)`;
  await connection
    .update(prospects)
    .set({
      leadId: sql`coalesce(${prospects.leadId}, history."leadId")`,
      createdAt: sql`least(${prospects.createdAt}, history."createdAt")`,
    })
    .from(
      sql`(SELECT kept, min("leadId") AS "leadId", min("createdAt") AS "createdAt" FROM ${told} GROUP BY kept) AS history`,
    )
    .where(and(eq(prospects.owner, into.owner), sql`${prospects.number} = history.kept`));
  const paid = connection
    .select({
      owner: sql`${into.owner}::bigint`.as("owner"),
      number: sql`told.kept`.as("number"),
      at: max(reveals.at).as("at"),
    })
    .from(reveals)
    .innerJoin(told, and(eq(reveals.owner, from.owner), sql`${reveals.number} = told.gone`))
    .groupBy(sql`told.kept`);
  await connection
    .insert(reveals)
    .select(paid)
    .onConflictDoUpdate({
      target: [reveals.owner, reveals.number],
      set: { at: sql`greatest(${reveals.at}, excluded.at)` },
    });
}
