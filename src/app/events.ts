import { Elysia } from "elysia";
import type { Clock } from "../clock.ts";
import type { Config } from "../config.ts";
import { eventRoutes } from "../events/routes.ts";
import { EventService } from "../events/service.ts";
import { EventStreams } from "../events/streams.ts";
import type { Core } from "../http/core.ts";
import type { Chore } from "../jobs/maintenance.ts";
import type { KeyRing } from "../keys/key-ring.ts";
import type { KeyService } from "../keys/service.ts";
import type { Log } from "../log.ts";
import type { Storage } from "../storage/storage.ts";

export type EventParts = {
  config: Config;
  storage: Storage;
  clock: Clock;
  log: Log;
  keyRing: KeyRing;
  keys: KeyService;
};

/** What happened, told in lists and streams, put together. */
export function composeEvents({ config, storage, clock, log, keyRing, keys }: EventParts) {
  const events = new EventService(storage.events, clock, config.eventDays);
  const streams = new EventStreams({
    events: storage.events,
    isGood: (caller) => keyRing.isGood(caller),
    onKeysChanged: (look) => keyRing.onChange(look),
    limits: { all: config.maxStreams, perKey: config.maxStreamsPerKey },
    clock,
    log,
  });
  const chores: Chore[] = [
    { name: "forget old events", pattern: "40 10 * * * *", run: () => events.forgetOld() },
    { name: "warn of keys that expire", pattern: "50 15 * * * *", run: () => keys.warnOfEnds() },
  ];
  return {
    chores,
    routes: (core: Core) => new Elysia().use(eventRoutes(core, events, streams)),
    async start(): Promise<void> {
      await streams.start();
    },
    /** Before the server waits for its requests to end: a stream does not end by itself. */
    async stop(): Promise<void> {
      await streams.stop();
    },
  };
}
