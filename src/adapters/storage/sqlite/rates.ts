import { MemoryCounters, type RateCounters, type StoredWindow } from "../../../lib/rate-limit/rate-limiter.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";

/** Plain statements: each start reads them, and these are ready in a fifth of the time. */
export function createRateCounters({ database, writer }: Engine): RateCounters {
  const load = prepared<StoredWindow, []>(
    database,
    "SELECT subject, window, started_at AS startedAt, used FROM rate_windows",
  );
  const save = prepared(
    database,
    `INSERT INTO rate_windows (subject, window, started_at, used) VALUES (?, ?, ?, ?)
     ON CONFLICT (subject, window) DO UPDATE SET started_at = excluded.started_at, used = excluded.used`,
  );
  const forget = prepared(database, "DELETE FROM rate_windows WHERE window = ? AND started_at < ?");
  return new MemoryCounters({
    load: () => load.all(),
    save: (windows, expiredBefore) =>
      writer.write(() => {
        for (const { subject, window, startedAt, used } of windows) save.run(subject, window, startedAt, used);
        for (const [window, before] of Object.entries(expiredBefore)) forget.run(window, before);
      }),
  });
}
