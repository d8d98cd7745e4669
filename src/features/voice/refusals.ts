import { ApiError, invalid } from "../../platform/base/errors.ts";
import { maxSamples } from "./model.ts";

/** Specification, "Errors". `upgradeUrl`: where to read how to get more. Without `retryAfter`: time alone does not help. */
export function tooManyClones(count: number, maxClones: number, upgradeUrl: string): ApiError {
  return new ApiError("VOICE_CLONE_LIMIT_EXCEEDED", {
    message: `You have ${count} of ${maxClones} voice clones. Delete one first, or ask the operator for more.`,
    details: { current_count: count, max_allowed: maxClones, upgrade_url: upgradeUrl },
  });
}

export function noRoom(usedBytes: number, maxBytes: number): ApiError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return new ApiError("PAYLOAD_TOO_LARGE", {
    message: `Your voice samples take up ${megabytes(usedBytes)} of ${megabytes(maxBytes)} MB, so these do not fit. Delete samples or clones first.`,
    details: { usedBytes, maxBytes },
  });
}

export function tooManySamples(count: number): ApiError {
  return invalid([
    {
      path: "files",
      message: `A clone has at most ${maxSamples} samples, and this one has ${count}: remove some first.`,
    },
  ]);
}
