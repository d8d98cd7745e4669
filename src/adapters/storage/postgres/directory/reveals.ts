import { and, eq, gte, sql } from "drizzle-orm";
import type { ChargeOutcome, SettleOutcome } from "../../../../features/credits/change-model.ts";
import { numberOf } from "../../../../features/prospecting/prospect-id.ts";
import type { ProspectStore, Reveal, RevealOutcome, RevealPayment } from "../../../../features/prospecting/store.ts";
import { chargeCredits, readBalance, settleCredits } from "../credit-rows.ts";
import type { Connection, Engine } from "../engine.ts";
import { lockDirectory, ownerOf } from "./directory-row.ts";
import { listOf } from "./rows.ts";
import { reveals } from "./tables.ts";

/** Who was paid for: charged once, and then free for a while. */
export function createReveals({ orm, transact }: Engine): Pick<ProspectStore, "reveal" | "unpaid"> {
  async function reveal(
    connection: Connection,
    owner: number | null,
    { workspaceId, payment, ...shown }: Reveal & { payment: RevealPayment },
  ): Promise<RevealOutcome> {
    // Another search may pay for the same prospects, and an import may merge them.
    if (owner !== null) await lockDirectory(connection, owner);
    const unpaid = await unpaidOf(connection, owner, { workspaceId, ...shown });
    const amount = unpaid.length * payment.each;
    const outcome = await pay(connection, amount, payment);
    if (outcome.kind === "exhausted") return outcome;
    if (outcome.kind === "void")
      return { kind: "charged", charged: 0, balance: await readBalance(connection, workspaceId) };
    const { at } = payment.kind === "charge" ? payment.charge : payment.settlement;
    if (owner !== null && unpaid.length > 0)
      await connection
        .insert(reveals)
        .values(unpaid.map((number) => ({ owner, number, at })))
        .onConflictDoUpdate({ target: [reveals.owner, reveals.number], set: { at } });
    return { kind: "charged", charged: amount, balance: outcome.balance };
  }

  return {
    async unpaid(shown) {
      return (await unpaidOf(orm, await ownerOf(orm, shown.workspaceId), shown)).length;
    },
    async reveal(shown) {
      const { workspaceId, payment } = shown;
      const owner = await ownerOf(orm, workspaceId);
      // A page that is looked at again waits for no lock.
      if (payment.kind === "charge" && (await unpaidOf(orm, owner, shown)).length === 0)
        return { kind: "charged", charged: 0, balance: await readBalance(orm, workspaceId) };
      return await transact((connection) => reveal(connection, owner, shown));
    },
  };
}

/** The numbers of those who are not free, each once. */
async function unpaidOf(
  connection: Connection,
  owner: number | null,
  { workspaceId, ids, freeSince }: Reveal,
): Promise<number[]> {
  const numbers = [...new Set(ids.map((id) => numberOf(workspaceId, id)).filter((number) => number !== null))];
  if (owner === null || numbers.length === 0) return [];
  const paid = await connection
    .select({ number: reveals.number })
    .from(reveals)
    .where(and(eq(reveals.owner, owner), sql`${reveals.number} IN ${listOf(numbers)}`, gte(reveals.at, freeSince)));
  const free = new Set(paid.map(({ number }) => number));
  return numbers.filter((number) => !free.has(number));
}

function pay(connection: Connection, amount: number, payment: RevealPayment): Promise<SettleOutcome | ChargeOutcome> {
  if (payment.kind === "charge") return chargeCredits(connection, { ...payment.charge, amount });
  const items = amount === 0 ? [] : [{ ...payment.entry, amount }];
  return settleCredits(connection, { ...payment.settlement, items });
}
