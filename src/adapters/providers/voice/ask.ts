import type { Static, TSchema } from "@sinclair/typebox";
import { failureOfAnswer, failureWithoutAnswer, saysGone, unreadable } from "./vendor-failures.ts";
import { addressed, isSuccess, jsonOf, shaped, type Vendor, type VendorAnswer, type VendorRequest } from "./vendor.ts";

/** Well above what a list or an entry takes, and below the time that a check of an engine may take. */
const askingMs = 20_000;
/** A page of a hundred voices is some 300 KB. */
const maxBytes = 4 * 2 ** 20;

/**
 * Returns a response with status 2xx or an expected status. Throws `VendorFailure`, or the reason of an aborted signal.
 */
export async function ask(vendor: Vendor, request: VendorRequest, signal: AbortSignal): Promise<VendorAnswer> {
  const { timeoutMs = askingMs, expects = [] } = request;
  const outcome = await vendor.http.send({ ...addressed(vendor, request), timeoutMs, maxBytes, signal });
  if (outcome.kind !== "answered") throw failureWithoutAnswer(vendor, outcome, signal);
  if (isSuccess(outcome.status) || expects.includes(outcome.status)) return outcome;
  throw failureOfAnswer(vendor, outcome);
}

/** Like `ask`, for a JSON response that matches a schema. Vendors may add fields. */
export async function askJson<T extends TSchema>(
  vendor: Vendor,
  schema: T,
  request: VendorRequest,
  signal: AbortSignal,
): Promise<Static<T>> {
  const found = shaped(schema, jsonOf(await ask(vendor, request, signal)));
  if (found !== null) return found;
  throw unreadable(vendor);
}

/** Like `ask`, for deleting something that may no longer exist. Accepts 404 if it comes from the vendor itself. */
export async function askToDelete(vendor: Vendor, path: string, signal: AbortSignal): Promise<void> {
  const answer = await ask(vendor, { method: "DELETE", path, expects: [404] }, signal);
  if (answer.status === 404 && !saysGone(vendor, answer)) throw failureOfAnswer(vendor, answer);
}
