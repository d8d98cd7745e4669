import type { Clock, Ids } from "../../platform/base/clock.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import { CoalescedWork } from "../../platform/jobs/coalesced-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { OnDemandSlots } from "./on-demand-slots.ts";
import type { PostOutcome, WebhookConnector } from "./connector.ts";
import { Lane } from "./lane.ts";
import { payloadOf, webhookIdOf } from "./message.ts";
import { testType, type DueDelivery, type Endpoint } from "./model.ts";
import { signedHeaders } from "./signature.ts";
import type { Settlement } from "./change-model.ts";
import type { WebhookStore } from "./store.ts";
import { maxTries, verdictOf } from "./verdict.ts";

export type DelivererParts = {
  store: WebhookStore;
  connector: WebhookConnector;
  /** Calls back after each commit that contains events; returns a function that stops the callbacks. */
  onNewEvents: (notify: () => void) => () => void;
  /** Whether this process may still post: another one may have taken over. Default: always. */
  mayDeliver?: () => boolean;
  /** Endpoints are disabled after failing for this long; 0 never disables endpoints. */
  disableAfterMs: number;
  clock: Clock;
  ids: Ids;
  log: Log;
};

/** A single attempt to post a delivery. */
type PostAttempt = {
  endpoint: Endpoint;
  delivery: DueDelivery;
  /** Requested by a user outside the queue. */
  isOnDemand: boolean;
  /** Called before the outcome is stored, with whether the receiver accepted the event; null if that is unknown. */
  onEnded: (hasArrived: boolean | null) => void;
  /**
   * Called when the outcome is stored or remains unknown. From then on, the delivery may be posted again if it is due.
   */
  onSettled: (hasArrived: boolean) => void;
};
type PendingSettlement = Pick<PostAttempt, "onSettled"> & { settlement: Settlement };

/** Standard Webhooks recommends 15 to 30 seconds. */
const timeoutMs = 15_000;
/**
 * Maximum concurrent posts: in total, to receivers without a recent success, and to failing receivers. However many
 * receivers hang, capacity remains for those that work.
 */
const maxPosts = { all: 256, unproven: 192, failing: 64 };
/** Batches events, and likewise outcomes, that arrive close together: at most twenty commits of each per second. */
const gatherMs = 50;
/** Delays work left by the previous process until startup is complete, as there may be a lot of it. */
const startDelayMs = 1000;
/** Occupies the writer for a few milliseconds if each event goes to dozens of endpoints. */
const eventBatchSize = 100;
/** Upper bound on the time between checks, even if nothing is due. */
const maxSleepMs = 30_000;
const diskRetryMs = 5_000;
const endpointsBetweenPauses = 16;
/** Endpoints with on-demand deliveries that are considered per run. */
const onDemandBatchSize = 256;
/** Minimum delay after a failed on-demand delivery, however often the user requests another one. */
const onDemandRetryMs = 2000;

/**
 * Posts events to the endpoints that subscribe to them. The deliveries table is the queue: an event enters it shortly
 * after its commit and leaves it when an outcome is stored, so a crash may repeat an attempt but never loses one.
 * Memory holds only the deliveries in flight and a small prefetch.
 *
 * On-demand deliveries (a test or a single replay) are not part of the queue: they have their own slots and are posted
 * even while the endpoint is backing off. If one succeeds, the backoff ends.
 */
