import { ApiError } from "../../platform/base/errors.ts";
import type { SuppressionKind, SuppressionMatch } from "./model.ts";

/** Refuses what would contact, or prepare to contact, somebody on the do-not-contact list: 409 DO_NOT_CONTACT. */
export function doNotContact(match: SuppressionMatch): ApiError {
  const { kind, entryId, scope } = match;
  return new ApiError("DO_NOT_CONTACT", { message: doNotContactText(match), details: { kind, entryId, scope } });
}

/** Why somebody may not be contacted, and what to do if that is wrong. */
export function doNotContactText({ kind, entryId, scope, reason, isOfFormerJob, isLinked }: SuppressionMatch): string {
  const list = scope === "team" ? "the team's do-not-contact list" : "your do-not-contact list";
  const because = reason === null ? "" : ` (${reason})`;
  const who = scope === "team" ? "an admin removes" : "remove";
  const whose = isOfFormerJob ? `${names[kind]} of a former job` : names[kind];
  // Without this a refusal of a profile would name an address that the request did not.
  const known = isLinked ? `${whose} stored for the same person` : whose;
  return `The ${known} is on ${list}${because}. If that is wrong, ${who} the entry: DELETE /api/v2/suppressions/${entryId}.`;
}

/** The field of a lead that an entry of this kind stands against. */
export const suppressedField = {
  email: "email",
  domain: "email",
  profile: "networkUrl",
  phone: "phone",
} as const satisfies Record<SuppressionKind, string>;

const names: Record<SuppressionKind, string> = {
  email: "e-mail address",
  domain: "domain of the e-mail address",
  profile: "profile",
  phone: "phone number",
};
