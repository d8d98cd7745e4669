import type { Clock } from "../../platform/base/clock.ts";
import { diskFaultOf } from "../../platform/base/disk-fault.ts";
import type { Ids } from "../../platform/base/ids.ts";
import { GatheredWork } from "../../platform/jobs/gathered-work.ts";
import type { Log } from "../../platform/base/log.ts";
import { pause } from "../../lib/concurrency/pause.ts";
import { OnDemandSlots } from "./on-demand-slots.ts";
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
type PostAttempt = {
  endpoint: Endpoint;
  delivery: DueDelivery;
  /** Beside the queue. */
  isOnDemand: boolean;
  /** Whether the receiver took it; null when nobody knows. Its outcome is not written yet. */
  onEnded: (hasArrived: boolean | null) => void;
  /** What came of it is written, or is not known: if it is due, it may be posted again. */
  onSettled: (hasArrived: boolean) => void;
};
type PendingSettlement = Pick<PostAttempt, "onSettled"> & { settlement: Settlement };

/** Of the 15 to 30 seconds that Standard Webhooks recommends. */
const timeoutMs = 15_000;
/**
 * So many posts at once; of these, by receivers that took nothing lately; of these, by receivers that failed. However
 * many hang, there is room for those that work.
 */
const maxPosts = { all: 256, unproven: 192, failing: 64 };
/** Events that come close together are told together, as are their outcomes: at most twenty commits a second of each. */
const gatherMs = 50;
/** What the process before has left waits until this one has got going: there may be much of it. */
const startDelayMs = 1000;
/** Some milliseconds of the writer's time when each of them goes to dozens of endpoints. */
const eventBatchSize = 100;
/** When nothing is due for longer, look again anyway. */
const maxSleepMs = 30_000;
const diskRetryMs = 5_000;
const endpointsBetweenPauses = 16;
/** So many endpoints are looked at for those that have a place for what somebody waits for. */
const onDemandBatchSize = 256;
/** So long after one that failed the next one is not posted, however often it is asked for. */
const onDemandRetryMs = 2000;

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
  readonly #fanOutWork: GatheredWork;
  readonly #dispatchWork: GatheredWork;
  readonly #settleWork: GatheredWork;
  readonly #onDemandSlots = new OnDemandSlots();
  #settlements: PendingSettlement[] = [];
  #activePosts = 0;
  /** The disk does not take outcomes: nothing is posted that could not be told to be done. */
  #isDiskFaulty = false;
  #isStarted = false;
  #stopListening = (): void => {};
  #cancelTimer = (): void => {};

  constructor(parts: DelivererParts) {
    this.#parts = parts;
    const { clock, log } = parts;
    const work = (run: () => Promise<void>, what: string) =>
      new GatheredWork(clock, gatherMs, run, (error) => log.error({ err: error }, what));
    this.#fanOutWork = work(() => this.#fanOut(), "could not hand events to webhooks");
    this.#dispatchWork = work(() => this.#dispatchDue(), "could not look for due webhooks");
    this.#settleWork = work(() => this.#settle(), "could not write what came of webhooks");
  }

  /** Begins to deliver; what was left by the process of before goes on. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    this.#stopListening = this.#parts.onNewEvents(() => this.#fanOutWork.wake());
    this.#fanOutWork.wake(startDelayMs);
    this.#dispatchWork.wake(startDelayMs);
  }

  /** Begins nothing more, and waits for what is being posted, at most `drainMs`; the rest is posted again after a start. */
  async stop(drainMs: number): Promise<void> {
    if (!this.#isStarted) return;
    this.#isStarted = false;
    this.#stopListening();
    this.#cancelTimer();
    for (const lane of this.#lanes.values()) lane.close();
    await Promise.all([this.#fanOutWork.stop(), this.#dispatchWork.stop()]);
    const cancel = this.#parts.clock.after(drainMs, () => this.#abort.abort());
    await Promise.all(this.#posts);
    cancel();
    await this.#settleWork.idle();
    await this.#settleWork.stop();
  }

  /** Something may be due: look soon. */
  wake(): void {
    if (this.#isStarted) this.#dispatchWork.wake();
  }

  /** An endpoint has changed: nothing is posted any more as it was before. */
  endpointChanged(endpointId: string): void {
    const lane = this.#lanes.get(endpointId);
    lane?.close();
    if (lane?.isEmpty) this.#lanes.delete(endpointId);
    this.wake();
  }

  get isBusy(): boolean {
    return [this.#fanOutWork, this.#dispatchWork, this.#settleWork].some((work) => work.isBusy) || this.#posts.size > 0;
  }

  /** Resolves when nothing is due and nothing is being posted. */
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
    for (let events = eventBatchSize; events === eventBatchSize && this.#isStarted;) {
      events = await store.fanOut(clock.now(), eventBatchSize);
      if (events > 0) this.#dispatchWork.wake();
    }
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
    const free = (): void => {
      this.#onDemandSlots.release(endpoint.id);
      this.wake();
    };
    const onSettled = (hasArrived: boolean): void => {
      if (hasArrived) free();
      else this.#parts.clock.after(onDemandRetryMs, free);
    };
    this.#startPost({ endpoint, delivery, isOnDemand: true, onEnded: () => {}, onSettled });
  }

  /** Reads what is due of endpoints that fail, or of the others, as far as there is room for them. */
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
      // Another may have waited for this place.
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
      this.#parts.log.error({ err: error, endpointId: target.endpoint.id }, "could not post a webhook");
    }
    if (settlement === null) onSettled(false);
    else {
      this.#settlements.push({ settlement, onSettled });
      this.#settleWork.wake();
    }
    onEnded(settlement === null ? null : hasArrived(settlement));
  }

  /** What came of posting it once; null when nobody knows. */
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
      log.warn({ endpointId: endpoint.id, reason: disableReason }, "turned a webhook endpoint off");
    }
    const answer = outcome.kind === "answered" ? outcome : { status: null, excerpt: "" };
    const attempt = {
      at: startedAt,
      status: answer.status,
      latencyMs: now - startedAt,
      error,
      response: answer.excerpt,
    };
    return { endpointId: endpoint.id, eventId: event.id, attempt, isOnDemand, disableReason, ...next };
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
    const batch = this.#settlements;
    if (batch.length === 0) return;
    this.#settlements = [];
    try {
      await store.settle(batch.map(({ settlement }) => settlement));
    } catch (error) {
      if (diskFaultOf(error) === null) {
        // Posted again later rather than never.
        for (const { onSettled } of batch) onSettled(false);
        throw error;
      }
      log.error({ err: error }, "could not write what came of webhooks; tried again soon");
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
