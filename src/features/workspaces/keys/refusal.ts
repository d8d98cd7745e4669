import { denied, type Caller } from "../../../platform/auth/caller.ts";
import type { Obstacle } from "../../../platform/auth/may-grant.ts";
import { isoTime } from "../../../platform/base/clock.ts";
import type { ApiError } from "../../../platform/base/errors.ts";

/** The error for a key that its maker must not grant. */
export function refusalOf(caller: Caller, obstacle: Obstacle): ApiError {
  switch (obstacle.kind) {
    case "permissions": {
      const { lacking } = obstacle;
      const message = `This API key cannot grant permissions it lacks: ${lacking.join(", ")}.`;
      return denied(caller, lacking[0]!, message, { lacking });
    }
    case "approval":
      return denied(
        caller,
        "*",
        "This API key can only propose actions, so it cannot create or update a key that needs no approval.",
      );
    case "expiry": {
      const expiresAt = isoTime(obstacle.expiresAt);
      const message = `This API key expires at ${expiresAt}, so it cannot create or update a key that expires later.`;
      return denied(caller, "*", message, { expiresAt });
    }
    case "budget":
      return denied(
        caller,
        "*",
        `This API key has a monthly budget, so it cannot create or update other keys that can spend credits (${obstacle.spending.join(", ")}). Use a key without a budget.`,
        { spending: obstacle.spending },
      );
    case "networks":
      return denied(
        caller,
        "*",
        "This API key can be used from some networks only, so it cannot create or update a key for other networks.",
      );
    case "rateLimits":
      return denied(
        caller,
        "*",
        "This API key has rate limits of its own, so it cannot create or update other keys, or raise its limits.",
      );
  }
}
