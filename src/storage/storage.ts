import type { AuditStore } from "../audit/store.ts";
import type { BackupStore } from "../backup/store.ts";
import type { CampaignStore } from "../campaigns/store.ts";
import type { CreditStore } from "../credits/store.ts";
import type { LeadHintStore } from "../enrichment/directory-store.ts";
import type { EnrichmentStore } from "../enrichment/store.ts";
import type { EventStore } from "../events/store.ts";
import type { IdempotencyStore } from "../http/idempotency-store.ts";
import type { RateStore } from "../http/rate-store.ts";
import type { JobStore } from "../jobs/store.ts";
import type { KeyStore } from "../keys/store.ts";
import type { LeadStore } from "../leads/store.ts";
import type { MetricsStore } from "../metrics/store.ts";
import type { NetworkStore } from "../network/store.ts";
import type { OperationsStore } from "../operations/store.ts";
import type { PersonStore } from "../privacy/store.ts";
import type { SimulationStore } from "../simulation/store.ts";
import type { SessionStore } from "../sessions/store.ts";
import type { SuppressionStore } from "../suppression/store.ts";
import type { ProspectStore, SavedSearchStore } from "../prospecting/store.ts";
import type { UserStore } from "../users/store.ts";
import type { VoiceStore } from "../voice/store.ts";
import type { WebhookStore } from "../webhooks/store.ts";

/** Everything that is kept in the database: the sum of the features' ports, in one engine. */
export type Storage = {
  audit: AuditStore;
  backups: BackupStore;
  operations: OperationsStore;
  users: UserStore;
  keys: KeyStore;
  sessions: SessionStore;
  rates: RateStore;
  metrics: MetricsStore;
  idempotency: IdempotencyStore;
  credits: CreditStore;
  leads: LeadStore;
  leadHints: LeadHintStore;
  enrichment: EnrichmentStore;
  jobs: JobStore;
  network: NetworkStore;
  campaigns: CampaignStore;
  suppressions: SuppressionStore;
  persons: PersonStore;
  prospects: ProspectStore;
  savedSearches: SavedSearchStore;
  voices: VoiceStore;
  simulation: SimulationStore;
  events: EventStore;
  webhooks: WebhookStore;
  /** Throws when the database can't be written to. */
  check(): Promise<void>;
  /** Commits what is queued and closes; nothing may be asked of it afterwards. */
  close(): Promise<void>;
};
