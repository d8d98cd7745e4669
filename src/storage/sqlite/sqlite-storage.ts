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
import { createVoiceStore } from "./voices.ts";

/** Opens (and, when it is older than this program, migrates) the database file. Throws `StartError` if it is newer. */
export function openSqliteStorage(path: string, clock: Clock): Storage {
  const engine = openEngine(path);
  const { database, writer, reader } = engine;
  migrate(database, migrations, clock.now());
  // Only one process holds a data directory, so whoever had these leases is gone: their jobs can be claimed at once.
  database.run("UPDATE jobs SET lease_until = 0 WHERE status = 'running' AND lease_until IS NOT NULL");
  return {
    users: onFirstUse(() => createUserStore(engine)),
    keys: onFirstUse(() => createKeyStore(engine)),
    rates: onFirstUse(() => createRateStore(engine)),
    credits: onFirstUse(() => createCreditStore(engine)),
    leads: onFirstUse(() => createLeadStore(engine)),
    jobs: onFirstUse(() => createJobStore(engine)),
    network: onFirstUse(() => createNetworkStore(engine, createJobRows(engine))),
    voices: onFirstUse(() => createVoiceStore(engine, createJobRows(engine))),
    // Writes a page that says what it said before: an empty transaction would succeed on a full disk.
    check: () => writer.write(() => void database.run("PRAGMA user_version = 0")),
    async close() {
      writer.close();
      await reader.close();
      database.close();
    },
  };
}

/** A store that prepares its statements when it is first asked for something, so that a start waits for none of them. */
function onFirstUse<Store extends object>(create: () => Store): Store {
  let created: Store | null = null;
  const store = () => (created ??= create());
  return new Proxy({} as Store, {
    get: (_target, name) => Reflect.get(store(), name),
    has: (_target, name) => Reflect.has(store(), name),
    ownKeys: () => Reflect.ownKeys(store()),
    getOwnPropertyDescriptor: (_target, name) => Reflect.getOwnPropertyDescriptor(store(), name),
  });
}
