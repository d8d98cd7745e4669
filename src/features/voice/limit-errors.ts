import { ApiError, invalid } from "../../platform/base/errors.ts";
import { maxSamples } from "./model.ts";

/** Specification, "Errors". Has no `retryAfter`, because waiting alone does not help. */
export function cloneLimitError(count: number, maxClones: number, upgradeUrl: string): ApiError {
  return new ApiError("VOICE_CLONE_LIMIT_EXCEEDED", {
    message: `Voice clone limit reached: you have ${count} of ${maxClones}. Delete one first, or ask the operator to raise the limit.`,
    details: { current_count: count, max_allowed: maxClones, upgrade_url: upgradeUrl },
  });
}

export function storageLimitError(usedBytes: number, maxBytes: number): ApiError {
  const megabytes = (bytes: number) => Math.ceil(bytes / 2 ** 20);
  return new ApiError("PAYLOAD_TOO_LARGE", {
    message: `Not enough voice storage: you are using ${megabytes(usedBytes)} of ${megabytes(maxBytes)} MB. Delete recordings or voice clones first.`,
    details: { usedBytes, maxBytes },
  });
}

export function sampleLimitError(count: number): ApiError {
  return invalid([
    {
      path: "files",
      message: `A voice clone can have up to ${maxSamples} recordings; this one has ${count}. Remove some first.`,
    },
  ]);
}