export class Deliverer {
  readonly #parts: DelivererParts;
  readonly #lanes = new Map<string, Lane>();
  readonly #posts = new Set<Promise<void>>();
  readonly #abort = new AbortController();
  readonly #fanOutWork: CoalescedWork;
  readonly #dispatchWork: CoalescedWork;
  readonly #settleWork: CoalescedWork;
  readonly #onDemandSlots = new OnDemandSlots();
  #settlements: PendingSettlement[] = [];
  #activePosts = 0;
  /** Outcomes cannot be written to disk, so nothing is posted: it could not be recorded as delivered. */
  #isDiskFaulty = false;
  #isStarted = false;
  #stopListening: (() => void) | null = null;
  #cancelTimer = (): void => {};

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    const work = (run: () => Promise<void>, what: string) =>
      new CoalescedWork(clock, gatherMs, run, (error) => log.error({ err: error }, what));
    this.#fanOutWork = work(() => this.#fanOut(), "could not queue events for webhooks");
    this.#dispatchWork = work(() => this.#dispatchDue(), "could not dispatch due webhooks");
    this.#settleWork = work(() => this.#settle(), "could not store webhook outcomes");
  }

  /** Starts delivering, including deliveries left by the previous process. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#fanOutWork.wake(startDelayMs);
    this.#dispatchWork.wake(startDelayMs);
  }

  /** Stops starting posts and waits up to `drainMs` for those in flight; the rest are repeated after a restart. */
  async stop(drainMs: number): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#listen(false);
    this.#cancelTimer();
    for (const lane of this.#lanes.values()) lane.close();
    await Promise.all([this.#fanOutWork.stop(), this.#dispatchWork.stop()]);
    const cancel = this.#parts.clock.after(drainMs, () => this.#abort.abort());
    await Promise.all(this.#posts);
    cancel();
    await this.#settleWork.idle();
    await this.#settleWork.stop();
  }

  /** Schedules a check for due deliveries. */
  wake(): void {
    if (this.#isStarted) this.#dispatchWork.wake();
  }

  /** Schedules a check for everything that another process may have changed: events, endpoints, and deliveries. */
  lookAgain(): void {
    if (!this.#isStarted) return;
    this.#fanOutWork.wake();
    this.#dispatchWork.wake();
  }

  /** Stops posting with the previous settings of an endpoint, and posts events to it if it is new or enabled again. */
  endpointChanged(endpointId: string): void {
    if (this.#isStarted) this.#fanOutWork.wake();
    const lane = this.#lanes.get(endpointId);
    lane?.close();
    if (lane?.isEmpty) this.#lanes.delete(endpointId);
    this.wake();
  }

  get isBusy(): boolean {
    return [this.#fanOutWork, this.#dispatchWork, this.#settleWork].some((work) => work.isBusy) || this.#posts.size > 0;
  }

  /** Resolves when nothing is due and no post is in flight. */
  async idle(): Promise<void> {
    while (this.isBusy) {
      await this.#fanOutWork.idle();
      await this.#dispatchWork.idle();
      await Promise.all(this.#posts);
      await this.#settleWork.idle();
    }
  }

  async #fanOut(): Promise<void> {
    const { store, clock } = this.#parts;
    // Before the first read, so that no event is missed.
    this.#listen(true);
    for (let events: number | null = eventBatchSize; events === eventBatchSize && this.#isStarted;) {
      events = await store.fanOut(clock.now(), eventBatchSize);
      if (events === null) this.#listen(false);
      else if (events > 0) this.#dispatchWork.wake();
    }
  }

  /** Listens for new events only while an endpoint is enabled: most servers have none. */
  #listen(isListening: boolean): void {
    if (!isListening) {
      this.#stopListening?.();
      this.#stopListening = null;
    } else if (this.#isStarted) this.#stopListening ??= this.#parts.onNewEvents(() => this.#fanOutWork.wake());
  }

  async #dispatchDue(): Promise<void> {
    if (!this.#isStarted) return;
    this.#cancelTimer();
    const { store, clock } = this.#parts;
    await this.#startOnDemand();
    await this.#startDue(false);
    await this.#startDue(true);
    const dueAt = await store.nextDueAt(clock.now());
    if (this.#isStarted) this.#sleep(dueAt === null ? maxSleepMs : dueAt - clock.now());
  }

  async #startOnDemand(): Promise<void> {
    const { store } = this.#parts;
    for (const endpoint of await store.onDemandEndpoints(onDemandBatchSize)) {
      if (!this.#isStarted || this.#isDiskFaulty) break;
      if (!this.#onDemandSlots.acquire(endpoint)) continue;
      const delivery = await store.nextOnDemand(endpoint.id);
      if (delivery === null) this.#onDemandSlots.release(endpoint.id);
      else this.#postOnDemand(endpoint, delivery);
    }
  }

  #postOnDemand(endpoint: Endpoint, delivery: DueDelivery): void {
    const releaseSlot = (): void => {
      this.#onDemandSlots.release(endpoint.id);
      this.wake();
    };
    const onSettled = (hasArrived: boolean): void => {
      if (hasArrived) releaseSlot();
      else this.#parts.clock.after(onDemandRetryMs, releaseSlot);
    };
    this.#startPost({ endpoint, delivery, isOnDemand: true, onEnded: () => {}, onSettled });
  }

  /** Posts due deliveries of failing endpoints, or of the others, as far as capacity allows. */
  async #startDue(areFailing: boolean): Promise<void> {
    const { store, clock } = this.#parts;
    const free = maxPosts.all - this.#activePosts;
    const known = [...this.#lanes.values()].filter((lane) => lane.isFailing === areFailing).length;
    const endpoints = await store.dueEndpoints({ areFailing, now: clock.now(), limit: known + free });
    for (const [index, endpoint] of endpoints.entries()) {
      if (index % endpointsBetweenPauses === endpointsBetweenPauses - 1) await pause();
      if (!this.#isStarted || this.#isFull) break;
      const lane = this.#laneOf(endpoint);
      if (lane.prefetchCount > 0 && (lane.posting > 0 || this.#canPost(lane)))
        lane.add(
          await store.due(endpoint.id, clock.now(), lane.unsettled.size + lane.waiting.length + lane.prefetchCount),
        );
      this.#postWaiting(lane);
      if (lane.isEmpty) this.#lanes.delete(endpoint.id);
    }
  }

  get #isFull(): boolean {
    return this.#activePosts >= maxPosts.all;
  }

  #laneOf(endpoint: Endpoint): Lane {
    const lane = this.#lanes.get(endpoint.id) ?? new Lane(endpoint);
    this.#lanes.set(endpoint.id, lane);
    if (!lane.isClosed) lane.endpoint = endpoint;
    return lane;
  }

  #canPost(lane: Lane): boolean {
    if (!lane.hasRoom || this.#isFull || this.#isDiskFaulty) return false;
    if (lane.isProven) return true;
    let [unproven, failing] = [0, 0];
    for (const other of this.#lanes.values()) {
      if (!other.isProven) unproven += other.posting;
      if (other.isFailing) failing += other.posting;
    }
    return unproven < maxPosts.unproven && (!lane.isFailing || failing < maxPosts.failing);
  }

  #postWaiting(lane: Lane): void {
    while (lane.waiting.length > 0 && this.#isStarted && this.#canPost(lane)) {
      const delivery = lane.waiting.shift()!;
      lane.posting++;
      this.#activePosts++;
      lane.unsettled.add(delivery.event.id);
      const { endpoint } = lane;
      const onEnded = (hasArrived: boolean | null): void => {
        if (hasArrived === true) lane.recordSuccess();
        if (hasArrived === false) lane.recordFailure();
        lane.posting--;
        this.#activePosts--;
        this.#postWaiting(lane);
      };
      const onSettled = (): void => {
        lane.unsettled.delete(delivery.event.id);
        if (lane.isEmpty && this.#lanes.get(endpoint.id) === lane) this.#lanes.delete(endpoint.id);
      };
      this.#startPost({ endpoint, delivery, isOnDemand: false, onEnded, onSettled });
    }
  }

  #startPost(attempt: PostAttempt): void {
    const post: Promise<void> = this.#post(attempt).finally(() => {
      this.#posts.delete(post);
      // Another delivery may be waiting for this slot.
      this.wake();
    });
    this.#posts.add(post);
  }

  /** Never throws. */
  async #post({ onEnded, onSettled, ...target }: PostAttempt): Promise<void> {
    let settlement: Settlement | null = null;
    try {
      settlement = await this.#attempt(target);
    } catch (error) {
      this.#parts.log.error({ err: error, endpointId: target.endpoint.id }, "could not post webhook");
    }
    if (settlement === null) onSettled(false);
    else {
      this.#settlements.push({ settlement, onSettled });
      this.#settleWork.wake();
    }
    onEnded(settlement === null ? null : hasArrived(settlement));
  }

  /** Posts once and returns the outcome; null if it is unknown. */
  async #attempt({
    endpoint,
    delivery,
    isOnDemand,
  }: Omit<PostAttempt, "onEnded" | "onSettled">): Promise<Settlement | null> {
    const { clock, ids, log, disableAfterMs } = this.#parts;
    const { event } = delivery;
    const startedAt = clock.now();
    const outcome = await this.#outcomeOf(endpoint, event);
    if (outcome === null) return null;
    const now = clock.now();
    const tries = event.type === testType ? maxTries : delivery.tries + 1;
    const tried = { outcome, tries, isOnDemand, endpoint, disableAfterMs, now, random: ids.random() };
    const { error, disableReason, ...next } = verdictOf(tried);
    if (disableReason !== null) {
      this.#lanes.get(endpoint.id)?.close();
      log.warn({ endpointId: endpoint.id, reason: disableReason }, "webhook endpoint disabled");
    }
    const response = outcome.kind === "answered" ? outcome : { status: null, excerpt: "" };
    const attempt = {
      at: startedAt,
      status: response.status,
      latencyMs: now - startedAt,
      error,
      response: response.excerpt,
    };
    return { endpointId: endpoint.id, eventId: event.id, attempt, isOnDemand, disableReason, ...next };
  }

  /** Null if the server stops or another process delivers: the outcome is unknown, and the event is posted again. */
  async #outcomeOf(endpoint: Endpoint, event: DueDelivery["event"]): Promise<PostOutcome | null> {
    const { clock, connector, mayDeliver } = this.#parts;
    if (mayDeliver?.() === false) return null;
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
    const batch = this.#settlements;
    if (batch.length === 0) return;
    this.#settlements = [];
    try {
      await store.settle(batch.map(({ settlement }) => settlement));
    } catch (error) {
      if (diskFaultOf(error) === null) {
        // Better to post again later than never.
        for (const { onSettled } of batch) onSettled(false);
        throw error;
      }
      log.error({ err: error }, "could not store webhook outcomes; retrying soon");
      this.#isDiskFaulty = true;
      this.#settlements.unshift(...batch);
      clock.after(diskRetryMs, () => this.#settleWork.wake());
      return;
    }
    this.#isDiskFaulty = false;
    for (const { onSettled, settlement } of batch) onSettled(hasArrived(settlement));
    this.wake();
  }

  #sleep(ms: number): void {
    this.#cancelTimer = this.#parts.clock.after(Math.min(Math.max(ms, 0), maxSleepMs), () => this.wake());
  }
}

function hasArrived({ attempt }: Settlement): boolean {
  return attempt.error === null;
}
