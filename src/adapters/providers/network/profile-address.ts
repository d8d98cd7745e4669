import type { ActionOrder } from "../../../features/network/connector.ts";
import { Ending, refused } from "./ending.ts";

/**
 * Returns the person of an order as a path segment of the API: what follows /in/ in the URL of a profile, or the ID in
 * one of Sales Navigator. Read from the original URL, because IDs are case-sensitive.
 */
export function memberOf({ profileUrl }: Pick<ActionOrder, "profileUrl">): string {
  const name = nameIn(profileUrl);
  if (name === null)
    throw new Ending(
      refused("personNotFound", "The profile URL does not identify a person. Expected a URL like …/in/name."),
    );
  return encodeURIComponent(name);
}

/** Like `memberOf`, but neither escapes nor throws. */
export function nameIn(profileUrl: string): string | null {
  const path = unescaped(URL.parse(withScheme(profileUrl))?.pathname ?? "");
  const [, name = ""] = /\/(?:in|lead|people)\/([^/,]+)/i.exec(path) ?? [];
  return name.trim() || null;
}

/**
 * Returns the ID in the URL of a post, as the API expects it: urn:li:ugcPost:1, urn:li:share:1, or the number alone.
 */
export function postOf(postUrl: string): string | null {
  const [, kind = "", number] = /\b(activity|ugcPost|share)[-:](\d{6,30})/i.exec(unescaped(postUrl)) ?? [];
  if (number === undefined) return null;
  const urn = ["ugcPost", "share"].find((name) => name.toLowerCase() === kind.toLowerCase());
  return urn === undefined ? number : `urn:li:${urn}:${number}`;
}

/** Adds https to a URL without a scheme. */
export function withScheme(text: string): string {
  return /^[a-z][a-z0-9+.-]*:/i.test(text) ? text : `https://${text}`;
}

function unescaped(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
