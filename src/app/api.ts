import type { Static } from "@sinclair/typebox";
import type { Elysia } from "elysia";
import { auditRoutes } from "../platform/operations/audit-routes.ts";
import type { AuditService } from "../platform/auth/audit/service.ts";
import { funnelRoutes } from "../features/campaigns/funnel-routes.ts";
import { leadCampaignRoutes } from "../features/campaigns/lead-campaign-routes.ts";
import { campaignRoutes } from "../features/campaigns/routes.ts";
import type { Clock } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import { schemaInUse } from "../platform/base/version.ts";
import { creditRoutes } from "../features/credits/routes.ts";
import type { CreditService } from "../features/credits/service.ts";
import { enrichmentRoutes } from "../features/enrichment/routes.ts";
import type { errorCatalogue, ErrorCode } from "../platform/base/errors.ts";
import type { EnrichmentService } from "../features/enrichment/service.ts";
import { eventRoutes } from "../platform/events/routes.ts";
import type { Readiness } from "../platform/operations/readiness.ts";
import type { ErrorBody } from "../platform/http/error-body.ts";
import { healthRoutes } from "../features/workspaces/health-routes.ts";
import type { RouteList } from "../platform/http/route.ts";
import { jobRoutes } from "../platform/jobs/routes.ts";
import type { JobService } from "../platform/jobs/service.ts";
import { keyRoutes } from "../features/workspaces/keys/routes.ts";
import type { KeyService } from "../features/workspaces/keys/service.ts";
import type { HeldFiles } from "../platform/imports/held-files.ts";
import type { KeptFailedRows } from "../features/leads/kept-failed-rows.ts";
import type { LeadImports } from "../features/leads/import-job.ts";
import type { LeadAssignees } from "../features/leads/assignees.ts";
import { leadBulkRoutes } from "../features/leads/bulk-routes.ts";
import type { LeadBulkJobs } from "../features/leads/bulk-jobs.ts";
import { LeadBulkService } from "../features/leads/bulk-service.ts";
import { leadRoutes } from "../features/leads/routes.ts";
import { leadViewRoutes } from "../features/leads/views/routes.ts";
import type { LeadViewService } from "../features/leads/views/service.ts";
import { leadMergeRoutes } from "../features/leads/merge-routes.ts";
import type { LeadMergeService } from "../features/leads/merge-service.ts";
import { leadValueRoutes } from "../features/leads/value-routes.ts";
import type { LeadValueService } from "../features/leads/value-service.ts";
import type { LeadService } from "../features/leads/service.ts";
import { leadTransferRoutes } from "../features/leads/transfer-routes.ts";
import { accountRoutes } from "../features/network/account-routes.ts";
import { actionRoutes } from "../features/network/action-routes.ts";
import { accountUser } from "../features/network/may-use.ts";
import { relationRoutes } from "../features/network/relation-routes.ts";
import { uploadRoutes } from "../features/network/upload-routes.ts";
import { workRoutes } from "../features/network/work-routes.ts";
import type { NodeService } from "../platform/cluster/node-service.ts";
import { nodeRoutes } from "../platform/cluster/routes.ts";
import { inboxRoutes } from "../features/inbox/routes.ts";
import { snippetRoutes } from "../features/inbox/snippet-routes.ts";
import type { Operations } from "../platform/operations/operations.ts";
import { operationsRoutes } from "../platform/operations/routes.ts";
import { privacyRoutes } from "../features/privacy/routes.ts";
import type { PrivacyService } from "../features/privacy/service.ts";
import { prospectImportRoutes } from "../features/prospecting/import-routes.ts";
import type { ProspectImports } from "../features/prospecting/import-job.ts";
import { prospectingRoutes } from "../features/prospecting/routes.ts";
import type { SavedSearchService } from "../features/prospecting/saved-searches.ts";
import type { ProspectingService } from "../features/prospecting/service.ts";
import { openSessionRoutes, sessionRoutes } from "../features/workspaces/sessions/routes.ts";
import { mailRoutes } from "../features/mail/routes.ts";
import type { MailService } from "../features/mail/service.ts";
import type { Caller } from "../platform/auth/caller.ts";
import type { User } from "../platform/auth/user-model.ts";
import { identityRoutes } from "../features/workspaces/sign-in/routes.ts";
import type { SignInService } from "../features/workspaces/sign-in/service.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import { simulationRoutes } from "../features/simulation/routes.ts";
import type { Simulator } from "../features/simulation/simulator.ts";
import { suppressionRoutes } from "../features/suppression/routes.ts";
import type { SuppressionService } from "../features/suppression/service.ts";
import { invitationRoutes } from "../features/workspaces/invitations/routes.ts";
import type { InvitationService } from "../features/workspaces/invitations/service.ts";
import { memberRoutes } from "../features/workspaces/members/routes.ts";
import type { MemberService } from "../features/workspaces/members/service.ts";
import { workspaceRoutes } from "../features/workspaces/routes.ts";
import { notificationRoutes } from "../features/notifications/routes.ts";
import { statisticsRoutes } from "../features/statistics/routes.ts";
import { userRoutes } from "../features/workspaces/users/routes.ts";
import type { WorkspaceService } from "../features/workspaces/service.ts";
import type { UserService } from "../features/workspaces/users/service.ts";
import { voiceRoutes } from "../features/voice/routes.ts";
import type { createVoices } from "../features/voice/setup.ts";
import { voiceSampleRoutes } from "../features/voice/upload-routes.ts";
import { webhookRoutes } from "../features/webhooks/routes.ts";
import type { composeEvents } from "./events.ts";
import type { composeBackups } from "./backups.ts";
import type { composeNetwork } from "./network.ts";

