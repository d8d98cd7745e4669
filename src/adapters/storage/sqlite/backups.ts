import type { BackupStore } from "../../../features/backup/store.ts";
import { createAuditRows } from "./audit.ts";
import type { Engine } from "./engine.ts";
import { createEventRows } from "./event-rows.ts";

export function createBackupStore(engine: Engine): BackupStore {
  const { database, writer } = engine;
  const events = createEventRows(engine);
  const audit = createAuditRows(engine);
  const begin = database.prepare("INSERT INTO backups_begun (name) VALUES (?)");
  const forget = database.prepare("DELETE FROM backups_begun WHERE name = ?");
  const begun = database.prepare<{ name: string }, []>("SELECT name FROM backups_begun ORDER BY name");
  return {
    begin: (name) => writer.write(() => void begin.run(name)),
    end: ({ name, event, audit: entry }) =>
      writer.write(() => {
        forget.run(name);
        events.append(event);
        audit.append(entry);
      }),
    begun: async () => begun.all().map(({ name }) => name),
  };
}
