import { readdirSync } from "node:fs";
import { join } from "node:path";

/** Runs during bundling (as a Bun macro), so that asking for the number loads no migration. */
export function latestMigration(dialect: string): number {
  const files = readdirSync(join(import.meta.dir, "../../../migrations", dialect));
  return Math.max(...files.filter((file) => file.endsWith(".sql")).map((file) => Number.parseInt(file, 10)));
}
