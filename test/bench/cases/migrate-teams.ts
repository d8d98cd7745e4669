import { isDeepStrictEqual } from "node:util";
import { join } from "node:path";
import { migrate, migrations } from "../../../src/adapters/storage/sqlite/migrate.ts";
import { openDatabase } from "../../../src/adapters/storage/sqlite/open.ts";
import { contentsOf, fillReleaseBeforeTeams } from "../../support/release-before-teams.ts";
import type { BenchCase } from "../report.ts";
import { withDirectory } from "../server.ts";

const size = { users: 10, leads: 100_000 };

/** How long the first start after an upgrade takes until users have workspaces, and whether anything got lost. */
export const migrateTeams: BenchCase = {
  about: "migrate a database of 10 users and 100,000 leads from the last release without teams",
  run: () => withDirectory(measure),
};

async function measure(directory: string) {
  using database = openDatabase(join(directory, "outreachd.db"));
  fillReleaseBeforeTeams(database, size);
  const before = contentsOf(database);
  const startedAt = performance.now();
  migrate(database, migrations, Date.now());
  const tookMs = performance.now() - startedAt;
  const after = contentsOf(database);
  const changed = Object.entries(before.rows).filter(([table, rows]) => after.rows[table] !== rows);
  const isSame = isDeepStrictEqual([before.leads, before.credits], [after.leads, after.credits]);
  return [
    { name: "migration", value: tookMs, unit: "ms" as const, goal: { atMost: 10_000 } },
    { name: "tables with another number of rows", value: changed.length, unit: "count" as const, goal: { atMost: 0 } },
    {
      name: "contents of leads or credits that differ",
      value: isSame ? 0 : 1,
      unit: "count" as const,
      goal: { atMost: 0 },
    },
  ];
}
