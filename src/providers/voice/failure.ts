import type { SpeechOutcome, TrainingOutcome } from "../../voice/voice-engine.ts";

/**
 * Why a vendor did not do what was asked; the message is a sentence for a person, without secrets. Adapters turn it into
 * an outcome. Only `remove` lets it out, which has no other way to say that it is to be asked again.
 */
export class VendorFailure extends Error {
  override readonly name = "VendorFailure";

  constructor(
    message: string,
    /** Null: asking again changes nothing, before somebody has seen to it. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
  }
}

export function final(reason: string): VendorFailure {
  return new VendorFailure(reason, null);
}

export function later(reason: string, retryAfterSeconds: number): VendorFailure {
  return new VendorFailure(reason, retryAfterSeconds);
}

export async function trainingOutcome(steps: () => Promise<TrainingOutcome>): Promise<TrainingOutcome> {
  return await orElse(steps, (failure) => busyOr("failed", failure));
}

export async function speechOutcome(steps: () => Promise<SpeechOutcome>): Promise<SpeechOutcome> {
  return await orElse(steps, (failure) => busyOr("refused", failure));
}

/** Null when `steps` went through, else why not. */
export async function problemOf(steps: () => Promise<unknown>): Promise<string | null> {
  return await orElse(
    async () => {
      await steps();
      return null;
    },
    ({ message }) => message,
  );
}

async function orElse<T>(steps: () => Promise<T>, ending: (failure: VendorFailure) => T): Promise<T> {
  try {
    return await steps();
  } catch (error) {
    if (error instanceof VendorFailure) return ending(error);
    throw error;
  }
}

function busyOr<K extends "failed" | "refused">(kind: K, { message: reason, retryAfterSeconds }: VendorFailure) {
  return retryAfterSeconds === null
    ? { kind, reason }
    : { kind: "busy" as const, reason, retryAfterSeconds: retryAfterSeconds };
}
