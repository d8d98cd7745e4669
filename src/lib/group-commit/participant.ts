import { AsyncLocalStorage } from "node:async_hooks";

/** What goes along with the writes of one request, whoever makes them. */
export type TransactionParticipant = {
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

const participants = new AsyncLocalStorage<TransactionParticipant>();

/** Runs `work`; what is written from within, however deep, has `participant` along. */
export function withParticipant<T>(participant: TransactionParticipant, work: () => T): T {
  return participants.run(participant, work);
}

export function currentParticipant(): TransactionParticipant | null {
  const participant = participants.getStore();
  return participant?.isOpen === true ? participant : null;
}
