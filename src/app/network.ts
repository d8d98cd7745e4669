import { CampaignRunner } from "../features/campaigns/campaign-runner.ts";
import { decideTests } from "../features/campaigns/variant-tests.ts";
import { FunnelService } from "../features/campaigns/funnel-service.ts";
import { CampaignService } from "../features/campaigns/service.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import type { JobHandler } from "../platform/jobs/handler.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { LeadAssignees } from "../features/leads/assignees.ts";
import { LeadBulkService } from "../features/leads/bulk-service.ts";
import type { LeadService } from "../features/leads/service.ts";
import { InboxService } from "../features/inbox/service.ts";
import { SnippetService } from "../features/inbox/snippets.ts";
import type { Log } from "../platform/base/log.ts";
import { AccountService } from "../features/network/account-service.ts";
import { createActionHandler, type Connectors } from "../features/network/action-job.ts";
import { ActionService } from "../features/network/action-service.ts";
import { ForecastService } from "../features/network/forecast-service.ts";
import { createLeadOfProfile } from "../features/network/lead-of-profile.ts";
import { createPersonNames } from "../features/network/person-names.ts";
import { Planner } from "../features/network/planner.ts";
import { RelationService } from "../features/network/relation-service.ts";
import type { SpeechProvider } from "../features/network/speech-provider.ts";
import { UploadService } from "../features/network/upload-service.ts";
import { WorkService } from "../features/network/work-service.ts";
import { createConnectors } from "../adapters/providers/network/connectors.ts";
import type { SuppressionService } from "../features/suppression/service.ts";
import type { Storage } from "../adapters/storage/storage.ts";

export type NetworkParts = {
  config: Config;
  storage: Storage;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** Replacements for tests. */
  connectors: Partial<Connectors>;
  leads: LeadService;
  assignees: LeadAssignees;
  suppressions: SuppressionService;
  /** Speech synthesis for voice messages. */
  speech: SpeechProvider;
  /** Signals that a job may be due. */
  poke: () => void;
  /** Receives the results of actions from connectors. */
  onOutcome: ((connector: string, outcome: string) => void) | undefined;
  /** When sending continues while the clock is behind; null otherwise. */
  sendsAgainAt: () => number | null;
};

/** Composes accounts, actions, and campaigns on the professional network. */
export function composeNetwork({
  config,
  storage,
  clock,
  ids,
  log,
  poke,
  leads,
  assignees,
  suppressions,
  speech,
  onOutcome,
  ...parts
}: NetworkParts) {
  const connectors: Connectors = { ...createConnectors(config.connectors, clock), ...parts.connectors };
  const planner = new Planner(storage.network, clock, log, poke);
  const replan = () => planner.wake();
  const profileHosts = config.networkHosts;
  const accounts = new AccountService({
    store: storage.network,
    holders: storage.workspaces,
    connectors,
    defaults: config,
    isRiskAccepted: config.acknowledgeNetworkRisk,
    clock,
    ids,
    replan,
  });
  const leadOfProfile = createLeadOfProfile(storage.leads);
  const personNames = createPersonNames(storage.leads, storage.prospects);
  const actions = new ActionService({
    store: storage.network,
    accounts,
    leads: storage.leads,
    personNames,
    speech,
    clock,
    ids,
    poke,
    replan,
    profileHosts,
  });
  const forecasts = new ForecastService(storage.network, accounts, clock);
  const runner = new CampaignRunner({
    store: storage.campaigns,
    network: storage.network,
    clock,
    ids,
    log,
    profileHosts,
    onScheduled: poke,
  });
  const campaigns = new CampaignService({
    store: storage.campaigns,
    network: storage.network,
    leads: storage.leads,
    runner,
    clock,
    ids,
    profileHosts,
  });
  const bulk = new LeadBulkService(leads, assignees);
  const uploads = new UploadService({
    leads: storage.leads,
    clock,
    ids,
    profileHosts,
    isCampaign: (user, id) => campaigns.canEnroll(user, id),
    addTag: async (workspaceId, leadIds, tag) =>
      void (await bulk.update({ workspaceId, userId: null }, leadIds, { addTags: [tag] })),
    enroll: (workspaceId, id, leadIds, dryRun) => campaigns.enrollLeads(workspaceId, id, leadIds, dryRun),
  });
  const relations = new RelationService({
    store: storage.network,
    accounts,
    actions,
    connectors,
    leadOfProfile,
    clock,
    log,
    profileHosts,
    onNews: () => runner.wake(),
  });
  const snippets = new SnippetService(storage.inbox, clock, ids);
  const { messageDays } = config;
  const inboxParts = { store: storage.inbox, accounts, actions, snippets, suppressions, personNames, clock };
  const inbox = new InboxService({ ...inboxParts, leadOfProfile, messageDays });
  const onEnded = () => runner.wake();
  const onReport = () => {
    planner.wake();
    runner.wake();
  };
  const { sendsAgainAt } = parts;
  const handWork = new WorkService({
    store: storage.network,
    accounts,
    personNames,
    clock,
    poke,
    onEnded: onReport,
    sendsAgainAt,
  });
  const actionParts = { store: storage.network, connectors, speech, clock, log, replan, onEnded, onOutcome };
  const handler: JobHandler = createActionHandler(actionParts);
  const chores: Chore[] = [
    { name: "reschedule queues", pattern: "*/5 * * * * *", run: replan },
    { name: "check for news about people", pattern: "0 */10 * * * *", run: () => relations.watch() },
    {
      name: "decide tests of texts",
      pattern: "30 */10 * * * *",
      run: () => decideTests(storage.campaigns, clock.now()),
    },
    { name: "delete old texts of messages", pattern: "0 40 * * * *", run: () => inbox.deleteOldTexts() },
    { name: "withdraw stale requests", pattern: "0 5 * * * *", run: () => relations.withdrawStale() },
    // On another node, enrollments may have become due that this one has no timer for.
    ...(config.database === null
      ? []
      : [{ name: "check for due campaigns", pattern: "*/5 * * * * *", run: () => runner.wake() }]),
  ];

  return {
    handler,
    chores,
    accounts,
    actions,
    campaigns,
    funnels: new FunnelService(storage.campaigns, storage.network),
    forecasts,
    inbox,
    relations,
    snippets,
    uploads,
    work: handWork,
    /** Background work outside the job runner. */
    workers: [planner, runner],
    start(): void {
      planner.wake();
      runner.start();
    },
    async stop(): Promise<void> {
      await Promise.all([planner.stop(), runner.stop()]);
    },
  };
}
