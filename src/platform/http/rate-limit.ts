import { isoTime, type Clock } from "../base/clock.ts";
import { ApiError } from "../base/errors.ts";
import { unitsPerRequest, type RateLimiter, type RateVerdict } from "../../lib/rate-limit/rate-limiter.ts";
import type { RequestContext } from "./request-context.ts";

/**
 * Cost in tenths of a request. The specification requires health checks to be cheap. A click in the dashboard sends
 * several requests, and people are slower than programs.
 */
export const requestCost = { full: unitsPerRequest, health: 1, page: 1, none: 0 } as const;

/** RATE_LIMIT_EXCEEDED for a request that is not allowed. */
export function tooManyRequests({ limit, retryAfterSeconds }: RateVerdict, clock: Clock): ApiError {
  const resetTime = isoTime(clock.now() + retryAfterSeconds * 1000);
  return new ApiError("RATE_LIMIT_EXCEEDED", {
    message: `Too many requests. Try again in ${retryAfterSeconds} ${retryAfterSeconds === 1 ? "second" : "seconds"}.`,
    details: { limit, resetTime },
    retryAfterSeconds,
  });
}

/** Throws `error`, or RATE_LIMIT_EXCEEDED for an address that sent too many invalid credentials. */
export function refuseStranger(
  { set, address }: RequestContext,
  error: unknown,
  limiter: RateLimiter,
  clock: Clock,
): never {
  const isInvalid = error instanceof ApiError && error.code === "UNAUTHORIZED";
  const verdict = limiter.takeFromStranger(address, isInvalid ? requestCost.full : requestCost.none);
  Object.assign(set.headers, verdict.headers);
  throw verdict.isAllowed ? error : tooManyRequests(verdict, clock);
}
