import { AsyncLocalStorage } from "node:async_hooks";

/** Takes part in every transaction that contains writes of one request, wherever they come from. */
export type TransactionParticipant = {
  /** False once no further write belongs to it. */
  readonly isOpen: boolean;
  /** Called when one of its writes has changed something, inside the open transaction. */
  wrote(): void;
  /**
   * Called when one of its writes settles before the COMMIT, so that only the participant can still report a failure.
   */
  settledEarly(): void;
  /** Called before the COMMIT of such a transaction, to write its own row. */
  record(): void;
  /** Called once its row is durable. */
  committed(): void;
  /** Called if its row and its writes were rolled back. */
  failed(reason: unknown): void;
  /** Returns why a write that had settled early was rolled back, once, for the next write; otherwise null. */
  takeFailure(): { reason: unknown } | null;
};

const participants = new AsyncLocalStorage<TransactionParticipant>();

/** Runs `work`. All writes in it, however deep, are made with `participant`. */
export function withParticipant<T>(participant: TransactionParticipant, work: () => T): T {
  return participants.run(participant, work);
}

export function currentParticipant(): TransactionParticipant | null {
  const participant = participants.getStore();
  return participant?.isOpen === true ? participant : null;
}
