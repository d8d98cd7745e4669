import type { ActionOrder } from "../../../features/network/connector.ts";
import { Ending, refused } from "./ending.ts";

/**
 * The person of an order as a path segment of the API: what follows /in/ in the address of a profile, or the id in one
 * of Sales Navigator. Read from the address as it was written, because ids are case-sensitive.
 */
export function memberOf({ profileUrl }: Pick<ActionOrder, "profileUrl">): string {
  const name = nameIn(profileUrl);
  if (name === null)
    throw new Ending(
      refused("personNotFound", "The address of the profile names no person; it should be like …/in/name."),
    );
  return encodeURIComponent(name);
}

/** As `memberOf`, neither escaped nor thrown. */
export function nameIn(profileUrl: string): string | null {
  const path = unescaped(URL.parse(withScheme(profileUrl))?.pathname ?? "");
  const [, name = ""] = /\/(?:in|lead|people)\/([^/,]+)/i.exec(path) ?? [];
  return name.trim() || null;
}

/** The id of a post in its address, as the API wants it: urn:li:ugcPost:1, urn:li:share:1, or the number alone. */
export function postOf(postUrl: string): string | null {
  const [, kind = "", number] = /\b(activity|ugcPost|share)[-:](\d{6,30})/i.exec(unescaped(postUrl)) ?? [];
  if (number === undefined) return null;
  const urn = ["ugcPost", "share"].find((name) => name.toLowerCase() === kind.toLowerCase());
  return urn === undefined ? number : `urn:li:${urn}:${number}`;
}

/** The address with https in front when it was written without a scheme. */
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
