import type { NetworkAccount } from "./account-model.ts";
import type { ActionDetails, Refusal } from "./action-model.ts";
import type { ActionType } from "./action-kinds.ts";
import type { News, Relation, Watched } from "./contact-model.ts";

/** An action as a connector is asked to carry it out. */
export type ActionOrder = {
  /** Id of the action and of its job; the same in every attempt, so a receiver can tell repeats by it. */
  jobId: string;
  actionType: ActionType;
  profileUrl: string;
  /** Canonical form of `profileUrl`. */
  profileKey: string;
  /** Note, message, comment, or what a voice message says. */
  message: string | null;
  details: ActionDetails;
  /** The rendered voice message; null for all other actions. */
  audio: VoiceAudio | null;
};

export type VoiceAudio = { bytes: Uint8Array; mediaType: string; seconds: number };

/**
 * What came of an attempt to carry an action out; every `reason` is a sentence for a person.
 * - sent: it had its effect. `relation` is what the attempt showed, where it showed something.
 * - refused: it had none and never will.
 * - busy: it had none; try again at `retryAt`.
 * - limited: it had none, and the network asks this account to slow down. `retryAt` where it said until when.
 * - signedOut: it had none, and none will have until a person connects the account again.
 * - handed: it was passed on, and its end comes later: by a person or a worker who reports it, or, when `checkAt` is a
 *   moment, by asking `follow` with the reference then.
 * - unknown: nobody can say whether it had its effect.
 */
export type ConnectorOutcome =
  | { kind: "completed"; reference: string | null; relation?: Relation }
  | { kind: "refused"; refusal: Refusal; reason: string; relation?: Relation }
  | { kind: "busy"; retryAt: number; reason: string }
  | { kind: "limited"; retryAt: number | null; reason: string }
  | { kind: "signedOut"; reason: string }
  | { kind: "delegated"; to: "person" | "vendor"; reference: string | null; checkAt: number | null }
  | { kind: "unknown"; reason: string };

/** A way of carrying actions out on the network. No method throws for what the network answers. */
export type Connector = {
  carryOut(order: ActionOrder, account: NetworkAccount, signal: AbortSignal): Promise<ConnectorOutcome>;
  /** What became of an order that was handed to a vendor under this reference. Asks only; safe to repeat. */
  follow?(
    reference: string,
    order: ActionOrder,
    account: NetworkAccount,
    signal: AbortSignal,
  ): Promise<ConnectorOutcome>;
  /** What is new with the watched people. Asks only; safe to repeat. An empty list when the network can't be asked. */
  watch?(watched: readonly Watched[], account: NetworkAccount, signal: AbortSignal): Promise<News[]>;
  /** A sentence on why the account can't be used through this connector as it is set up, or null. Asks nobody. */
  problem?(account: Pick<NetworkAccount, "connectorSettings">): string | null;
};
