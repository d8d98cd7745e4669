import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { canonicalEmail, displayEmail } from "../../platform/identity/email.ts";
import type { PersonIdentity } from "./model.ts";

/** Replaces an erased address in text. */
export const erasedMark = "[erased]";

/** Finds the addresses of a person in any text, including JSON, and redacts them. */
export type Mentions = {
  /**
   * Lowercase strings. Every text that mentions the person contains at least one; if empty, nothing can be searched
   * for.
   */
  needles: string[];
  /** The text with the person's addresses redacted; null if it contains none. */
  redacted(text: string): string | null;
};

/** A shorter last path segment of a profile URL matches too many texts, so the whole URL is searched for instead. */
const minNeedleLength = 4;

export function mentionsOf({ emails, profiles }: Pick<PersonIdentity, "emails" | "profiles">): Mentions {
  const addresses = new Set(emails.map(canonicalEmail));
  const spellings = [...addresses].flatMap((address) => [address, displayEmail(address)]);
  const urls = new Set(profiles);
  const ends = profiles.flatMap((url) => {
    const end = url.slice(url.lastIndexOf("/") + 1);
    const needle = end.length < minNeedleLength ? url.slice("https://".length) : end;
    return [needle, encodeURI(needle).toLowerCase()];
  });

  function redactAddress(found: string): string {
    const [ending = ""] = fileEnding.exec(found) ?? [];
    const address = found.slice(0, found.length - ending.length);
    return addresses.has(canonicalEmail(address)) ? erasedMark + ending : found;
  }

  function redactText(text: string): string {
    return text
      .replace(emailLike, redactAddress)
      .replace(urlLike, (found) => (urls.has(canonicalProfileUrl(found) ?? "") ? erasedMark : found));
  }

  function redactValue(value: unknown): unknown {
    if (typeof value === "string") return redactText(value);
    if (Array.isArray(value)) return value.map(redactValue);
    if (typeof value !== "object" || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([name, each]) => [name, redactValue(each)]));
  }

  return {
    needles: [...new Set([...emails, ...spellings, ...ends])],
    redacted(text) {
      const json = parseJson(text);
      const after = json === undefined ? redactText(text) : JSON.stringify(redactValue(json));
      return after === (json === undefined ? text : JSON.stringify(json)) ? null : after;
    },
  };
}

// Excludes a period that ends the sentence.
const emailLike = /[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]*[^\s@<>",;:.()[\]\\!?']/g;
/** File extensions of recordings and lists, whose names are stored. None of them is a top-level domain. */
const fileEnding = /\.(?:wav|mp3|m4a|flac|csv|ndjson|json|txt)$/i;
const urlLike =
  /(https?:\/\/)?[^\s"'<>()[\]{}|\\^`/]+\.[^\s"'<>()[\]{}|\\^`/]+\/[^\s"'<>()[\]{}|\\^`]*[^\s"'<>()[\]{}|\\^`.,;:!?]/gi;

/** Parses objects and arrays only: text that happens to be a number stays text. */
function parseJson(text: string): unknown {
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
