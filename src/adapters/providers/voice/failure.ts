import type { SpeechOutcome, TrainingOutcome } from "../../../features/voice/voice-engine.ts";

/**
 * A failed request to a vendor; the message is a sentence for people, without secrets. Adapters turn it into an outcome.
 * Only `remove` throws it, because it has no other way to request a retry.
 *
 * - `final`: repeating the request changes nothing
 * - `operator`: an operator must fix the account or the settings first
 * - `later`: it may succeed after `retryAfterSeconds`
 */
export class VendorFailure extends Error {
  override readonly name = "VendorFailure";

  constructor(
    message: string,
    readonly kind: "final" | "operator" | "later",
    readonly retryAfterSeconds: number,
  ) {
    super(message);
  }
}

/** Retry interval of waiting texts until an operator has fixed it. */
const operatorSeconds = 3600;

export function final(reason: string): VendorFailure {
  return new VendorFailure(reason, "final", operatorSeconds);
}

export function operatorFault(reason: string): VendorFailure {
  return new VendorFailure(reason, "operator", operatorSeconds);
}

export function later(reason: string, retryAfterSeconds: number): VendorFailure {
  return new VendorFailure(reason, "later", retryAfterSeconds);
}

/** Training that waits for an operator would look as if it were running, so it fails and must be restarted. */
export async function trainingOutcome(steps: () => Promise<TrainingOutcome>): Promise<TrainingOutcome> {
  return await orElse(steps, (failure) =>
    failure.kind === "later" ? busy(failure) : { kind: "failed", reason: failure.message },
  );
}

/** A text is not rejected for a problem that is not its own: it waits until the operator has fixed the vendor. */
export async function speechOutcome(steps: () => Promise<SpeechOutcome>): Promise<SpeechOutcome> {
  return await orElse(steps, (failure) =>
    failure.kind === "final" ? { kind: "refused", reason: failure.message } : busy(failure),
  );
}

/** Returns null if `steps` succeeded, otherwise why not. */
export async function problemOf(steps: () => Promise<unknown>): Promise<string | null> {
  return await orElse(
    async () => {
      await steps();
      return null;
    },
    ({ message }) => message,
  );
}

/**
 * Returns notes on a new voice: if `steps`, which delete the previous voices, fail, those may still exist at the
 * vendor.
 */
export async function notesOnForerunners(steps: () => Promise<void>): Promise<string[]> {
  const problem = await problemOf(steps);
  return problem === null ? [] : [`An earlier voice of this clone may still exist at the vendor. ${problem}`];
}

async function orElse<T>(steps: () => Promise<T>, ending: (failure: VendorFailure) => T): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof VendorFailure) return ending(error);
    throw error;
  }
}

function busy({ message: reason, retryAfterSeconds }: VendorFailure) {
  return { kind: "busy" as const, reason, retryAfterSeconds };
}
