import { sql } from "drizzle-orm";
import type { Clock } from "../../../platform/base/clock.ts";
import { createAuditStore } from "./audit.ts";
import { createBackupStore } from "./backups.ts";
import { createCampaignStore } from "./campaigns.ts";
import { createClusterStore } from "./cluster.ts";
import { createCreditStore } from "./credits.ts";
import { DirectoryIndex } from "./directory/directory-index.ts";
import { createProspectStore } from "./directory/prospects.ts";
import { createSavedSearchStore } from "./directory/saved-searches.ts";
import { createLeadViewStore } from "./lead-views.ts";
import { connect, openEngine, type Engine, type EngineOptions } from "./engine.ts";
import { sqlStates } from "./error-codes.ts";
import { createEnrichmentStore } from "./enrichment.ts";
import { EventLog } from "./event-log.ts";
import { createEventStore } from "./events.ts";
import { createIdempotencyStore } from "./idempotency.ts";
import { createIdentityStore } from "./identities.ts";
import { createInboxStore } from "./inbox.ts";
import { createInvitationStore } from "./invitations.ts";
import { createNotificationStore } from "./notifications.ts";
import { createStatisticsStore } from "./statistics.ts";
import { createJobStore } from "./jobs.ts";
import { createKeyStore } from "./keys.ts";
import { foldFunnel } from "./campaign-funnel.ts";
import { foldCounts } from "./lead-counts.ts";
import { createLeadHintStore } from "./lead-hints.ts";
import { createLeadStore } from "./leads.ts";
import { migrate, migrations, type LockPatience } from "./migrate.ts";
import { createMailStore } from "./mail.ts";
import { createMetricsStore } from "./metrics.ts";
import { createNetworkStore } from "./network.ts";
import { createActionJobs } from "./network-jobs.ts";
import { createOperationsStore } from "./operations.ts";
import { createPersonStore } from "./privacy/person-store.ts";
import { createRateCounters } from "./rates.ts";
import { createSessionStore } from "./sessions.ts";
import { createSuppressionStore } from "./suppressions.ts";
import { createUserStore } from "./users.ts";
import { createVoiceStore } from "./voices.ts";
import { createWebhookStore } from "./webhooks.ts";
import { createWorkspaceMerge } from "./workspace-merge/workspace-merge.ts";
import { createWorkspaceStore } from "./workspaces.ts";

const closeTimeoutSeconds = 1;

/** `Storage`, with what only this engine has. */
export type PostgresStorage = Awaited<ReturnType<typeof openPostgresStorage>>;

/**
 * Connects to the database at a `postgres://` URL and migrates it if it is older than this program. Throws `StartError`
 * if it is newer. `onWait` gets a sentence whenever the migration has to wait for tables that others use; `stop` ends it,
 * which throws its reason.
 */
export async function openPostgresStorage(
  url: string,
  clock: Clock,
  options: EngineOptions = {},
  patience: Partial<Pick<LockPatience, "onWait" | "stop">> = {},
) {
  const client = connect(url, { ...options, poolSize: 1 });
  // Even if the server does not respond to the cancellation.
  const end = () => void client.end({ timeout: closeTimeoutSeconds });
  patience.stop?.addEventListener("abort", end);
  try {
    await migrate(client, migrations, clock.now(), patience);
  } finally {
    patience.stop?.removeEventListener("abort", end);
    await client.end({ timeout: closeTimeoutSeconds });
  }
  const engine = openEngine(url, options);
  const log = new EventLog(engine);
  const directories = new DirectoryIndex(engine);
  return {
    audit: createAuditStore(engine),
    backups: createBackupStore(engine),
    campaigns: createCampaignStore(engine),
    cluster: createClusterStore(engine, log),
    credits: createCreditStore(engine),
    events: createEventStore(engine, log),
    users: createUserStore(engine),
    webhooks: createWebhookStore(engine, log),
    workspaces: createWorkspaceStore(engine),
    idempotency: createIdempotencyStore(engine),
    keys: createKeyStore(engine),
    metrics: createMetricsStore(engine, () => clock.now()),
    operations: createOperationsStore(engine),
    rates: createRateCounters(engine),
    sessions: createSessionStore(engine),
    simulation: null,
    mail: createMailStore(engine),
    identities: createIdentityStore(engine),
    inbox: createInboxStore(engine),
    invitations: createInvitationStore(engine),
    notifications: createNotificationStore(engine),
    statistics: createStatisticsStore(engine),
    jobs: createJobStore(engine, createActionJobs(engine)),
    enrichment: createEnrichmentStore(engine),
    leadHints: createLeadHintStore(engine),
    leads: createLeadStore(engine),
    merges: createWorkspaceMerge(engine, directories),
    network: createNetworkStore(engine),
    persons: createPersonStore(engine, directories),
    prospects: createProspectStore(engine, directories),
    savedSearches: createSavedSearchStore(engine),
    leadViews: createLeadViewStore(engine),
    suppressions: createSuppressionStore(engine),
    voices: createVoiceStore(engine),
    /** Throws when the database can't be reached or written to. */
    check: () => checkWritable(engine),
    async maintain() {
      await foldCounts(engine.orm);
      await foldFunnel(engine.orm);
    },
    /** Waits for running statements and closes the connections. */
    close: () => directories.close().then(() => engine.close()),
  };
}

/** After a failover, a connection may lead to a server that only reads. */
async function checkWritable({ orm }: Engine): Promise<void> {
  const [row] = await orm.execute<{ isReadOnly: boolean }>(sql`
    SELECT pg_is_in_recovery() OR current_setting('transaction_read_only') = 'on' AS "isReadOnly"`);
  if (row!.isReadOnly) throw Object.assign(new Error("The database is read-only"), { code: sqlStates.readOnly });
}
