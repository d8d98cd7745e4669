import type { AuditStore } from "../../platform/auth/audit/store.ts";
import type { BackupStore } from "../../features/backup/store.ts";
import type { CampaignStore } from "../../features/campaigns/store.ts";
import type { ClusterStore } from "../../platform/cluster/store.ts";
import type { CreditStore } from "../../features/credits/store.ts";
import type { LeadHintStore } from "../../features/enrichment/directory-store.ts";
import type { EnrichmentStore } from "../../features/enrichment/store.ts";
import type { EventStore } from "../../platform/events/store.ts";
import type { IdempotencyStore } from "../../platform/http/idempotency-store.ts";
import type { RateCounters } from "../../lib/rate-limit/rate-limiter.ts";
import type { InboxStore } from "../../features/inbox/store.ts";
import type { JobStore } from "../../platform/jobs/store.ts";
import type { KeyStore } from "../../platform/auth/key-store.ts";
import type { LeadStore } from "../../features/leads/store.ts";
import type { MetricsStore } from "../../platform/metrics/store.ts";
import type { NetworkStore } from "../../features/network/store.ts";
import type { OperationsStore } from "../../platform/operations/store.ts";
import type { PersonStore } from "../../features/privacy/store.ts";
import type { SimulationStore } from "../../features/simulation/store.ts";
import type { InvitationStore } from "../../features/workspaces/invitations/store.ts";
import type { MailStore } from "../../features/mail/store.ts";
import type { IdentityStore } from "../../features/workspaces/sign-in/store.ts";
import type { SessionStore } from "../../features/workspaces/sessions/store.ts";
import type { LeadViewStore } from "../../features/leads/views/store.ts";
import type { SuppressionStore } from "../../features/suppression/store.ts";
import type { ProspectStore, SavedSearchStore } from "../../features/prospecting/store.ts";
import type { MergeStore } from "../../features/workspaces/merge/model.ts";
import type { NotificationStore } from "../../features/notifications/store.ts";
import type { StatisticsStore } from "../../features/statistics/store.ts";
import type { UserStore } from "../../features/workspaces/users/store.ts";
import type { WorkspaceStore } from "../../features/workspaces/store.ts";
import type { VoiceStore } from "../../features/voice/store.ts";
import type { WebhookStore } from "../../features/webhooks/store.ts";

/** Everything that is kept in the database: the sum of the features' ports, in one engine. */
export type Storage = {
  audit: AuditStore;
  backups: BackupStore;
  operations: OperationsStore;
  users: UserStore;
  workspaces: WorkspaceStore;
  keys: KeyStore;
  sessions: SessionStore;
  identities: IdentityStore;
  mail: MailStore;
  invitations: InvitationStore;
  rates: RateCounters;
  metrics: MetricsStore;
  idempotency: IdempotencyStore;
  credits: CreditStore;
  leads: LeadStore;
  leadHints: LeadHintStore;
  enrichment: EnrichmentStore;
  jobs: JobStore;
  network: NetworkStore;
  inbox: InboxStore;
  campaigns: CampaignStore;
  suppressions: SuppressionStore;
  persons: PersonStore;
  prospects: ProspectStore;
  savedSearches: SavedSearchStore;
  leadViews: LeadViewStore;
  voices: VoiceStore;
  /** Null if the engine runs no simulations. */
  simulation: SimulationStore | null;
  events: EventStore;
  webhooks: WebhookStore;
  notifications: NotificationStore;
  statistics: StatisticsStore;
  merges: MergeStore;
  /** Null if only one process can use the database. */
  cluster: ClusterStore | null;
  /** Throws when the database can't be written to. */
  check(): Promise<void>;
  /** Work of the engine itself that can wait. One node asks for it every ten seconds. */
  maintain(): Promise<void>;
  /** Commits what is queued and closes; nothing may be asked of it afterwards. */
  close(): Promise<void>;
};

/** Storage in a file of this process. */
export type EmbeddedStorage = Storage & { simulation: SimulationStore; cluster: null };