/** Everything that routes depend on. */
export type ApiParts = {
  config: Pick<Config, "maxImportBytes" | "database">;
  clock: Clock;
  readiness: Readiness;
  operations: Operations;
  nodes: NodeService;
  users: UserService;
  workspaces: WorkspaceService;
  members: MemberService;
  invitations: InvitationService;
  keys: KeyService;
  credits: CreditService;
  enrichment: EnrichmentService;
  audit: AuditService;
  privacy: PrivacyService;
  /** Null on a real server. */
  simulator: Simulator | null;
  leads: LeadService;
  assignees: LeadAssignees;
  imports: LeadImports;
  failedRows: KeptFailedRows;
  previews: HeldFiles;
  listWorkbooks: HeldFiles;
  bulkJobs: LeadBulkJobs;
  leadValues: LeadValueService;
  leadMerges: LeadMergeService;
  leadViews: LeadViewService;
  suppressions: SuppressionService;
  prospectImports: ProspectImports;
  prospecting: ProspectingService;
  savedSearches: SavedSearchService;
  jobs: JobService;
  network: ReturnType<typeof composeNetwork>;
  events: ReturnType<typeof composeEvents>;
  voices: ReturnType<typeof createVoices>;
  sessions: SessionService;
  signIn: SignInService;
  mail: MailService;
  userOf: (caller: Caller) => Promise<User | null>;
  /** Base URL for browsers; "" while it is unknown. */
  baseUrl: () => string;
  backups: ReturnType<typeof composeBackups>;
};

/** All routes of the API, in the order of the OpenAPI document. */
export function composeApi(parts: ApiParts) {
  const { users, workspaces, keys, credits, leads, suppressions, prospecting, network, events, voices, audit } = parts;
  const { readiness, operations } = parts;
  const { maxImportBytes } = parts.config;
  return [
    healthRoutes(parts, parts.clock, {
      ...{ readiness, operations, isSimulation: parts.simulator !== null },
      schema: schemaInUse(parts.config),
    }),
    userRoutes(users, workspaces, credits),
    identityRoutes(parts.signIn),
    mailRoutes(parts.mail, parts.userOf),
    workspaceRoutes(workspaces),
    memberRoutes(parts.members),
    invitationRoutes(parts.invitations),
    openSessionRoutes(parts.sessions),
    enrichmentRoutes(parts.enrichment),
    creditRoutes(credits),
    keyRoutes(keys),
    auditRoutes(audit),
    simulationRoutes(parts.simulator),
    privacyRoutes(parts.privacy),
    sessionRoutes(parts.sessions, keys, parts.baseUrl),
    leadTransferRoutes(leads, parts.imports, parts.failedRows, parts.previews, parts.assignees, maxImportBytes, audit),
    leadBulkRoutes(new LeadBulkService(leads, parts.assignees), parts.bulkJobs),
    leadValueRoutes(parts.leadValues),
    leadMergeRoutes(parts.leadMerges),
    leadViewRoutes(parts.leadViews),
    leadRoutes(leads, suppressions),
    suppressionRoutes(suppressions, parts.listWorkbooks, maxImportBytes, audit),
    prospectImportRoutes(parts.prospectImports, maxImportBytes),
    prospectingRoutes(prospecting, parts.savedSearches),
    jobRoutes(parts.jobs, workspaces, (context, id) => network.accounts.requireJobOf(accountUser(context), id)),
    actionRoutes(network.actions),
    accountRoutes(network.accounts, network.forecasts),
    workRoutes(network.work),
    uploadRoutes(network.uploads),
    relationRoutes(network.relations),
    inboxRoutes(network.inbox),
    snippetRoutes(network.snippets),
    leadCampaignRoutes(network.campaigns),
    campaignRoutes(network.campaigns),
    funnelRoutes(network.funnels),
    eventRoutes(events.service, events.streams),
    webhookRoutes(events.webhooks),
    notificationRoutes(events.notifications),
    statisticsRoutes(events.statistics, workspaces),
    voiceRoutes(voices.service, voices.speech, voices.checker),
    voiceSampleRoutes(voices.service),
    parts.backups.routes(),
    operationsRoutes(operations),
    nodeRoutes(parts.nodes),
  ] as const;
}

/** The type of the API, for clients derived from it (`treaty<Api>(url)` of @elysiajs/eden). */
export type Api =
  Elysia extends Elysia<infer Prefix, infer Singleton, infer Definitions, infer Metadata, infer _Routes>
    ? Elysia<Prefix, Singleton, Definitions, Metadata, WithErrors<All<ReturnType<typeof composeApi>>>>
    : never;

/** With the sum as a parameter: the depth of a type is limited unless it ends with itself. */
type All<Lists, Sum = unknown> = Lists extends readonly [RouteList<string, infer Tree>, ...infer Rest]
  ? All<Rest, Sum & Tree>
  : Sum;

type WithErrors<Node> = Node extends { response: { 200: infer Success } }
  ? Omit<Node, "response"> & { response: { 200: Success } & Errors }
  : { [Name in keyof Node]: WithErrors<Node[Name]> };

type Errors = Record<
  (typeof errorCatalogue)[ErrorCode]["status"],
  Omit<Static<typeof ErrorBody>, "code"> & { code: ErrorCode }
>;
