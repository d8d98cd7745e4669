import { ApiError } from "../../platform/base/errors.ts";
import type { SuppressionKind, SuppressionMatch } from "./model.ts";

/** The error for contacting, or preparing to contact, a person on the do-not-contact list: 409 DO_NOT_CONTACT. */
export function doNotContact(match: SuppressionMatch): ApiError {
  const { kind, entryId, scope } = match;
  return new ApiError("DO_NOT_CONTACT", { message: doNotContactText(match), details: { kind, entryId, scope } });
}

/** Explains why a person may not be contacted, and what to do if that is wrong. */
export function doNotContactText({ kind, entryId, scope, reason, isOfFormerJob, isLinked }: SuppressionMatch): string {
  const list = scope === "team" ? "the do-not-contact list of the installation" : "your do-not-contact list";
  const because = reason === null ? "" : ` (${reason})`;
  const correction = scope === "team" ? "ask an admin to remove" : "remove";
  const whose = isOfFormerJob ? `${names[kind]} of a former job` : names[kind];
  // Explains why the error for a profile mentions an address that was not part of the request.
  const known = isLinked ? `${whose} stored for the same person` : whose;
  return `The ${known} is on ${list}${because}. If this is a mistake, ${correction} the entry: DELETE /api/v2/suppressions/${entryId}.`;
}

/** The lead field that an entry of this kind blocks. */
export const suppressedField = {
  email: "email",
  domain: "email",
  profile: "networkUrl",
  phone: "phone",
} as const satisfies Record<SuppressionKind, string>;

const names: Record<SuppressionKind, string> = {
  email: "email address",
  domain: "domain of the email address",
  profile: "profile",
  phone: "phone number",
};
