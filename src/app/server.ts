import { AuditService } from "../platform/auth/audit/service.ts";
import { composeApi } from "./api.ts";
import { composeEnrichment } from "./enrichment.ts";
import { SessionCookies } from "../platform/http/session-cookie.ts";
import { composeTeam } from "./team.ts";
import { composeEvents } from "./events.ts";
import type { App, Overrides } from "./app.ts";
import type { Surfaces } from "./surfaces.ts";
import { beginAnew } from "./first-run.ts";
import { composeBackups } from "./backups.ts";
import { composeCluster } from "./cluster.ts";
import { openFiles, refuseUsedBucket } from "./files.ts";
import { composeHttp } from "./http.ts";
import { composeLeads } from "./leads.ts";
import { composeNetwork } from "./network.ts";
import { openStorage, explainedBy, type OpenedStorage } from "./open-storage.ts";
import { composeOperations } from "./operations.ts";
import { trackRunning } from "./track-running.ts";
import { runAfterStart } from "./run-after-start.ts";
import { createSimulator, openSimulation, type SimulatedWorld } from "./simulation.ts";
import { systemIds } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import { announce } from "./announce.ts";
import { lowBalance } from "../features/credits/model.ts";
import { CreditService } from "../features/credits/service.ts";
import { holdDataDirectory, type DataDirectory } from "../adapters/disk/data-directory.ts";
import { docsRoutes } from "../platform/http/docs.ts";
import { RateLimiter } from "../lib/rate-limit/rate-limiter.ts";
import type { Listening } from "../platform/http/server.ts";
import type { JobHandler } from "../platform/jobs/handler.ts";
import { Maintenance, type Chore } from "../platform/jobs/maintenance.ts";
import { JobRunner } from "../platform/jobs/runner.ts";
import { JobService } from "../platform/jobs/service.ts";
import { KeyRing } from "../platform/auth/access.ts";
import { makeSecret } from "../platform/auth/secret.ts";
import { createLog, type Log } from "../platform/base/log.ts";
import { createMetrics } from "../platform/metrics/metrics.ts";
import { metricsRoutes } from "../platform/operations/metrics-routes.ts";
import { createErasureHandler } from "../features/privacy/erase-job.ts";
import { PrivacyService } from "../features/privacy/service.ts";
import { SavedSearchService } from "../features/prospecting/saved-searches.ts";
import { ProspectingService } from "../features/prospecting/service.ts";
import { createSources } from "../adapters/providers/prospecting/create-sources.ts";
import { createVoiceEngines } from "../adapters/providers/voice/voice-engines.ts";
import { SuppressionService } from "../features/suppression/service.ts";
import { createVoices } from "../features/voice/setup.ts";

/**
 * Locks the data directory, opens (and migrates) the database, and composes the server. Throws `StartError`, and the
 * reason of `stop` if that is aborted while a shared database is not ready yet.
 */
export async function createServer(
  config: Config,
  surfaces: Surfaces,
  overrides: Overrides = {},
  stop?: AbortSignal,
): Promise<App> {
  const directory = holdDataDirectory(config.dataDir);
  try {
    const nodeId = (overrides.ids ?? systemIds).next(Date.now());
    const ownLog = overrides.log ?? createLog(config.logLevel);
    const log = config.database === null ? ownLog : ownLog.child({ node: nodeId });
    const opened = await openStorage(config, directory, overrides.clock ?? null, log, stop);
    try {
      const simulated = await openSimulation(config, opened.storage, opened.clock);
      return await compose(config, surfaces, directory, nodeId, opened, log, overrides, simulated);
    } catch (error) {
      await opened.storage.close();
      throw error;
    }
  } catch (error) {
    directory.release();
    return await explainedBy(config, directory)(error);
  }
}

