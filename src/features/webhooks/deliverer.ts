import type { Clock } from "../../platform/base/clock.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import type { Ids } from "../../platform/base/ids.ts";
import { GatheredWork } from "../../platform/jobs/gathered-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { AskedPlaces } from "./asked-places.ts";
import type { PostOutcome, WebhookConnector } from "./connector.ts";
import { Lane } from "./lane.ts";
import { payloadOf, webhookIdOf } from "./message.ts";
import { testType, type DueDelivery, type Endpoint } from "./model.ts";
import { signedHeaders } from "./signature.ts";
import type { Settlement, WebhookStore } from "./store.ts";
import { maxTries, verdictOf } from "./verdict.ts";

export type DelivererParts = {
  store: WebhookStore;
  connector: WebhookConnector;
  /** Calls back after each commit that brought events; the answer ends that. */
  onNewEvents: (tell: () => void) => () => void;
  /** Whoever fails for so long is turned off; 0: nobody is. */
  disableAfterMs: number;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** One delivery that is posted once. */
type Turn = {
  endpoint: Endpoint;
  delivery: DueDelivery;
  /** Beside the queue. */
  isAsked: boolean;
  /** Whether the receiver took it; null when nobody knows. Its outcome is not written yet. */
  ended: (hasArrived: boolean | null) => void;
  /** What came of it is written, or is not known: if it is due, it may be posted again. */
  settled: (hasArrived: boolean) => void;
};
type Settling = Pick<Turn, "settled"> & { settlement: Settlement };

/** Of the 15 to 30 seconds that Standard Webhooks recommends. */
const timeoutMs = 15_000;
/**
 * So many posts at once; of these, by receivers that took nothing lately; of these, by receivers that failed. However
 * many hang, there is room for those that work.
 */
const places = { all: 256, unproven: 192, failing: 64 };
/** Events that come close together are told together, as are their outcomes: at most twenty commits a second of each. */
const gatherMs = 50;
/** What the process before has left waits until this one has got going: there may be much of it. */
const settleInMs = 1000;
/** Some milliseconds of the writer's time when each of them goes to dozens of endpoints. */
const eventsAtOnce = 100;
/** When nothing is due for longer, look again anyway. */
const longestSleepMs = 30_000;
const diskRetryMs = 5_000;
const endpointsBetweenPauses = 16;
/** So many endpoints are looked at for those that have a place for what somebody waits for. */
const askedLookedAt = 256;
/** So long after one that failed the next one is not posted, however often it is asked for. */
const askedGapMs = 2000;

/**
 * Posts events to the endpoints that want them. The table of deliveries is the queue: an event is in it since shortly
 * after its commit, and leaves it when an outcome was written, so that a crash repeats an attempt and loses none.
 * Memory holds only what is being posted, and a little ahead.
 *
 * What somebody waits for, a test or a single replay, is no part of the queue: it has places of its own, is posted also
 * while its endpoint rests, and if it arrives, that rest is over.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #posts = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #fanning: GatheredWork;
  readonly #looking: GatheredWork;
  readonly #settling: GatheredWork;
  readonly #asked = new AskedPlaces();
  #settlements: Settling[] = [];
  #posting = 0;
  /** The disk does not take outcomes: nothing is posted that could not be told to be done. */
  #isStuck = false;
  #isStarted = false;
  #stopListening = (): void => {};
  #cancelTimer = (): void => {};

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    const work = (run: () => Promise<void>, what: string) =>
      new GatheredWork(clock, gatherMs, run, (error) => log.error({ err: error }, what));
    this.#fanning = work(() => this.#fanOut(), "could not hand events to webhooks");
    this.#looking = work(() => this.#look(), "could not look for due webhooks");
    this.#settling = work(() => this.#settle(), "could not write what came of webhooks");
  }

  /** Begins to deliver; what was left by the process of before goes on. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stopListening = this.#parts.onNewEvents(() => this.#fanning.wake());
    this.#fanning.wake(settleInMs);
    this.#looking.wake(settleInMs);
  }

  /** Begins nothing more, and waits for what is being posted, at most `drainMs`; the rest is posted again after a start. */
  async stop(drainMs: number): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#stopListening();
    this.#cancelTimer();
    for (const lane of this.#lanes.values()) lane.close();
    await Promise.all([this.#fanning.stop(), this.#looking.stop()]);
    const cancel = this.#parts.clock.after(drainMs, () => this.#abort.abort());
    await Promise.all(this.#posts);
    cancel();
    await this.#settling.idle();
    await this.#settling.stop();
  }

  /** Something may be due: look soon. */
  wake(): void {
    if (this.#isStarted) this.#looking.wake();
  }

  /** An endpoint has changed: nothing is posted any more as it was before. */
  changed(endpointId: string): void {
    const lane = this.#lanes.get(endpointId);
    lane?.close();
    if (lane?.isEmpty) this.#lanes.delete(endpointId);
    this.wake();
  }

  get isBusy(): boolean {
    return [this.#fanning, this.#looking, this.#settling].some((work) => work.isBusy) || this.#posts.size > 0;
  }

  /** Resolves when nothing is due and nothing is being posted. */
  async idle(): Promise<void> {
    while (this.isBusy) {
      await this.#fanning.idle();
      await this.#looking.idle();
      await Promise.all(this.#posts);
      await this.#settling.idle();
    }
  }

  async #fanOut(): Promise<void> {
    const { store, clock } = this.#parts;
    for (let events = eventsAtOnce; events === eventsAtOnce && this.#isStarted;) {
      events = await store.fanOut(clock.now(), eventsAtOnce);
      if (events > 0) this.#looking.wake();
    }
  }

  async #look(): Promise<void> {
    if (!this.#isStarted) return;
    this.#cancelTimer();
    const { store, clock } = this.#parts;
    await this.#postAsked();
    await this.#fill(false);
    await this.#fill(true);
    const dueAt = await store.nextDueAt(clock.now());
    if (this.#isStarted) this.#sleep(dueAt === null ? longestSleepMs : dueAt - clock.now());
  }

  async #postAsked(): Promise<void> {
    const { store } = this.#parts;
    for (const endpoint of await store.askedEndpoints(askedLookedAt)) {
      if (!this.#isStarted || this.#isStuck) break;
      if (!this.#asked.take(endpoint)) continue;
      const delivery = await store.asked(endpoint.id);
      if (delivery === null) this.#asked.free(endpoint.id);
      else this.#beginAsked(endpoint, delivery);
    }
  }

  #beginAsked(endpoint: Endpoint, delivery: DueDelivery): void {
    const free = (): void => {
      this.#asked.free(endpoint.id);
      this.wake();
    };
    const settled = (hasArrived: boolean): void => {
      if (hasArrived) free();
      else this.#parts.clock.after(askedGapMs, free);
    };
    this.#run({ endpoint, delivery, isAsked: true, ended: () => {}, settled });
  }

  /** Reads what is due of endpoints that fail, or of the others, as far as there is room for them. */
  async #fill(areFailing: boolean): Promise<void> {
    const { store, clock } = this.#parts;
    const free = places.all - this.#posting;
    const known = [...this.#lanes.values()].filter((lane) => lane.isFailing === areFailing).length;
    const endpoints = await store.dueEndpoints({ areFailing, now: clock.now(), limit: known + free });
    for (const [index, endpoint] of endpoints.entries()) {
      if (index % endpointsBetweenPauses === endpointsBetweenPauses - 1) await pause();
      if (!this.#isStarted || this.#isFull) break;
      const lane = this.#laneOf(endpoint);
      if (lane.wanted > 0 && (lane.posting > 0 || this.#mayBegin(lane)))
        lane.add(await store.due(endpoint.id, clock.now(), lane.unsettled.size + lane.waiting.length + lane.wanted));
      this.#begin(lane);
      if (lane.isEmpty) this.#lanes.delete(endpoint.id);
    }
  }

  get #isFull(): boolean {
    return this.#posting >= places.all;
  }

  #laneOf(endpoint: Endpoint): Lane {
    const lane = this.#lanes.get(endpoint.id) ?? new Lane(endpoint);
    this.#lanes.set(endpoint.id, lane);
    if (!lane.isClosed) lane.endpoint = endpoint;
    return lane;
  }

  #mayBegin(lane: Lane): boolean {
    if (!lane.hasRoom || this.#isFull || this.#isStuck) return false;
    if (lane.isProven) return true;
    let [unproven, failing] = [0, 0];
    for (const other of this.#lanes.values()) {
      if (!other.isProven) unproven += other.posting;
      if (other.isFailing) failing += other.posting;
    }
    return unproven < places.unproven && (!lane.isFailing || failing < places.failing);
  }

  #begin(lane: Lane): void {
    while (lane.waiting.length > 0 && this.#isStarted && this.#mayBegin(lane)) {
      const delivery = lane.waiting.shift()!;
      lane.posting++;
      this.#posting++;
      lane.unsettled.add(delivery.event.id);
      const { endpoint } = lane;
      const ended = (hasArrived: boolean | null): void => {
        if (hasArrived === true) lane.succeeded();
        if (hasArrived === false) lane.failed();
        lane.posting--;
        this.#posting--;
        this.#begin(lane);
      };
      const settled = (): void => {
        lane.unsettled.delete(delivery.event.id);
        if (lane.isEmpty && this.#lanes.get(endpoint.id) === lane) this.#lanes.delete(endpoint.id);
      };
      this.#run({ endpoint, delivery, isAsked: false, ended, settled });
    }
  }

  #run(turn: Turn): void {
    const post: Promise<void> = this.#post(turn).finally(() => {
      this.#posts.delete(post);
      // Another may have waited for this place.
      this.wake();
    });
    this.#posts.add(post);
  }

  /** Never throws. */
  async #post({ ended, settled, ...what }: Turn): Promise<void> {
    let settlement: Settlement | null = null;
    try {
      settlement = await this.#attempt(what);
    } catch (error) {
      this.#parts.log.error({ err: error, endpointId: what.endpoint.id }, "could not post a webhook");
    }
    if (settlement === null) settled(false);
    else {
      this.#settlements.push({ settlement, settled });
      this.#settling.wake();
    }
    ended(settlement === null ? null : hasArrived(settlement));
  }

  /** What came of posting it once; null when nobody knows. */
  async #attempt({ endpoint, delivery, isAsked }: Omit<Turn, "ended" | "settled">): Promise<Settlement | null> {
    const { clock, ids, log, disableAfterMs } = this.#parts;
    const { event } = delivery;
    const startedAt = clock.now();
    const outcome = await this.#outcomeOf(endpoint, event);
    if (outcome === null) return null;
    const now = clock.now();
    const tries = event.type === testType ? maxTries : delivery.tries + 1;
    const tried = { outcome, tries, isAsked, endpoint, disableAfterMs, now, random: ids.random() };
    const { error, disableFor, ...next } = verdictOf(tried);
    if (disableFor !== null) {
      this.#lanes.get(endpoint.id)?.close();
      log.warn({ endpointId: endpoint.id, reason: disableFor }, "turned a webhook endpoint off");
    }
    const answer = outcome.kind === "answered" ? outcome : { status: null, excerpt: "" };
    const attempt = {
      at: startedAt,
      status: answer.status,
      latencyMs: now - startedAt,
      error,
      response: answer.excerpt,
    };
    return { endpointId: endpoint.id, eventId: event.id, attempt, isAsked, disableFor, ...next };
  }

  /** Null when the server stops: nobody knows what came of it, and it is posted again. */
  async #outcomeOf(endpoint: Endpoint, event: DueDelivery["event"]): Promise<PostOutcome | null> {
    const { clock, connector } = this.#parts;
    const { url, secret, oldSecret, oldSecretUntil } = endpoint;
    const now = clock.now();
    const body = JSON.stringify(payloadOf(event));
    const secrets = oldSecret !== null && (oldSecretUntil ?? 0) > now ? [secret, oldSecret] : [secret];
    const headers = signedHeaders(webhookIdOf(event), now, body, secrets);
    const stop = this.#abort.signal;
    const outcome = await connector.post({ url, headers, body, timeoutMs }, stop);
    return stop.aborted && outcome.kind === "failed" ? null : outcome;
  }

  async #settle(): Promise<void> {
    const { store, clock, log } = this.#parts;
    const settled = this.#settlements;
    if (settled.length === 0) return;
    this.#settlements = [];
    try {
      await store.settle(settled.map(({ settlement }) => settlement));
    } catch (error) {
      if (diskFaultOf(error) === null) {
        // Posted again later rather than never.
        for (const each of settled) each.settled(false);
        throw error;
      }
      log.error({ err: error }, "could not write what came of webhooks; tried again soon");
      this.#isStuck = true;
      this.#settlements.unshift(...settled);
      clock.after(diskRetryMs, () => this.#settling.wake());
      return;
    }
    this.#isStuck = false;
    for (const each of settled) each.settled(hasArrived(each.settlement));
    this.wake();
  }

  #sleep(ms: number): void {
    this.#cancelTimer = this.#parts.clock.after(Math.min(Math.max(ms, 0), longestSleepMs), () => this.wake());
  }
}

function hasArrived({ attempt }: Settlement): boolean {
  return attempt.error === null;
}
