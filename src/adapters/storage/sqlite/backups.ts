import type { BackupStore } from "../../../features/backup/store.ts";
import type { Engine } from "./engine.ts";
import { prepared } from "./prepared.ts";
import type { CommonRows } from "./common-rows.ts";

export function createBackupStore(engine: Engine, { audits, events }: CommonRows): BackupStore {
  const { database, writer } = engine;
  const begin = prepared(database, "INSERT INTO backups_begun (name) VALUES (?)");
  const forget = prepared(database, "DELETE FROM backups_begun WHERE name = ?");
  const begun = prepared<{ name: string }, []>(database, "SELECT name FROM backups_begun ORDER BY name");
  return {
    begin: ({ run }) =>
      writer.write(() => {
        begin.run(run.name);
        return null;
      }),
    end: ({ run, event, audit: entry, isInterrupted }) =>
      writer.write(() => {
        const { changes } = forget.run(run.name);
        if (isInterrupted === true && changes === 0) return;
        events.append(event);
        audits.append(entry);
      }),
    interrupted: async () => begun.all().map(({ name }) => name),
    shared: null,
  };
}