async function compose(
  config: Config,
  surfaces: Surfaces,
  directory: DataDirectory,
  nodeId: string,
  { storage, clock: realClock, installation, database }: OpenedStorage,
  ownLog: Log,
  overrides: Overrides,
  simulated: SimulatedWorld | null,
): Promise<App> {
  const clock = simulated?.clock ?? realClock;
  const ids = simulated?.ids ?? overrides.ids ?? systemIds;
  const log = simulated === null ? ownLog : ownLog.child({ simulation: true });
  const { blobs, scratch, place: filesPlace } = await openFiles(config, directory);

  const metrics = config.metrics
    ? await createMetrics({ store: storage.metrics, clock, dataDir: directory.path, lowBalance })
    : null;
  const isCurrent = () => cluster?.isCurrent ?? true;
  const keyRing = new KeyRing(storage.keys, storage.workspaces, clock, database === null ? undefined : isCurrent);
  // Protects against real load, so its clock is real even in a simulation.
  const limiter = new RateLimiter(config.rateLimit, storage.rates, realClock.system);

  // Errors prefix it with the URL under which the client reaches the server.
  const upgradeUrl = config.upgradeUrl ?? "/docs";
  const connector = simulated !== null && config.connector === "manual" ? "simulated" : config.connector;
  const audit = new AuditService(storage.audit, clock, config.auditRetentionDays, log);
  const baseUrl = () => config.publicUrl ?? listening?.url ?? "";
  const handOver: Parameters<typeof composeTeam>[0]["handOver"] = {
    leadsTo: (...parts) => leads.handOver(...parts),
    accountsTo: (...parts) => network.accounts.handOver(...parts),
  };
  const team = composeTeam({ config, storage, connector, keyRing, clock, realClock, ids, handOver, baseUrl, log });
  const { users, workspaces, keys, sessions } = team;
  const creditService = new CreditService(storage.credits, storage.workspaces, storage.keys, clock, ids, {
    costs: { enrichment: config.creditsPerEnrichment, search: config.creditsPerProspect },
    monthlyGrant: config.monthlyCredits,
    upgradeUrl,
    sharesStore: false,
  });
  const poke = () => runner.poke();
  const { readiness, operations, ...watch } = await composeOperations({
    storage,
    clock: realClock,
    checkFiles: () => blobs.check(),
    checkTime: () => database?.timeProblem() ?? null,
    checkRunning() {
      if (stopping !== null) return "the server is stopping";
      return background.isStarted ? null : "the server is starting";
    },
    isSimulation: simulated !== null,
    poke,
    log,
  });
  const jobs = new JobService(storage.jobs, clock, poke);
  const suppressions = new SuppressionService(storage.suppressions, clock, ids, log, config.phoneRegion);
  const campaigns = () => network.campaigns;
  const { assignees, leads, imports, bulkHandler, leadParts } = composeLeads({
    ...{ config, storage, blobs, scratch, jobs, suppressions, campaigns, clock, ids, log },
  });
  const prospecting = new ProspectingService(
    storage.prospects,
    leads,
    storage.suppressions,
    creditService,
    simulated?.sources ?? (await createSources(config, clock)),
    clock,
    ids,
  );
  const savedSearches = new SavedSearchService(storage.savedSearches, clock, ids);

  const leadImport = trackRunning(imports.leadHandler);
  const enrichment = await composeEnrichment({
    config,
    storage,
    clock,
    ids,
    log,
    poke,
    leads,
    jobs,
    credits: creditService,
    isImporting: leadImport.isRunning,
    simulated: simulated?.provider ?? null,
  });

  const voices = createVoices({
    store: storage.voices,
    blobs,
    engines: simulated?.voiceEngines ?? {
      ...createVoiceEngines(config.voiceVendors, clock),
      ...overrides.voiceEngines,
    },
    config,
    upgradeUrl,
    clock,
    ids,
    log,
    onJobSubmitted: poke,
  });
  const network = composeNetwork({
    config: simulated === null ? config : { ...config, acknowledgeNetworkRisk: true },
    ...{ storage, clock, ids, log, poke },
    connectors: simulated?.connectors ?? overrides.connectors ?? {},
    leads,
    assignees,
    suppressions,
    speech: voices.messages,
    onOutcome: metrics?.actionAttempted,
    sendsAgainAt: () => operations.sendsAgainAt(),
  });
  const privacy = new PrivacyService(storage.persons, jobs, suppressions, audit, clock, ids);
  const hasLead = () => cluster?.hasLead ?? true;
  const events = composeEvents({ config, storage, clock, ids, log, keyRing, sessions, keys, mayDeliver: hasLead });
  const backups = composeBackups({
    ...{ config, directory, database, nodeId, installation, files: filesPlace, storage, audit, clock, log, metrics },
  });
  const handlers: JobHandler[] = [
    leadImport.handler,
    bulkHandler,
    enrichment.handler,
    imports.prospectHandler,
    network.handler,
    voices.handler,
    createErasureHandler({
      ...{ store: storage.persons, suppressions, forgetSpeech: voices.forgetSpeech, clock, log },
      forgetFailedRows: (workspaceId) => imports.failedRows.forget(workspaceId),
      emptyMemory: () => http.idempotency.emptyMemory(),
    }),
  ];
  const runner = new JobRunner(storage.jobs, handlers, clock, ids, log, {
    observer: metrics,
    diskClock: realClock,
    isPaused: (type) => operations.isPaused(type),
  });
  runner.onDiskFault((error) => readiness.reportError(error));
  const flush = async () => {
    await keyRing.flush();
    await limiter.flush();
    await enrichment.flush();
    await audit.writeOwed();
    await backups.flush();
  };
  const chores: Chore[] = [
    ...enrichment.chores,
    ...imports.chores,
    { name: "delete old audit entries", pattern: "40 50 3 * * *", run: () => audit.forgetOld() },
    { name: "write key usage and rate limits", pattern: "* * * * * *", run: flush, onEachNode: true },
    ...team.chores,
    ...watch.chores,
    { name: "check for due jobs", pattern: "*/10 * * * * *", run: poke, onEachNode: true },
    ...backups.chores,
    ...network.chores,
    ...voices.chores,
    ...events.chores,
    { name: "delete old Idempotency-Keys", pattern: "30 * * * * *", run: () => http.idempotency.sweep() },
    {
      name: "store pending responses",
      pattern: "30 * * * * *",
      run: () => http.idempotency.storePending(),
      onEachNode: true,
    },
  ];
  const onFailure = (error: unknown) => readiness.reportError(error);
  const maintenance = new Maintenance(simulated === null ? chores : [], log, onFailure, hasLead);
  const role = config.database?.role ?? "all";
  const drainMs = config.drainSeconds * 1000;
  const { cluster, nodes } = await composeCluster({
    ...{ config, storage, database, nodeId, files: filesPlace, clock: realClock, jobClock: clock, log, metrics },
    ...{ keyRing, poke, delivering: events.delivering, operations, chores },
  });
  let noting: Promise<void> | null = null;
  const background = runAfterStart(() => {
    if (role !== "api") {
      runner.start();
      network.start();
    }
    maintenance.start();
    noting = audit.noteRisk(config.acknowledgeNetworkRisk);
    void backups.start();
  });
  async function idle(): Promise<void> {
    background.runNow();
    await noting;
    // Each may create work for the others.
    const workers = [runner, ...network.workers, ...events.workers];
    do for (const each of workers) await each.idle();
    while (workers.some((each) => each.isBusy));
  }
  const simulator = simulated && createSimulator(simulated, storage, { idle, runner, chores, log });

  // Rarely needed, so it is computed on demand.
  const document = async (): Promise<object> =>
    (await import("../platform/http/openapi-document.ts")).openApiDocument(
      http.table.routes,
      config.publicUrl ?? (listening?.url || "/"),
    );
  const api = composeApi({
    ...{ config, clock, readiness, operations, nodes },
    ...team,
    ...leadParts,
    credits: creditService,
    enrichment: enrichment.service,
    audit,
    privacy,
    simulator,
    suppressions,
    prospecting,
    savedSearches,
    jobs,
    network,
    events,
    voices,
    baseUrl,
    backups,
  });
  const cookies = new SessionCookies(installation, config.publicUrl);
  const browser = { ...config, cookies, ...team, operations, audit, limiter, clock: realClock };
  const http = composeHttp(
    {
      ...{ config, storage, clock, realClock, ids, log, cluster },
      ...{ keyRing, keys, limiter, workspaces, sessions, cookies },
      readiness,
      operations,
      audit,
      isSimulation: simulated !== null,
      metrics: metrics?.http ?? null,
    },
    role === "worker"
      ? [api[0], ...(metrics === null ? [] : [metricsRoutes(metrics)])]
      : [
          ...api,
          surfaces.session(browser),
          surfaces.invitation(browser),
          surfaces.pages(browser),
          docsRoutes(document, config.publicUrl),
          surfaces.tools({
            document,
            call: (request, outer) => http.server.call(request, outer),
            corsOrigins: config.corsOrigins,
            clock,
          }),
          ...(metrics === null ? [] : [metricsRoutes(metrics)]),
        ],
  );

  if ((await users.count()) === 0) await refuseUsedBucket(blobs, filesPlace);
  const firstRun = await beginAnew({ directory, adminEmail: config.adminEmail, users, keys, sessions });
  const localKey = makeSecret("local", ids);
  keyRing.addLocal(localKey);

  let listening: Listening | null = null;
  let prepared: Promise<void> | null = null;
  let starting: Promise<void> | null = null;
  let stopping: Promise<void> | null = null;

  async function prepareWork(): Promise<void> {
    await imports.sweep();
    await voices.start();
    await enrichment.start();
    events.start();
    if (cluster === null) events.delivering.start();
    else await cluster.start();
  }
  const prepare = () => (prepared ??= prepareWork().catch(explainedBy(config, directory)));

  async function work(): Promise<void> {
    await prepare();
    background.start();
  }

  async function begin(): Promise<void> {
    // Before the first request: no import is running yet, and no request has to wait.
    await prepare();
    if (stopping !== null) return;
    listening = http.server.listen(config.listen.host, config.listen.port);
    background.start();
    announce(directory, config, { url: listening.url, localKey });
    log.info({ url: listening.url, dataDir: directory.path }, "listening");
    if (simulator !== null)
      log.warn(simulator.view(), "this is a simulation: nothing is real, and time advances only on request");
  }

  async function stopAll(): Promise<void> {
    listening?.drain();
    await cluster?.drain(listening === null || role === "worker" ? 0 : drainMs);
    background.stop();
    await noting;
    maintenance.stop();
    simulator?.stop();
    await events.endStreams();
    await Promise.all([
      listening?.stop(drainMs),
      runner.stop(drainMs),
      network.stop(),
      events.stop(drainMs),
      backups.stop(),
    ]);
    await voices.stop();
    metrics?.stop();
    // Little has been counted since the last flush. A failure here must not keep the rest from closing.
    await flush().catch((error: unknown) => log.error({ err: error }, "could not write key usage and rate limits"));
    await watch.stop();
    await cluster?.stop();
    await storage.close();
    directory.release();
    log.info("stopped");
  }

  return {
    start: () => (starting ??= begin()),
    work,
    handle: (request) => http.server.fetch(request),
    stop: () => (stopping ??= stopAll()),
    get url() {
      return listening?.url ?? "";
    },
    localKey,
    firstRun,
    runner,
    maintenance,
    idle,
  };
}
