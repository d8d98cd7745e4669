import { AsyncLocalStorage } from "node:async_hooks";

/** What goes along with the writes of one request, whoever makes them. */
export type Companion = {
  /** False once nothing that is written belongs to it any more. */
  readonly isOpen: boolean;
  /** One of its writes has changed something, inside a transaction that is still open. */
  wrote(): void;
  /** One of its writes is settled before the COMMIT, so that from here on nobody else hears that it failed. */
  settledEarly(): void;
  /** Called before the COMMIT of such a transaction, to write a row of its own into it. */
  record(): void;
  /** What it recorded is durable. */
  committed(): void;
  /** What it recorded, and what it wrote, does not hold. */
  failed(reason: unknown): void;
  /** Why a write that was settled early does not hold, for the first that is written after it; else null. */
  takeFailure(): { reason: unknown } | null;
};

const companions = new AsyncLocalStorage<Companion>();

/** Runs `work`; what is written from within, however deep, has `companion` along. */
export function accompanied<T>(companion: Companion, work: () => T): T {
  return companions.run(companion, work);
}

export function currentCompanion(): Companion | null {
  const companion = companions.getStore();
  return companion?.isOpen === true ? companion : null;
}
