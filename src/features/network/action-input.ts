import { messageLength } from "../../lib/message-text/message-text.ts";
import { isBlank, multiLine, singleLine } from "../../platform/base/text.ts";
import { parseInstant } from "../../platform/base/clock.ts";
import { isWithin } from "../../platform/identity/domain.ts";
import type { FieldError } from "../../platform/base/errors.ts";
import type { Tier } from "./meter-model.ts";
import { actionKinds, actionTypes, type ActionKind, type ActionType } from "./action-kinds.ts";
import type { ActionDetails, ScheduleInput } from "./action-model.ts";
import { canonicalProfileUrl, pageSubjectOf } from "../../platform/identity/profile-url.ts";
import { fillTemplate, type TemplateValues } from "./template.ts";

/** The validated and normalized content of an action. */
export type ActionContent = {
  actionType: ActionType;
  profileUrl: string;
  profileKey: string;
  targetKey: string;
  message: string | null;
  details: ActionDetails;
};

type ContentInput = Pick<ScheduleInput, "actionType" | "profileUrl" | "message" | keyof ActionDetails>;
type ContentResult = { content: ActionContent } | { errors: FieldError[] };

/** Allowed hosts of profile URLs; empty: any host. */
export type ProfileHosts = readonly string[];

/** Validates the content of an action and returns all errors at once. `values`: variables of its lead; null: no lead. */
export function actionContent(
  sent: ContentInput,
  tier: Tier,
  values: TemplateValues | null,
  hosts: ProfileHosts,
): ContentResult {
  const errors: FieldError[] = [];
  const actionType = actionTypes.find((type) => type === sent.actionType);
  if (actionType === undefined)
    errors.push({
      path: "actionType",
      message: `Unknown action type "${singleLine(sent.actionType).slice(0, 60)}". Choose one of: ${actionTypes.join(", ")}.`,
    });
  const profileUrl = sent.profileUrl.trim();
  const profileKey = profileKeyOf(profileUrl, hosts, errors);
  if (actionType === undefined) return { errors };
  const kind = actionKinds[actionType];
  const message = messageOf(sent.message, actionType, kind, tier, values, errors);
  const details = detailsOf(sent, actionType, values, errors);
  if (errors.length > 0 || profileKey === null) return { errors };
  const part = details.postUrl === undefined ? details.skill?.toLowerCase() : canonicalProfileUrl(details.postUrl);
  const targetKey = part ? `${profileKey}#${part}` : profileKey;
  return { content: { actionType, profileUrl, profileKey, targetKey, message, details } };
}

/** The canonical form of a profile URL. If it is invalid, adds an error and returns null. */
export function profileKeyOf(
  url: string,
  hosts: ProfileHosts,
  errors: FieldError[],
  path = "profileUrl",
): string | null {
  const key = canonicalProfileUrl(url);
  if (key === null) {
    errors.push({
      path,
      message: `"${singleLine(url).slice(0, 80)}" is not the http or https URL of a profile, such as https://network.example/in/ada.`,
    });
    return null;
  }
  if (hosts.length > 0) {
    const host = new URL(key).hostname;
    if (!hosts.some((allowed) => isWithin(host, allowed))) {
      errors.push({ path, message: `Expected a profile on ${hosts.join(" or ")}, got ${host}.` });
      return null;
    }
  }
  const subject = pageSubjectOf(key);
  if (subject !== null) {
    errors.push({
      path,
      message: `"${singleLine(url).slice(0, 80)}" is the page of ${subject}, not of a person. Send the URL of a person's profile, such as https://network.example/in/ada.`,
    });
    return null;
  }
  return key;
}

/** Parses the requested earliest time: at least now, within a year. */
export function notBeforeOf(text: string | undefined, now: number, errors: FieldError[]): number {
  if (text === undefined) return now;
  const at = parseInstant(text);
  if (at === null || at > now + 366 * 86_400_000) {
    errors.push({ path: "notBefore", message: "Expected a time within a year, such as 2030-01-31T09:00:00Z." });
    return now;
  }
  return Math.max(at, now);
}

function messageOf(
  text: string | undefined,
  type: ActionType,
  kind: ActionKind,
  tier: Tier,
  values: TemplateValues | null,
  errors: FieldError[],
): string | null {
  const written = multiLine(text ?? "").trim();
  if (isBlank(written)) {
    if (kind.text === "required") errors.push({ path: "message", message: missing(written, type) });
    return null;
  }
  if (kind.text === "none") {
    errors.push({ path: "message", message: `Not supported for ${type}.` });
    return null;
  }
  const filled = fillTemplate(written, values, "message");
  if ("errors" in filled) {
    errors.push(...filled.errors);
    return null;
  }
  if (kind.text === "required" && isBlank(filled.text))
    errors.push({ path: "message", message: missing(filled.text || written, type) });
  const most = kind.maxText[tier];
  const length = messageLength(filled.text);
  if (length > most)
    errors.push({
      path: "message",
      message: `Expected at most ${most} characters for ${type} on a ${tier} account, got ${length}.`,
    });
  return filled.text;
}

function missing(written: string, type: ActionType): string {
  return written === "" ? `Required for ${type}.` : "Must not be empty: the text has no visible characters.";
}

function detailsOf(
  sent: ContentInput,
  type: ActionType,
  values: TemplateValues | null,
  errors: FieldError[],
): ActionDetails {
  switch (type) {
    case "sendInMail":
      return inMailDetails(sent.subject, values, errors);
    case "sendVoiceMessage":
      if (sent.voiceId === undefined)
        errors.push({
          path: "voiceId",
          message: "Required for sendVoiceMessage: the ID of a voice clone that is ready.",
        });
      return sent.voiceId === undefined ? {} : { voiceId: sent.voiceId };
    case "likePost":
      return { ...postOf(sent.postUrl, errors), reaction: sent.reaction ?? "like" };
    case "commentPost":
      return postOf(sent.postUrl, errors);
    case "endorseSkill":
      return sent.skill === undefined ? {} : { skill: singleLine(sent.skill) };
    case "sendConnectionRequest":
      return sent.allowOverlap === true ? { allowOverlap: true } : {};
    default:
      return {};
  }
}

function inMailDetails(
  subject: string | undefined,
  values: TemplateValues | null,
  errors: FieldError[],
): ActionDetails {
  const written = singleLine(subject ?? "");
  if (isBlank(written)) {
    errors.push({ path: "subject", message: "Required for sendInMail." });
    return {};
  }
  const filled = fillTemplate(written, values, "subject");
  if ("errors" in filled) {
    errors.push(...filled.errors);
    return {};
  }
  return { subject: filled.text };
}

function postOf(url: string | undefined, errors: FieldError[]): ActionDetails {
  if (url === undefined) return {};
  if (canonicalProfileUrl(url) === null)
    errors.push({
      path: "postUrl",
      message: `"${singleLine(url).slice(0, 80)}" is not the http or https URL of a post.`,
    });
  return { postUrl: url.trim() };
}
