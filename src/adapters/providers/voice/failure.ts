import type { SpeechOutcome, TrainingOutcome } from "../../../features/voice/voice-engine.ts";

/**
 * Why a vendor did not do what was asked; the message is a sentence for a person, without secrets. Adapters turn it into
 * an outcome. Only `remove` lets it out, which has no other way to say that it is to be asked again.
 *
 * - `final`: asking for the same again changes nothing
 * - `operator`: nothing goes before somebody has seen to the account or the settings
 * - `later`: it may go well after `retryAfterSeconds`
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

/** Whoever sees to it, texts that wait meanwhile are tried again this often. */
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

/** A training that waits for an operator would look as if it went on: it fails, and is started again by hand. */
export async function trainingOutcome(steps: () => Promise<TrainingOutcome>): Promise<TrainingOutcome> {
  return await orElse(steps, (failure) =>
    failure.kind === "later" ? busy(failure) : { kind: "failed", reason: failure.message },
  );
}

/** A text is not refused for what is no fault of it: it waits until somebody has seen to the vendor. */
export async function speechOutcome(steps: () => Promise<SpeechOutcome>): Promise<SpeechOutcome> {
  return await orElse(steps, (failure) =>
    failure.kind === "final" ? { kind: "refused", reason: failure.message } : busy(failure),
  );
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

/** Notes on a voice that was made, whose forerunners may still be at the vendor where `steps`, which delete them, fail. */
export async function notesOnForerunners(steps: () => Promise<void>): Promise<string[]> {
  const problem = await problemOf(steps);
  return problem === null ? [] : [`An earlier voice of this clone may still be at the vendor. ${problem}`];
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
