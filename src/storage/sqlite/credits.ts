import { eq, sql } from "drizzle-orm";
import type { CreditStore } from "../../credits/store.ts";
import type { Engine } from "./engine.ts";
import { creditLedger } from "./tables.ts";

export function createCreditStore({ orm, writer }: Engine): CreditStore {
  const sum = orm
    .select({ balance: sql<number>`coalesce(sum(${creditLedger.amount}), 0)` })
    .from(creditLedger)
    .where(eq(creditLedger.userId, sql.placeholder("userId")))
    .prepare();
  const balance = (userId: string) => sum.get({ userId })?.balance ?? 0;
  return {
    add: (entry) =>
      writer.write(() => {
        orm.insert(creditLedger).values(entry).run();
        return balance(entry.userId);
      }),
    balance: async (userId) => balance(userId),
  };
}
