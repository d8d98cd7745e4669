import { and, eq, lt, sql } from "drizzle-orm";
import type { RateStore } from "../../http/rate-store.ts";
import type { Engine } from "./engine.ts";
import { placeholdersOf } from "./placeholders.ts";
import { rateWindows } from "./tables.ts";

export function createRateStore({ orm, writer }: Engine): RateStore {
  const at = sql.placeholder;
  const save = orm
    .insert(rateWindows)
    .values(placeholdersOf(rateWindows))
    .onConflictDoUpdate({
      target: [rateWindows.subject, rateWindows.window],
      set: { startedAt: sql`excluded.started_at`, used: sql`excluded.used` },
    })
    .prepare();
  const forget = orm
    .delete(rateWindows)
    .where(and(eq(rateWindows.window, at("window")), lt(rateWindows.startedAt, at("before"))))
    .prepare();
  return {
    load: async () => orm.select().from(rateWindows).all(),
    save: (windows, expiredBefore) =>
      writer.write(() => {
        for (const window of windows) save.run(window);
        for (const [window, before] of Object.entries(expiredBefore)) forget.run({ window, before });
      }),
  };
}
