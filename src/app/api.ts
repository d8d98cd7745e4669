import type { Static } from "@sinclair/typebox";
import { Elysia } from "elysia";
import { auditRoutes } from "../audit/routes.ts";
import type { AuditService } from "../audit/service.ts";
import { campaignRoutes } from "../campaigns/routes.ts";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { creditRoutes } from "../credits/routes.ts";
import type { CreditService } from "../credits/service.ts";
import { enrichmentRoutes } from "../enrichment/routes.ts";
import type { errorCatalogue, ErrorCode } from "../errors.ts";
import type { EnrichmentService } from "../enrichment/service.ts";
import { eventRoutes } from "../events/routes.ts";
import type { Readiness } from "../health/readiness.ts";
import type { ErrorBody } from "../http/error-body.ts";
import { healthRoutes } from "../health/routes.ts";
import type { Core, Entrance } from "../http/core.ts";
import { adapter } from "../http/adapter.ts";
import { takeLate } from "../http/late-routes.ts";
import { jobRoutes } from "../jobs/routes.ts";
import type { JobService } from "../jobs/service.ts";
import { keyRoutes } from "../keys/routes.ts";
import type { KeyService } from "../keys/service.ts";
import type { LeadImports } from "../leads/import-job.ts";
import { leadBulkRoutes } from "../leads/bulk-routes.ts";
import { LeadBulkService } from "../leads/bulk-service.ts";
import { leadRoutes } from "../leads/routes.ts";
import type { LeadService } from "../leads/service.ts";
import { leadTransferRoutes } from "../leads/transfer-routes.ts";
import { accountRoutes } from "../network/account-routes.ts";
import { actionRoutes } from "../network/action-routes.ts";
import { relationRoutes } from "../network/relation-routes.ts";
import { uploadRoutes } from "../network/upload-routes.ts";
import { workRoutes } from "../network/work-routes.ts";
import type { Operations } from "../operations/operations.ts";
import { operationsRoutes } from "../operations/routes.ts";
import { privacyRoutes } from "../privacy/routes.ts";
import type { PrivacyService } from "../privacy/service.ts";
import { prospectImportRoutes } from "../prospecting/import-routes.ts";
import type { ProspectImports } from "../prospecting/import-job.ts";
import { prospectingRoutes } from "../prospecting/routes.ts";
import type { SavedSearchService } from "../prospecting/saved-searches.ts";
import type { ProspectingService } from "../prospecting/service.ts";
import { sessionRoutes } from "../sessions/routes.ts";
import type { SessionService } from "../sessions/service.ts";
import { simulationRoutes } from "../simulation/routes.ts";
import type { Simulator } from "../simulation/simulator.ts";
import { suppressionRoutes } from "../suppression/routes.ts";
import type { SuppressionService } from "../suppression/service.ts";
import { userRoutes } from "../users/routes.ts";
import type { UserService } from "../users/service.ts";
import { voiceRoutes } from "../voice/routes.ts";
import type { createVoices } from "../voice/setup.ts";
import { voiceSampleRoutes } from "../voice/upload-routes.ts";
import { webhookRoutes } from "../webhooks/routes.ts";
import type { composeEvents } from "./events.ts";
import type { composeBackups } from "./backups.ts";
import type { composeNetwork } from "./network.ts";

/** What stands behind the routes. */
export type ApiParts = {
  config: Pick<Config, "maxImportBytes">;
  clock: Clock;
  readiness: Readiness;
  operations: Operations;
  users: UserService;
  keys: KeyService;
  credits: CreditService;
  enrichment: EnrichmentService;
  audit: AuditService;
  privacy: PrivacyService;
  /** Null on a real server. */
  simulator: Simulator | null;
  leads: LeadService;
  imports: LeadImports;
  suppressions: SuppressionService;
  prospectImports: ProspectImports;
  prospecting: ProspectingService;
  savedSearches: SavedSearchService;
  jobs: JobService;
  network: ReturnType<typeof composeNetwork>;
  events: ReturnType<typeof composeEvents>;
  voices: ReturnType<typeof createVoices>;
  sessions: SessionService;
  /** Where browsers reach the server; "" while nobody knows. */
  baseUrl: () => string;
  backups: ReturnType<typeof composeBackups>;
};

/** All routes of the API, in one app. */
export function composeApi(entrance: Entrance, core: Core, parts: ApiParts) {
  const { users, keys, credits, leads, suppressions, prospecting, network, events, voices, audit } = parts;
  const { readiness, operations } = parts;
  const { maxImportBytes } = parts.config;
  return (
    // Otherwise Elysia looks for the path behind the eleventh character of the URL, which http://crm/ does not have.
    takeLate(new Elysia({ adapter, handler: { standardHostname: false } }))
      .use(entrance)
      .use(core)
      .use(
        healthRoutes(core, users, keys, parts.clock, { readiness, operations, isSimulation: parts.simulator !== null }),
      )
      .use(userRoutes(core, users, credits))
      .use(enrichmentRoutes(core, parts.enrichment))
      .use(creditRoutes(core, credits))
      .use(keyRoutes(core, keys))
      .use(auditRoutes(core, audit))
      .use(simulationRoutes(core, parts.simulator))
      .use(privacyRoutes(core, parts.privacy))
      .use(sessionRoutes(core, parts.sessions, keys, parts.baseUrl))
      .use(leadTransferRoutes(core, leads, parts.imports, maxImportBytes, audit))
      .use(leadBulkRoutes(core, new LeadBulkService(leads)))
      .use(leadRoutes(core, leads, suppressions))
      .use(suppressionRoutes(core, suppressions, maxImportBytes, audit))
      .use(prospectImportRoutes(core, parts.prospectImports, maxImportBytes))
      .use(prospectingRoutes(core, prospecting, parts.savedSearches))
      .use(jobRoutes(core, parts.jobs, users))
      // One by one: each app around an app takes all of its routes in anew.
      .use(actionRoutes(core, network.actions))
      .use(accountRoutes(core, network.accounts, network.foresight))
      .use(workRoutes(core, network.work))
      .use(uploadRoutes(core, network.uploads))
      .use(relationRoutes(core, network.relations))
      .use(campaignRoutes(core, network.campaigns))
      .use(eventRoutes(core, events.service, events.streams))
      .use(webhookRoutes(core, events.webhooks))
      .use(voiceRoutes(core, voices.service, voices.speech, voices.checker))
      .use(voiceSampleRoutes(core, voices.service))
      .use(parts.backups.routes(core))
      .use(operationsRoutes(core, operations))
  );
}

type App = ReturnType<typeof composeApi>;

/**
 * The type of the API, for clients that are derived from it (`treaty<Api>(url)` of @elysiajs/eden). Refusals are typed as
 * they are rendered here; Elysia itself knows only of those of its own validation, which is not used.
 */
export type Api =
  App extends Elysia<
    infer Prefix,
    infer Singleton,
    infer Definitions,
    infer Metadata,
    infer Routes,
    infer Ephemeral,
    infer Volatile
  >
    ? Elysia<Prefix, Singleton, Definitions, Metadata, WithRefusals<Routes>, Ephemeral, Volatile>
    : never;

type WithRefusals<Node> = Node extends { response: { 200: infer Success } }
  ? Omit<Node, "response"> & { response: { 200: Success } & Refusals }
  : { [Name in keyof Node]: WithRefusals<Node[Name]> };

type Refusals = Record<
  (typeof errorCatalogue)[ErrorCode]["status"],
  Omit<Static<typeof ErrorBody>, "code"> & { code: ErrorCode }
>;
