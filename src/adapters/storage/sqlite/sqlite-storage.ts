import type { Database } from "bun:sqlite";
import type { Clock } from "../../../platform/base/clock.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import type { EmbeddedStorage } from "../storage.ts";
import { createAuditStore } from "./audit.ts";
import { createBackupStore } from "./backups.ts";
import { createCampaignStore } from "./campaigns.ts";
import { createCreditStore } from "./credits.ts";
import { createProspectStore } from "./directory/prospects.ts";
import { createSavedSearchStore } from "./directory/saved-searches.ts";
import { createLeadViewStore } from "./lead-views.ts";
import { openEngine } from "./engine.ts";
import { createEnrichmentStore } from "./enrichment.ts";
import { createEventStore } from "./events.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createIdentityStore } from "./identities.ts";
import { createInboxStore } from "./inbox.ts";
import { createInvitationStore } from "./invitations.ts";
import { createNotificationStore } from "./notifications.ts";
import { createStatisticsStore } from "./statistics.ts";
import { createJobStore } from "./jobs.ts";
import { createKeyStore } from "./keys.ts";
import { createLeadHintStore } from "./lead-hints.ts";
import { createLeadStore } from "./leads.ts";
import { createMailStore } from "./mail.ts";
import { createMetricsStore } from "./metrics.ts";
import { migrate, migrations, schemaOf } from "./migrate.ts";
import { createNetworkRows } from "./network.ts";
import { openDatabase } from "./open.ts";
import { createOperationsStore } from "./operations.ts";
import { createPersonStore } from "./privacy/person-store.ts";
import { createRateCounters } from "./rates.ts";
import { createSessionStore } from "./sessions.ts";
import { createCommonRows } from "./common-rows.ts";
import { createSimulationStore } from "./simulation.ts";
import { createSuppressionStore } from "./suppression-store.ts";
import { createUserStore } from "./users.ts";
import { createWorkspaceStore } from "./workspaces.ts";
import { createWorkspaceMerge } from "./workspace-merge/workspace-merge.ts";
import { createVoiceStore } from "./voices.ts";
import { createWebhookStore } from "./webhooks.ts";

/**
 * Opens the database file, and migrates it if it is older than this program. Throws `StartError` if it is newer.
 * `phoneRegion` is the region of phone numbers without a country code. `beforeUpgrade` is called before a database with data
 * is migrated, while it is not open; `beforeCreation` is called before the tables are created in an empty one.
 */
export function openSqliteStorage(
  path: string,
  clock: Clock,
  phoneRegion: PhoneRegion | null = null,
  { beforeUpgrade = () => {}, beforeCreation = () => {} } = {},
): EmbeddedStorage {
  const migrated = openMigrated(path, clock.now(), beforeUpgrade, beforeCreation);
  const engine = openEngine(path, phoneRegion, migrated);
  const { database, writer } = engine;
  database.run(endLeases);
  const common = createCommonRows(engine);
  const network = createNetworkRows(engine, common);
  const prospects = createProspectStore(engine, common);
  return {
    audit: createAuditStore(engine),
    backups: createBackupStore(engine, common),
    operations: createOperationsStore(engine, common),
    users: createUserStore(engine, common),
    workspaces: createWorkspaceStore(engine, common),
    keys: createKeyStore(engine, common),
    metrics: createMetricsStore(engine, path),
    idempotency: createIdempotencyStore(engine),
    sessions: createSessionStore(engine, common),
    mail: createMailStore(engine),
    identities: createIdentityStore(engine, common),
    invitations: createInvitationStore(engine, common),
    notifications: createNotificationStore(engine),
    statistics: createStatisticsStore(engine),
    rates: createRateCounters(engine),
    credits: createCreditStore(engine, common),
    leads: createLeadStore(engine, common),
    jobs: createJobStore(engine, common, network),
    network: network.store,
    inbox: createInboxStore(engine, common, network),
    campaigns: createCampaignStore(engine, common, network),
    suppressions: createSuppressionStore(engine, common),
    leadHints: createLeadHintStore(engine, common),
    enrichment: createEnrichmentStore(engine, common),
    prospects,
    persons: createPersonStore(engine, common, network),
    savedSearches: createSavedSearchStore(engine),
    leadViews: createLeadViewStore(engine),
    voices: createVoiceStore(engine, common),
    simulation: createSimulationStore(engine),
    events: createEventStore(engine, common),
    webhooks: createWebhookStore(engine, common),
    merges: createWorkspaceMerge(engine, common, prospects),
    cluster: null,
    // Writes a page with unchanged content: an empty transaction would succeed on a full disk.
    // Whatever there is to do, the writer does when it is idle.
    maintain: async () => {},
    check: () => writer.write(() => void database.run("PRAGMA user_version = 0")),
    async close() {
      await engine.prospectIndex.close();
      writer.close();
      await engine.reader.close();
      engine.shared.end();
      database.close();
    },
  };
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

// Only one process uses a data directory, so the holders of these leases no longer exist, and their jobs can be claimed
// immediately. Except leases of external workers, which keep running, and of actions whose outcome a vendor reports later.
const endLeases = `UPDATE jobs SET lease_until = 0 WHERE status = 'running' AND lease_until IS NOT NULL
  AND NOT EXISTS (SELECT 1 FROM network_actions WHERE job_id = jobs.id AND pending_reason IS NOT NULL)`;
