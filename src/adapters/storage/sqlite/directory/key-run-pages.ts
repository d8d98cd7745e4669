import type { Database } from "bun:sqlite";
import { placesOf, type RunPages } from "../../../../lib/key-index/key-runs.ts";
import type { Write } from "./index-messages.ts";

/** The pages of key runs in the database. */
export function runPages(database: Database): RunPages {
  const one = database.prepare("SELECT entries FROM prospect_key_pages WHERE place = ?");
  const several = database.prepare<{ entries: Uint8Array }, [number, number]>(
    "SELECT entries FROM prospect_key_pages WHERE place BETWEEN ? AND ? ORDER BY place",
  );
  return {
    page: (place) => (one.values(place) as [Uint8Array][])[0]?.[0] ?? null,
    *pages(from, to) {
      for (const { entries } of several.iterate(from, to)) yield entries;
    },
  };
}

/** Deletes runs that are no longer used, several pages at a time. */
export async function dropRuns(runs: readonly number[], write: Write): Promise<void> {
  for (const run of runs) while ((await write({ kind: "dropPages", ...placesOf(run) })) !== 0);
}
