import type { AppliedMigration } from "../../features/backup/model.ts";
import { StartError } from "../../platform/base/start-error.ts";
import type { Migration } from "./migrations.macro.ts";

/** Throws `StartError` for migrations that we don't have, or have with another text. */
export function refuseUnknown(applied: readonly AppliedMigration[], list: readonly Migration[]): void {
  const known = new Map(list.map((migration) => [migration.number, migration]));
  for (const row of applied) {
    const ours = known.get(row.number);
    if (ours === undefined)
      throw new StartError(`The database was written by a newer outreachd (it has migration ${row.name}).`, {
        hint: "Run that version or a newer one, or restore a backup that this version made.",
      });
    if (ours.hash !== row.hash)
      throw new StartError(`The database was made with another text of migration ${row.name}.`, {
        hint: "It comes from a different build. Use that build, or start with another data directory.",
      });
  }
}
