import { runOutsideRequest } from "../../../lib/concurrency/outside-request.ts";
import { isoTime, type Clock } from "../../base/clock.ts";
import { diskFaultOf } from "../../base/disk-fault.ts";
import { isAdmin, type Caller } from "../caller.ts";
import type { Log } from "../../base/log.ts";
import { pause } from "../../../lib/concurrency/pause.ts";
import { auditEntry } from "./entry.ts";
import type {
  AuditAction,
  AuditCheck,
  AuditEntry,
  AuditEntryView,
  AuditEvent,
  AuditFilter,
  ChainCheck,
  ChainPlace,
  StoredAuditEntry,
} from "./model.ts";
import type { AuditStore } from "./store.ts";

const dayMs = 86_400_000;
const exportPage = 500;
const checkSlice = 500;
const forgetSlice = 500;
/** Entries that wait until the disk accepts writes; further requests fail. */
const mostOwed = 1_000;

/** Who did what. Changes store their entry themselves; this records the actions that change nothing, and reads the log. */
export class AuditService {
  readonly #store: AuditStore;
  readonly #clock: Clock;
  /** 0: entries are never deleted. */
  readonly #keepDays: number;
  readonly #log: Log;
  /** Oldest first. */
  readonly #owed: AuditEntry[] = [];

  constructor(store: AuditStore, clock: Clock, keepDays: number, log: Log) {
    this.#store = store;
    this.#clock = clock;
    this.#keepDays = keepDays;
    this.#log = log;
  }

  /**
   * Records an action that stores nothing else. Resolves when the entry is durable, so an export waits for its entry. If the
   * disk accepts no writes, reading must still work: the entry is logged, and stored later. A repeated request is recorded
   * again.
   */
  note(caller: Caller | null, event: AuditEvent): Promise<void> {
    return runOutsideRequest(() => this.noteStored(caller, event));
  }

  /** Like `note`, for an action with stored changes: recorded once, even if the request is repeated with its key. */
  async noteStored(caller: Caller | null, event: AuditEvent): Promise<void> {
    const entry = auditEntry(caller, this.#clock.now(), event);
    try {
      await this.#store.append(entry);
    } catch (error) {
      const fault = diskFaultOf(error);
      if (fault === null || this.#owed.length >= mostOwed) throw error;
      this.#owed.push(entry);
      this.#log.warn({ entry }, `could not write to the audit log; retrying soon: ${fault.words}`);
    }
  }

  /** Stores the entries that are waiting. Throws if the disk still accepts no writes. */
  async writeOwed(): Promise<void> {
    for (let entry = this.#owed.shift(); entry !== undefined; entry = this.#owed.shift()) {
      try {
        await this.#store.append(entry);
      } catch (error) {
        this.#owed.unshift(entry);
        throw error;
      }
    }
  }

  /** Number of entries on all pages, counted up to 10,000. */
  count(caller: Caller, filter: AuditFilter): Promise<number> {
    return this.#store.count(seenBy(caller, filter));
  }

  /** Newest first. Admins and global keys see all entries, other users the entries that concern them. */
  page(caller: Caller, filter: AuditFilter, before: number | null, limit: number): Promise<StoredAuditEntry[]> {
    return this.#store.page({ filter: seenBy(caller, filter), before, limit });
  }

  /** Like `page`, but all entries. */
  async *all(caller: Caller, filter: AuditFilter): AsyncGenerator<StoredAuditEntry[], void, void> {
    let before: number | null = null;
    for (;;) {
      const page: StoredAuditEntry[] = await this.page(caller, filter, before, exportPage);
      if (page.length > 0) yield page;
      if (page.length < exportPage) return;
      before = page.at(-1)!.seq;
    }
  }

  /** Checks the whole chain in slices. `anchor`: the newest entry of an earlier check. */
  async verify(anchor: ChainPlace | null = null): Promise<AuditCheck> {
    let entries = 0;
    let result: ChainCheck;
    let last: ChainCheck["last"] = null;
    do {
      result = await this.#store.check(last, checkSlice);
      entries += result.checked;
      last = result.last;
      await pause();
    } while (result.more);
    const { brokenAt } = result;
    const standing = anchor === null ? null : await this.#store.standingOf(anchor);
    return {
      isIntact: brokenAt === null && standing !== "changed" && standing !== "missing",
      entries,
      brokenAt,
      lastId: last?.seq ?? null,
      lastHash: last === null ? null : Buffer.from(last.hash).toString("hex"),
      anchor: standing,
    };
  }

  /** Deletes entries that are older than the retention period. */
  async forgetOld(): Promise<void> {
    if (this.#keepDays === 0) return;
    const before = this.#clock.now() - this.#keepDays * dayMs;
    while ((await this.#store.forgetBefore(before, forgetSlice)) === forgetSlice);
  }

  /** Called at each start. Records a change of the setting that lets connectors act automatically. Never rejects. */
  async noteRisk(isAccepted: boolean): Promise<void> {
    await this.#noteRisk(isAccepted).catch((error: unknown) =>
      this.#log.error({ err: error }, "could not write to the audit log"),
    );
  }

  async #noteRisk(isAccepted: boolean): Promise<void> {
    const [latest] = await this.#store.page({ filter: { actions: riskActions }, before: null, limit: 1 });
    if ((latest?.action === "risk.accepted") === isAccepted) return;
    const action = isAccepted ? "risk.accepted" : "risk.withdrawn";
    await this.note(null, { action, workspaceId: null, details: { setting: "acknowledgeNetworkRisk" } });
  }
}

const riskActions: readonly AuditAction[] = ["risk.accepted", "risk.withdrawn"];

function seenBy(caller: Caller, filter: AuditFilter): AuditFilter {
  if (isAdmin(caller) || caller.workspaceId === null) return filter;
  return { ...filter, workspaceId: caller.workspaceId };
}

export function auditView({ seq, at, action, workspaceId, ...entry }: StoredAuditEntry): AuditEntryView {
  return { id: seq, at: isoTime(at), action, userId: workspaceId, ...entry };
}
