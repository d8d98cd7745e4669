import type { NetworkAccount } from "./account-model.ts";
import type { ActionDetails, Refusal } from "./action-model.ts";
import type { ActionType } from "./action-kinds.ts";
import type { MessageCheck, MessagesRead, News, Relation, WatchedPerson } from "./contact-model.ts";

/** An action for a connector to perform. */
export type ActionOrder = {
  /** ID of the action and of its job. The same in every attempt, so receivers can detect repeats. */
  jobId: string;
  actionType: ActionType;
  profileUrl: string;
  /** Canonical form of `profileUrl`. */
  profileKey: string;
  /** Text of the note, message, comment, or voice message. */
  message: string | null;
  details: ActionDetails;
  /** Audio of a voice message; null for all other actions. */
  audio: VoiceAudio | null;
};

export type VoiceAudio = { bytes: Uint8Array; mediaType: string; seconds: number };

/**
 * Outcome of an attempt to perform an action. Every `reason` is a human-readable sentence.
 * - completed: it took effect. `relation` is set if the attempt revealed it.
 * - refused: it had no effect and never will.
 * - busy: it had no effect; retry at `retryAt`.
 * - limited: it had no effect, and the network asks this account to slow down, until `retryAt` if it gave a time.
 * - signedOut: it had no effect, and no action will until a person reconnects the account.
 * - delegated: a person or a vendor performs it and reports the outcome. If `checkAt` is set, `follow` is called with
 *   the reference at that time.
 * - unknown: it may or may not have taken effect.
 */
export type ConnectorOutcome =
  | { kind: "completed"; reference: string | null; relation?: Relation }
  | { kind: "refused"; refusal: Refusal; reason: string; relation?: Relation }
  | { kind: "busy"; retryAt: number; reason: string }
  | { kind: "limited"; retryAt: number | null; reason: string }
  | { kind: "signedOut"; reason: string }
  | { kind: "delegated"; to: "person" | "vendor"; reference: string | null; checkAt: number | null }
  | { kind: "unknown"; reason: string };

/** Performs actions on the network. Responses of the network are returned as outcomes; methods never throw for them. */
export type Connector = {
  carryOut(order: ActionOrder, account: NetworkAccount, signal: AbortSignal): Promise<ConnectorOutcome>;
  /** Polls a vendor for the outcome of an action that was delegated under this reference. Read-only and safe to repeat. */
  follow?(
    reference: string,
    order: ActionOrder,
    account: NetworkAccount,
    signal: AbortSignal,
  ): Promise<ConnectorOutcome>;
  /** Returns news about these people, or an empty list if the network cannot be reached. Read-only and safe to repeat. */
  watch?(watched: readonly WatchedPerson[], account: NetworkAccount, signal: AbortSignal): Promise<News[]>;
  /**
   * Reads what the account and people have written to each other since the last check, also strangers, and also what the
   * account wrote outside of outreachd. With it, `watch` is not asked for replies. Null if the network cannot be reached.
   * Read-only and safe to repeat.
   */
  readMessages?(check: MessageCheck, account: NetworkAccount, signal: AbortSignal): Promise<MessagesRead | null>;
  /** Maximum number of people in one call of `watch` or `readMessages`, by what they are watched for, if each of them costs calls or time. */
  watchLimits?: Partial<Record<WatchedPerson["waitsFor"], number>>;
  /** Why this connector cannot be used with these settings, as a sentence, or null. Checks the settings only. */
  problem?(account: Pick<NetworkAccount, "connectorSettings">): string | null;
};
