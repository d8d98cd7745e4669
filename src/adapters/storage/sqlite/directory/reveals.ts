import type { ChargeOutcome, SettleOutcome } from "../../../../features/credits/change-model.ts";
import type { ProspectStore, RevealPayment } from "../../../../features/prospecting/store.ts";
import type { Engine } from "../engine.ts";
import { prepared } from "../prepared.ts";
import type { CommonRows } from "../common-rows.ts";
import { seqOf } from "../../prospect-seq.ts";
import { numberOf } from "../../../../features/prospecting/prospect-id.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

/** Who was paid for: charged once, and then free for a while. */
export function createReveals(
  engine: Engine,
  { owners, credits }: CommonRows,
): Pick<ProspectStore, "reveal" | "unpaid"> {
  const { database, writer } = engine;
  const paidAt = prepared<{ at: number }, [number]>(database, "SELECT at FROM prospect_reveals WHERE seq = ?");
  const note = prepared(
    database,
    "INSERT INTO prospect_reveals (seq, at) VALUES (?, ?) ON CONFLICT DO UPDATE SET at = excluded.at",
  );

  function seqsOf(workspaceId: WorkspaceId, ids: readonly string[]): number[] {
    const owner = owners(workspaceId);
    if (owner === null) return [];
    const numbers = new Set(ids.map((id) => numberOf(workspaceId, id)).filter((number) => number !== null));
    return [...numbers].map((number) => seqOf(owner, number));
  }

  const unpaidOf = (seqs: readonly number[], freeSince: number): number[] =>
    seqs.filter((seq) => (paidAt.get(seq)?.at ?? Number.NEGATIVE_INFINITY) < freeSince);

  function pay(amount: number, payment: RevealPayment): SettleOutcome | ChargeOutcome {
    if (payment.kind === "charge") return credits.charge({ ...payment.charge, amount });
    return credits.settle({ ...payment.settlement, items: amount === 0 ? [] : [{ ...payment.entry, amount }] });
  }

  return {
    unpaid: async ({ workspaceId, ids, freeSince }) => unpaidOf(seqsOf(workspaceId, ids), freeSince).length,

    async reveal({ workspaceId, ids, freeSince, payment }) {
      const seqs = seqsOf(workspaceId, ids);
      // Nothing to charge, nothing to write: a page that is looked at again waits for no disk.
      if (payment.kind === "charge" && unpaidOf(seqs, freeSince).length === 0)
        return { kind: "charged", charged: 0, balance: credits.balance(workspaceId) };
      return await writer.write(() => {
        // Once more, inside: another search may have paid for them since.
        const unpaid = unpaidOf(seqs, freeSince);
        const amount = unpaid.length * payment.each;
        const outcome = pay(amount, payment);
        if (outcome.kind === "exhausted") return outcome;
        if (outcome.kind === "void") return { kind: "charged", charged: 0, balance: credits.balance(workspaceId) };
        const { at } = payment.kind === "charge" ? payment.charge : payment.settlement;
        for (const seq of unpaid) note.run(seq, at);
        return { kind: "charged", charged: amount, balance: outcome.balance };
      });
    },
  };
}
