import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Config } from "./config/config.ts";
import { NotificationService } from "../features/notifications/service.ts";
import { StatisticsService } from "../features/statistics/service.ts";
import { EventService } from "../platform/events/service.ts";
import { EventStreams } from "../platform/events/streams.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { KeyRing } from "../platform/auth/access.ts";
import type { SessionService } from "../features/workspaces/sessions/service.ts";
import type { KeyService } from "../features/workspaces/keys/service.ts";
import type { Log } from "../platform/base/log.ts";
import { createWebhookSender } from "../adapters/providers/webhooks/threaded.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { fullNameOf } from "../features/network/person-names.ts";
import { Deliverer } from "../features/webhooks/deliverer.ts";
import { WebhookService } from "../features/webhooks/service.ts";

export type EventParts = {
  config: Config;
  storage: Storage;
  clock: Clock;
  ids: Ids;
  log: Log;
  keyRing: KeyRing;
  sessions: SessionService;
  keys: KeyService;
  /** Whether this process is the one that delivers to webhooks. */
  mayDeliver: () => boolean;
};

const dayMs = 86_400_000;
/** Most receivers respond within this time. Deliveries that take longer are repeated after the next start. */
const lastPostsMs = 2000;

/** Composes events: lists, streams, and webhooks. */
export function composeEvents({ config, storage, clock, ids, log, keyRing, sessions, keys, mayDeliver }: EventParts) {
  const events = new EventService(storage.events, clock, config.eventDays);
  const streams = new EventStreams({
    events: storage.events,
    isValid: (caller) => sessions.mayGoOn(caller),
    onKeysChanged: (look) => keyRing.onChange(look),
    limits: { all: config.maxStreams, perKey: config.maxStreamsPerKey },
    clock,
    log,
  });
  const connector = createWebhookSender(config.webhookPrivateHosts);
  const createDeliverer = () =>
    new Deliverer({
      store: storage.webhooks,
      connector,
      onNewEvents: (tell) => storage.events.onNew(tell),
      mayDeliver,
      disableAfterMs: config.webhookDisableDays * dayMs,
      clock,
      ids,
      log,
    });
  let deliverer = createDeliverer();
  const delivering = {
    get isBusy(): boolean {
      return deliverer.isBusy;
    },
    idle: () => deliverer.idle(),
    start: () => deliverer.start(),
    /** Looks for what other nodes have queued. */
    lookAgain: () => deliverer.lookAgain(),
    /** Can be started again. */
    async stop(drainMs: number): Promise<void> {
      const stopped = deliverer;
      deliverer = createDeliverer();
      await stopped.stop(Math.min(drainMs, lastPostsMs));
    },
  };
  const webhooks = new WebhookService({
    store: storage.webhooks,
    connector,
    clock,
    ids,
    wake: () => deliverer.wake(),
    onChanged: (endpointId) => deliverer.endpointChanged(endpointId),
  });
  const notifications = new NotificationService({
    events: storage.events,
    store: storage.notifications,
    joinedAt: async (workspaceId, userId) =>
      (await storage.workspaces.member(workspaceId, userId))?.member.createdAt ?? null,
    names: {
      lead: async (workspaceId, id) => fullNameOf(await storage.leads.get(workspaceId, id)),
      account: async (workspaceId, id) => (await storage.network.account(workspaceId, id))?.name ?? null,
      campaign: async (workspaceId, id) => (await storage.campaigns.get(workspaceId, id))?.name ?? null,
      voice: async (workspaceId, id) => (await storage.voices.get(workspaceId, id))?.name ?? null,
    },
    clock,
  });
  const chores: Chore[] = [
    { name: "delete old events", pattern: "40 10 * * * *", run: () => events.deleteExpired() },
    { name: "warn about expiring keys", pattern: "50 15 * * * *", run: () => keys.warnOfExpiry() },
    { name: "remove leftovers of deleted webhooks", pattern: "25 * * * * *", run: () => webhooks.sweep() },
  ];
  return {
    service: events,
    streams,
    webhooks,
    notifications,
    statistics: new StatisticsService(storage.statistics, clock),
    chores,
    /** Background work outside the job runner. */
    workers: [delivering],
    delivering,
    start(): void {
      streams.start();
    },
    /** Called before the server waits for its requests to end, because a stream never ends on its own. */
    async endStreams(): Promise<void> {
      await streams.stop();
    },
    async stop(drainMs: number): Promise<void> {
      await delivering.stop(drainMs);
      await connector.stop();
    },
  };
}
