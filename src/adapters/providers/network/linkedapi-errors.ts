import type { Refusal } from "../../../features/network/action-model.ts";
import type { ConnectorOutcome } from "../../../features/network/connector.ts";
import type { Relation } from "../../../features/network/contact-model.ts";
import { refused, unknownOutcome } from "./ending.ts";
import { sentence } from "./quote.ts";

/** The error of an action (`completion.error`) or of a request; both have a type and a message (linkedapi.io/docs). */
export type LinkedapiError = { type: string; said: string | null };

/** Returns the outcome of the order for an error; null for an undocumented type. */
export function outcomeOfType({ type, said }: LinkedapiError, retryAt: number | null): ConnectorOutcome | null {
  if (signsOut.has(type))
    return { kind: "signedOut", reason: sentence("Linked API has no access to the account", said ?? type) };
  // The vendor has a separate type for each limit, and adds more: dailyConnectionAttemptsExceeded and so on.
  if (type === "tooManyRequests" || type === "limitExceeded" || type.endsWith("AttemptsExceeded"))
    return { kind: "limited", retryAt, reason: sentence("Linked API asks for a slower pace", said ?? type) };
  if (type === "workflowTimeout") return unknownOutcome(sentence("The workflow at Linked API timed out", said));
  const refusal = refusalOf[type];
  return refusal === undefined
    ? null
    : refused(refusal, sentence("Linked API rejected it", said ?? type), relationOf[type]);
}

const signsOut = new Set([
  "linkedinAccountSignedOut",
  "linkedApiTokenRequired",
  "invalidLinkedApiToken",
  "identificationTokenRequired",
  "invalidIdentificationToken",
  "subscriptionRequired",
  "noAvailableSeats",
  "accountNotFound",
  "accountIdRequired",
  "sessionNotFound",
]);

const refusalOf: Partial<Record<string, Refusal>> = {
  alreadyConnected: "alreadyConnected",
  alreadyPending: "alreadyPending",
  notPending: "notPending",
  personNotFound: "personNotFound",
  postNotFound: "postNotFound",
  connectionNotFound: "messagingNotAllowed",
  messagingNotAllowed: "messagingNotAllowed",
  requestNotAllowed: "requestNotAllowed",
  commentingNotAllowed: "commentingNotAllowed",
  noPostingPermission: "commentingNotAllowed",
  selfProfileNotAllowed: "ownProfile",
  emailRequired: "emailRequired",
  noteTooLong: "noteTooLong",
  noteLimitExceeded: "noteLimitReached",
  noSalesNavigator: "notSupported",
  plusPlanRequired: "notSupported",
  languageNotSupported: "notSupported",
  invalidRequestPayload: "invalid",
  invalidWorkflow: "invalid",
};

const relationOf: Partial<Record<string, Relation>> = { alreadyConnected: "connected", alreadyPending: "pending" };
