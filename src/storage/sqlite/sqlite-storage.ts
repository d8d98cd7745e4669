import type { Clock } from "../../clock.ts";
import type { Storage } from "../storage.ts";
import { createCreditStore } from "./credits.ts";
import { openEngine } from "./engine.ts";
import { createJobRows, createJobStore } from "./jobs.ts";
import { createKeyStore } from "./keys.ts";
import { createLeadStore } from "./leads.ts";
import { migrate, migrations } from "./migrate.ts";
import { createNetworkStore } from "./network.ts";
import { createRateStore } from "./rates.ts";
import { createUserStore } from "./users.ts";

/** Opens (and, when it is older than this program, migrates) the database file. Throws `StartError` if it is newer. */
export function openSqliteStorage(path: string, clock: Clock): Storage {
  const engine = openEngine(path);
  const { database, writer, reader } = engine;
  migrate(database, migrations, clock.now());
  // Only one process holds a data directory, so whoever had these leases is gone: their jobs can be claimed at once.
  database.run("UPDATE jobs SET lease_until = 0 WHERE status = 'running' AND lease_until IS NOT NULL");
  return {
    users: createUserStore(engine),
    keys: createKeyStore(engine),
    rates: createRateStore(engine),
    credits: createCreditStore(engine),
    leads: createLeadStore(engine),
    jobs: createJobStore(engine),
    network: createNetworkStore(engine, createJobRows(engine)),
    // An empty transaction with the write lock: fails where the disk or the file does not take writes.
    check: () => writer.write(() => undefined),
    async close() {
      writer.close();
      await reader.close();
      database.close();
    },
  };
}
