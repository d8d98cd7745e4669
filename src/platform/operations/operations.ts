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
  /** Called when maintenance mode is enabled or disabled. */
  onChange: () => void;
  log: Log;
};

/** Why the server rejects writes. `retryAfterSeconds` is null if waiting does not help. */
export type WriteRefusal = { message: string; retryAfterSeconds: number | null };

/** Corrections by NTP are smaller. They delay due jobs slightly and do not need to be reported. */
export const toleratedMs = 120_000;

/** Maintenance takes minutes. Retrying every few seconds would only fill the log. */
const maintenanceRetrySeconds = 60;

/**
 * Whether the server accepts writes and sends actions, and why not. Every request reads the fields; they are updated when
 * something changes, and every second for the clock.
 */
export class Operations {
  status: OperationsView["status"] = "healthy";
  /** Null if the server accepts writes. */
  writeRefusal: WriteRefusal | null = null;
  readonly #parts: OperationsParts;
  /** Damage to the data, with a message for clients. */
  #damage: { message: string } | null = null;
  #maintenance: MaintenanceState | null = null;
  #wasBehind = false;

  constructor(parts: OperationsParts) {
    this.#parts = parts;
  }

  /** Restores the state of the previous process. */
  async load(): Promise<void> {
    this.#maintenance = await this.#parts.store.maintenance();
    if (this.#maintenance !== null) this.#parts.log.warn(this.#maintenance, "maintenance mode is on");
    this.#update();
  }

  /** Takes over what another node has set. */
  followMaintenance(state: MaintenanceState | null): void {
    this.#maintenance = state;
    this.#update();
    this.#parts.onChange();
  }

  /** Rejects writes until the server starts with intact data. */
  reportDamage(damage: { message: string }): void {
    this.#damage = damage;
    this.#update();
  }

  /** Logs when the clock falls behind and when it is correct again. */
  watchClock(): void {
    const { clock, log } = this.#parts;
    const isBehind = this.#isClockBehind();
    if (isBehind && !this.#wasBehind) log.error({ behindMs: clock.behindMs() }, `${this.#clockText()} ${clockHint}`);
    if (!isBehind && this.#wasBehind) log.info("the clock is correct again");
    this.#wasBehind = isBehind;
    this.#update();
  }

  /** Stores the current time for the next process. */
  async keepTime(): Promise<void> {
    const { clock, store } = this.#parts;
    if (this.#damage === null) await store.keepTime(clock.now());
  }

  /** Whether jobs of this type must not start now. */
  isPaused(type: JobType): boolean {
    return this.writeRefusal !== null || (type === "linkedin_action" && this.#isClockBehind());
  }

  /** When external workers can claim actions again; null: now. */
  sendsAgainAt(): number | null {
    if (!this.#isClockBehind()) return null;
    return this.#parts.clock.now() + this.#parts.clock.behindMs();
  }

  report(): Pick<OperationsView, "status" | "message"> {
    if (this.#damage !== null) return { status: "degraded", message: this.#damage.message };
    if (this.#maintenance !== null) return { status: "maintenance", message: maintenanceText(this.#maintenance) };
    if (this.#isClockBehind()) return { status: "degraded", message: this.#clockText() };
    return { status: "healthy", message: null };
  }

  view(caller: Caller): OperationsView {
    requireAdmin(caller);
    const { clock } = this.#parts;
    const { since = null, message = null } = this.#maintenance ?? {};
    return {
      ...this.report(),
      maintenance: { enabled: this.#maintenance !== null, since: isoTimeOrNull(since), message },
      clock: { behindSeconds: Math.floor(clock.behindMs() / 1000), latest: isoTime(clock.now()) },
    };
  }

  /** Idempotent. A repeated call replaces the message. */
  async setMaintenance(caller: Caller, { enabled, message = null }: MaintenanceInput): Promise<OperationsView> {
    requireAdmin(caller);
    const { store, clock, onChange, log } = this.#parts;
    const now = clock.now();
    const state = enabled ? { since: this.#maintenance?.since ?? now, message } : null;
    const action = enabled ? "maintenance.enabled" : "maintenance.disabled";
    await store.setMaintenance(state, auditEntry(caller, now, { action, workspaceId: null }));
    this.#maintenance = state;
    this.#update();
    onChange();
    log.warn({ enabled, message }, enabled ? "maintenance mode is on" : "maintenance mode is off");
    return this.view(caller);
  }

  #update(): void {
    this.status = this.report().status;
    this.writeRefusal = this.#refusal();
  }

  #refusal(): WriteRefusal | null {
    if (this.#damage !== null) return { message: this.#damage.message, retryAfterSeconds: null };
    if (this.#maintenance === null) return null;
    return { message: maintenanceText(this.#maintenance), retryAfterSeconds: maintenanceRetrySeconds };
  }

  #isClockBehind(): boolean {
    return this.#parts.clock.behindMs() >= toleratedMs;
  }

  #clockText(): string {
    const { clock } = this.#parts;
    const behind = durationText(clock.behindMs());
    return `The server's clock is ${behind} behind the latest time it has shown (${isoTime(clock.now())}). No actions are sent until it is correct.`;
  }
}

const clockHint =
  "Set the clock. If it is correct now and was ahead before, stop the server and run `outreachd clock accept`.";

function maintenanceText({ message }: MaintenanceState): string {
  return `The server is in maintenance mode and does not accept changes.${message === null ? "" : ` ${message}`}`;
}
