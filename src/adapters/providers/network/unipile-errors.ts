import { Type } from "@sinclair/typebox";
import type { Refusal } from "../../../features/network/action-model.ts";
import type { ConnectorOutcome } from "../../../features/network/connector.ts";
import { busy, refused, sent, unknownOutcome } from "./ending.ts";
import { quote, sentence } from "./quote.ts";
import { retryAfter } from "./retry-after.ts";
import { jsonOf, outageMs, shaped, type Purpose, type Vendor, type VendorAnswer } from "./vendor.ts";

/** Problem details of the API: `type` is "errors/" and a name (developer.unipile.com, reference of every method). */
const Problem = Type.Object({
  type: Type.String(),
  title: Type.Optional(Type.Unknown()),
  detail: Type.Optional(Type.Unknown()),
});

/** Context that a step adds to the meaning of an error. */
export type Step = {
  purpose: Purpose;
  /** What a 404 means. */
  missing: Refusal;
  /** What it means if the person is unreachable in this way. */
  unreachable: Refusal;
};

/** Returns the outcome of the order for an error response. */
export function outcomeOfError(answer: VendorAnswer, step: Step, vendor: Vendor): ConnectorOutcome {
  const { status } = answer;
  const now = vendor.clock.now();
  const problem = shaped(Problem, jsonOf(answer));
  const name = problem?.type.replace(/^errors\//, "") ?? "";
  const words = quote(problem?.detail, vendor.secrets) ?? quote(problem?.title, vendor.secrets);
  const said = words ?? quote(problem?.type, vendor.secrets);

  if (signsOut.has(name) || status === 401)
    return { kind: "signedOut", reason: sentence("Unipile has no access to the account", said) };
  if (slowsDown.has(name) || status === 429)
    return {
      kind: "limited",
      retryAt: retryAfter(answer.headers, now),
      reason: sentence("The network asks for a slower pace", said),
    };
  // The reaction or endorsement already exists, which is what the order requests.
  if (name === "action_already_performed") return sent(null);
  const introduction = status >= 500 ? `Unipile failed (${status})` : "Unipile rejected it";
  if (name === "user_unreachable" || name === "invalid_recipient")
    return refused(step.unreachable, sentence(introduction, said));
  const refusal = refusalOf[name] ?? (status === 501 ? "notSupported" : null);
  if (refusal !== null) return refused(refusal, sentence(introduction, said));
  if (status >= 500 && step.purpose === "acts" && !neverStarted.has(name))
    return unknownOutcome(sentence(introduction, said));
  // Without a problem document of the API, something in front of it responded, and the API did not receive the request.
  if (status >= 500 || problem === null) return busy(now + outageMs, sentence(`Unipile failed (${status})`, said));
  if (status === 404) return refused(step.missing, sentence(introduction, said));
  if (/\be-?mail\b/i.test(words ?? "") && step.unreachable === "requestNotAllowed")
    return refused("emailRequired", sentence(introduction, said));
  return refused("invalid", sentence(introduction, said));
}

/** Problems of the account on the network, or of our access to the API, which a person must fix. */
const signsOut = new Set([
  "disconnected_account", "disconnected_feature", "expired_credentials", "invalid_credentials", "missing_credentials",
  "checkpoint_error", "wrong_account", "multiple_sessions", "account_restricted", "account_mismatch",
  "unknown_authentication_context", "session_mismatch", "action_required", "insufficient_privileges",
  "insufficient_permissions", "invalid_account",
]); // prettier-ignore

/**
 * `cannot_resend_yet` comes with "You have reached a temporary provider limit": it is about the account, not the
 * person.
 */
const slowsDown = new Set([
  "limit_exceeded",
  "too_many_requests",
  "connection_limit_reached",
  "cannot_resend_yet",
  "limit_too_high",
]);

/** The request never reached the network, so it can be repeated. */
const neverStarted = new Set(["no_client_session", "no_channel", "no_handler"]);

const refusalOf: Partial<Record<string, Refusal>> = {
  already_connected: "alreadyConnected",
  already_invited_recently: "alreadyPending",
  cannot_resend_within_24hrs: "cannotResendYet",
  cannot_invite_attendee: "requestNotAllowed",
  no_connection_with_recipient: "messagingNotAllowed",
  blocked_recipient: "messagingNotAllowed",
  not_allowed_inmail: "messagingNotAllowed",
  cant_send_message: "messagingNotAllowed",
  insufficient_credits: "noInMailCredits",
  too_many_characters: "noteTooLong",
  invalid_post: "postNotFound",
  comments_disabled: "commentingNotAllowed",
  feature_not_subscribed: "notSupported",
  subscription_required: "notSupported",
  feature_not_implemented: "notSupported",
};
