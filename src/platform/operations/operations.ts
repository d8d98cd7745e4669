import { auditEntry } from "../auth/audit/entry.ts";
import { isoTime, isoTimeOrNull } from "../base/clock.ts";
import { requireAdmin, type Caller } from "../auth/caller.ts";
import type { JobType } from "../jobs/model.ts";
import type { Log } from "../base/log.ts";
import { durationText } from "./duration-text.ts";
import type { MaintenanceInput, MaintenanceState, OperationsView } from "./model.ts";
import type { OperationsStore } from "./store.ts";

/** Time that never goes back, and how far the system clock is behind it. */
export type WatchedClock = { now(): number; behindMs(): number };

export type OperationsParts = {
  store: OperationsStore;
  clock: WatchedClock;
  /** What a client is told about damage to the data; null while none was met. */
  damage: () => string | null;
  /** Maintenance mode was turned on or off. */
  onChange: () => void;
  log: Log;
};

/** Why the server takes no writes; `retryAfterSeconds` is null if time does not help. */
export type WriteRefusal = { message: string; retryAfterSeconds: number | null };

/** Corrections by NTP are smaller: what is due then goes a little later, and nobody needs to hear of it. */
export const toleratedMs = 120_000;

/** A maintenance takes minutes; asking every few seconds only fills the log. */
const maintenanceRetrySeconds = 60;

/** Whether the server takes writes and sends, and why not. */
export class Operations {
  readonly #parts: OperationsParts;
  #maintenance: MaintenanceState | null = null;
  #wasBehind = false;

  constructor(parts: OperationsParts) {
    this.#parts = parts;
  }

  /** Reads what a process before this one left. */
  async load(): Promise<void> {
    this.#maintenance = await this.#parts.store.maintenance();
    if (this.#maintenance !== null) this.#parts.log.warn(this.#maintenance, "maintenance mode is on");
  }

  /** Logs when the clock is behind and when it is right again. */
  watchClock(): void {
    const { clock, log } = this.#parts;
    const isBehind = this.#isClockBehind();
    if (isBehind && !this.#wasBehind) log.error({ behindMs: clock.behindMs() }, `${this.#clockText()} ${clockWayOut}`);
    if (!isBehind && this.#wasBehind) log.info("the clock is right again");
    this.#wasBehind = isBehind;
  }

  /** For the next process. */
  async keepTime(): Promise<void> {
    const { clock, damage, store } = this.#parts;
    if (damage() === null) await store.keepTime(clock.now());
  }

  writeRefusal(): WriteRefusal | null {
    const damage = this.#parts.damage();
    if (damage !== null) return { message: damage, retryAfterSeconds: null };
    if (this.#maintenance === null) return null;
    return { message: maintenanceText(this.#maintenance), retryAfterSeconds: maintenanceRetrySeconds };
  }

  /** Whether no job of this type may begin now. */
  holds(type: JobType): boolean {
    return this.writeRefusal() !== null || (type === "linkedin_action" && this.#isClockBehind());
  }

  /** When a worker from outside may ask for an action again; null: now. */
  sendsAgainAt(): number | null {
    if (!this.#isClockBehind()) return null;
    return this.#parts.clock.now() + this.#parts.clock.behindMs();
  }

  status(): Pick<OperationsView, "status" | "message"> {
    const damage = this.#parts.damage();
    if (damage !== null) return { status: "degraded", message: damage };
    if (this.#maintenance !== null) return { status: "maintenance", message: maintenanceText(this.#maintenance) };
    if (this.#isClockBehind()) return { status: "degraded", message: this.#clockText() };
    return { status: "healthy", message: null };
  }

  view(caller: Caller): OperationsView {
    requireAdmin(caller);
    const { clock } = this.#parts;
    const { since = null, message = null } = this.#maintenance ?? {};
    return {
      ...this.status(),
      maintenance: { enabled: this.#maintenance !== null, since: isoTimeOrNull(since), message },
      clock: { behindSeconds: Math.floor(clock.behindMs() / 1000), latest: isoTime(clock.now()) },
    };
  }

  /** Idempotent; a repeated call replaces the message. */
  async setMaintenance(caller: Caller, { enabled, message = null }: MaintenanceInput): Promise<OperationsView> {
    requireAdmin(caller);
    const { store, clock, onChange, log } = this.#parts;
    const now = clock.now();
    const state = enabled ? { since: this.#maintenance?.since ?? now, message } : null;
    const action = enabled ? "maintenance.enabled" : "maintenance.disabled";
    await store.setMaintenance(state, auditEntry(caller, now, { action, userId: null }));
    this.#maintenance = state;
    onChange();
    log.warn({ enabled, message }, enabled ? "maintenance mode is on" : "maintenance mode is off");
    return this.view(caller);
  }

  #isClockBehind(): boolean {
    return this.#parts.clock.behindMs() >= toleratedMs;
  }

  #clockText(): string {
    const { clock } = this.#parts;
    const behind = durationText(clock.behindMs());
    return `The server's clock is ${behind} behind the latest time it has shown (${isoTime(clock.now())}). Nothing is sent until it is right.`;
  }
}

const clockWayOut =
  "Set the clock. If it is right now and was ahead before, stop the server and run `outreachd clock accept`.";

function maintenanceText({ message }: MaintenanceState): string {
  return `The server is in maintenance and takes no changes at the moment.${message === null ? "" : ` ${message}`}`;
}
