import type { Database } from "bun:sqlite";
import type { TransactionParticipant } from "../../../lib/group-commit/writer.ts";
import type { Clock } from "../../../platform/base/clock.ts";
import { currentRequest } from "../../../platform/base/current-request.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import type { Storage } from "../storage.ts";
import { createAuditStore } from "./audit.ts";
import { createBackupStore } from "./backups.ts";
import { openEngine } from "./engine.ts";
import { createEventStore } from "./events.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { SqliteAttempt } from "./keyed-attempt.ts";
import { createKeyStore } from "./keys.ts";
import { modules } from "./late-modules.ts";
import { createLeadReader } from "./lead-rows.ts";
import { createLeadHintStore } from "./lead-hints.ts";
import { createLeadStore } from "./leads.ts";
import { createMetricsStore } from "./metrics.ts";
import { migrate, migrations, schemaOf } from "./migrate.ts";
import { openDatabase } from "./open.ts";
import { createOperationsStore } from "./operations.ts";
import { createOwners } from "./owners.ts";
import { createRateStore } from "./rates.ts";
import { createSessionStore } from "./sessions.ts";
import { createSimulationStore } from "./simulation.ts";
import { createSuppressionStore } from "./suppression-store.ts";
import { createUserStore } from "./users.ts";

/**
 * Opens (and, when it is older than this program, migrates) the database file. Throws `StartError` if it is newer.
 * `phoneRegion` is where phone numbers without a country code are from. `beforeUpgrade` is called before a database that
 * has data is migrated, while nobody has it open; `beforeCreation` before one that has nothing in it gets its tables.
 */
export function openSqliteStorage(
  path: string,
  clock: Clock,
  phoneRegion: PhoneRegion | null = null,
  { beforeUpgrade = () => {}, beforeCreation = () => {} } = {},
): Storage {
  const database = openMigrated(path, clock.now(), beforeUpgrade, beforeCreation);
  const engine = openEngine(path, phoneRegion, database, currentAttempt);
  const { writer, reader, shared, prospectIndex } = engine;
  database.run(endLeases);
  const jobRows = onFirstUse(() => modules.jobs.createJobRows(engine));
  const network = () => modules.network.createNetworkRows(engine, jobRows);
  return {
    audit: onFirstUse(() => createAuditStore(engine)),
    backups: onFirstUse(() => createBackupStore(engine)),
    operations: onFirstUse(() => createOperationsStore(engine)),
    users: onFirstUse(() => createUserStore(engine)),
    keys: onFirstUse(() => createKeyStore(engine)),
    metrics: onFirstUse(() => createMetricsStore(engine, path)),
    idempotency: onFirstUse(() => createIdempotencyStore(engine)),
    sessions: onFirstUse(() => createSessionStore(engine)),
    rates: onFirstUse(() => createRateStore(engine)),
    credits: onFirstUse(() => modules.credits.createCreditStore(engine)),
    leads: onFirstUse(() => createLeadStore(engine)),
    jobs: onFirstUse(() => modules.jobs.createJobStore(engine, jobRows, network)),
    network: onFirstUse(() => network().store),
    campaigns: onFirstUse(() => {
      return modules.campaigns.createCampaignStore(engine, createLeadReader(engine, createOwners(engine)), network);
    }),
    suppressions: onFirstUse(() => createSuppressionStore(engine)),
    leadHints: onFirstUse(() => createLeadHintStore(engine)),
    enrichment: onFirstUse(() => modules.enrichment.createEnrichmentStore(engine)),
    prospects: onFirstUse(() => modules.prospects.createProspectStore(engine, prospectIndex)),
    persons: onFirstUse(() => modules.personStore.createPersonStore(engine, jobRows, network, prospectIndex)),
    savedSearches: onFirstUse(() => modules.savedSearches.createSavedSearchStore(engine)),
    voices: onFirstUse(() => modules.voices.createVoiceStore(engine, jobRows)),
    simulation: onFirstUse(() => createSimulationStore(engine)),
    events: onFirstUse(() => createEventStore(engine)),
    webhooks: onFirstUse(() => modules.webhooks.createWebhookStore(engine)),
    // Writes a page that says what it said before: an empty transaction would succeed on a full disk.
    check: () => writer.write(() => void database.run("PRAGMA user_version = 0")),
    async close() {
      await prospectIndex.close();
      writer.close();
      await reader.close();
      shared.end();
      database.close();
    },
  };
}

/** The request whose key the running transaction records; null if there is none. */
export function currentAttempt(): TransactionParticipant | null {
  const attempt = currentRequest.getStore()?.keyed?.attempt;
  return attempt instanceof SqliteAttempt && attempt.isOpen ? attempt : null;
}

function openMigrated(path: string, now: number, beforeUpgrade: () => void, beforeCreation: () => void): Database {
  let database = openDatabase(path);
  const schema = schemaOf(database, migrations);
  if (schema === "current") return database;
  if (schema === "new") refuseCreation(database, beforeCreation);
  if (schema === "other") {
    database.close();
    beforeUpgrade();
    database = openDatabase(path);
  }
  migrate(database, migrations, now);
  return database;
}

function refuseCreation(database: Database, beforeCreation: () => void): void {
  try {
    beforeCreation();
  } catch (error) {
    database.close();
    throw error;
  }
}

// Only one process holds a data directory, so whoever had these leases is gone: their jobs can be claimed at once. Not
// those of workers outside, which go on, and of what a vendor is asked about later.
const endLeases = `UPDATE jobs SET lease_until = 0 WHERE status = 'running' AND lease_until IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM network_actions WHERE job_id = jobs.id AND pending_reason IS NOT NULL)`;

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
