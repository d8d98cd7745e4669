import type { Clock } from "../base/clock.ts";
import type { Log } from "../base/log.ts";
import type { MaintenanceState } from "../operations/model.ts";
import type { ClusterNode, NodeBeat } from "./model.ts";
import type { ClusterStore, Pulse } from "./store.ts";

/** Nodes learn of each other's changes within this time and the time of a query. */
const pulseMs = 250;
const beatMs = 2_000;
/** The lead passes to another node this long after its holder was last able to extend it. */
const leadMs = 10_000;
/** A node that has not had a pulse for this long no longer trusts what it has cached. */
const staleMs = 5_000;
/** Nodes that were not seen for this long are deleted. */
const forgetMs = 3_600_000;

/** Load balancers usually ask every second or two whether a node is ready. */
const maxNoticeMs = 3_000;

/** What a node does when something has happened, mostly on another node. */
export type ClusterListener = {
  /** A key, a user, or a member may have changed. */
  onKeysChanged(): void;
  /** A job may have become due. */
  onJobsDue(): void;
  onWebhooksDue(): void;
  onMaintenance(state: MaintenanceState | null): void;
  /** This node takes or loses the lead. One call at a time. */
  onLead(hasLead: boolean): Promise<void>;
};

export type ClusterParts = {
  store: ClusterStore;
  /** Shows the time of the database. */
  clock: Clock;
  /** Reads the time of the database again. */
  sampleTime: () => Promise<void>;
  clockAheadMs: () => number;
  /** Milliseconds since any moment; must not be affected by changes of the clock. */
  monotonic: () => number;
  node: Omit<ClusterNode, keyof NodeBeat>;
  /** Whether this node may take the lead. */
  mayLead: boolean;
  listener: ClusterListener;
  log: Log;
};

/**
 * This process as one of several nodes on a database. Nodes do not talk to each other: each asks the database several
 * times a second what has changed. One node has the lead and does what only one should: recurring chores, and deliveries
 * to webhooks. It may still be doing that when the lead has passed on, such as after a pause of the process, so all of it
 * can be done twice without harm.
 */
export class Cluster {
  readonly #parts: ClusterParts;
  #state: NodeBeat["state"] = "running";
  #pulse: Pulse | null = null;
  #pulsedAt = Number.NEGATIVE_INFINITY;
  #beatAt = Number.NEGATIVE_INFINITY;
  #leadUntil = Number.NEGATIVE_INFINITY;
  #hadLead = false;
  #lastProblem: string | null = null;
  #loop: Promise<void> | null = null;
  #isStopped = false;
  #wake = (): void => {};

  constructor(parts: ClusterParts) {
    this.#parts = parts;
  }

  get nodeId(): string {
    return this.#parts.node.id;
  }

  /** Whether this node knew a moment ago what the others have done. */
  get isCurrent(): boolean {
    return this.pulseAgeMs < staleMs;
  }

  /** How long ago this node last asked the database what the others have done. */
  get pulseAgeMs(): number {
    return this.#parts.monotonic() - this.#pulsedAt;
  }

  /** Whether this node does what only one node should. */
  get hasLead(): boolean {
    return this.#parts.monotonic() < this.#leadUntil;
  }

  /** Joins the cluster and follows it. */
  async start(): Promise<void> {
    const { store, node, monotonic } = this.#parts;
    const askedAt = monotonic();
    this.#note(await store.pulse());
    this.#pulsedAt = askedAt;
    await store.join({ ...node, ...this.#beat() });
    this.#loop = this.#run();
  }

  /**
   * Tells others that this node is about to stop. Resolves after a part of `graceMs`, in which load balancers find out,
   * too: /readyz fails, but requests are still answered.
   */
  async drain(graceMs: number): Promise<void> {
    this.#state = "draining";
    this.#beatAt = Number.NEGATIVE_INFINITY;
    this.#wake();
    await new Promise((resolve) => setTimeout(resolve, Math.min(maxNoticeMs, graceMs / 3)));
  }

  /** Lets another node take the lead, and leaves the cluster. Never rejects. */
  async stop(): Promise<void> {
    if (this.#isStopped) return;
    this.#isStopped = true;
    this.#wake();
    await this.#loop;
    await this.#follow(false);
    const { store, node, log } = this.#parts;
    try {
      await store.resign(node.id);
      await store.leave(node.id);
    } catch (error) {
      log.warn({ err: error }, "could not leave the cluster; other nodes notice soon");
    }
  }

  async #run(): Promise<void> {
    while (!this.#isStopped) {
      await this.#pause();
      if (this.#isStopped) return;
      try {
        await this.#turn();
        if (this.#lastProblem !== null) this.#parts.log.info("reached the database again");
        this.#lastProblem = null;
      } catch (error) {
        const problem = error instanceof Error ? error.message : String(error);
        if (problem !== this.#lastProblem) this.#parts.log.error({ err: error }, "could not ask what other nodes did");
        this.#lastProblem = problem;
      }
      await this.#follow(this.hasLead);
    }
  }

  async #turn(): Promise<void> {
    const { store, monotonic } = this.#parts;
    const askedAt = monotonic();
    this.#note(await store.pulse());
    this.#pulsedAt = askedAt;
    if (askedAt - this.#beatAt < beatMs) return;
    this.#beatAt = askedAt;
    await this.#beatNow(askedAt);
  }

  async #beatNow(startedAt: number): Promise<void> {
    const { store, clock, node, mayLead, sampleTime } = this.#parts;
    await sampleTime();
    if (!(await store.beat(node.id, this.#beat()))) await store.join({ ...node, ...this.#beat() });
    const now = clock.now();
    if (mayLead && this.#state === "running" && (await store.lead(node.id, now, now + leadMs)))
      this.#leadUntil = startedAt + leadMs;
    if (this.hasLead) await store.forget(now - forgetMs);
  }

  #beat(): NodeBeat {
    const { store, clock, clockAheadMs } = this.#parts;
    return {
      state: this.#state,
      seenAt: clock.now(),
      clockAheadMs: Math.round(clockAheadMs()),
      keysVersion: this.#pulse?.keysVersion ?? 0,
      pool: store.poolUse(),
    };
  }

  #note(pulse: Pulse): void {
    const { listener } = this.#parts;
    const previous = this.#pulse;
    this.#pulse = pulse;
    if (previous === null) return;
    if (pulse.keysVersion !== previous.keysVersion) listener.onKeysChanged();
    if (pulse.dueJobs !== previous.dueJobs) listener.onJobsDue();
    if (pulse.dueWebhooks !== previous.dueWebhooks) listener.onWebhooksDue();
    if (!Bun.deepEquals(pulse.maintenance, previous.maintenance)) listener.onMaintenance(pulse.maintenance);
  }

  async #follow(hasLead: boolean): Promise<void> {
    if (hasLead === this.#hadLead) return;
    this.#hadLead = hasLead;
    this.#parts.log.info(hasLead ? "took the lead" : "no longer has the lead");
    await this.#parts.listener
      .onLead(hasLead)
      .catch((error: unknown) => this.#parts.log.error({ err: error }, "could not start or stop the work of the lead"));
  }

  #pause(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, pulseMs);
      this.#wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }
}
