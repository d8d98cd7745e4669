import { canonicalProfileUrl } from "../../platform/identity/profile-url.ts";
import { canonicalEmail, displayEmail } from "../../platform/identity/email.ts";
import type { PersonIdentity } from "./model.ts";

/** What stands in a text in the place of an address that was erased. */
export const erasedMark = "[erased]";

/** Finds the addresses of a person in texts of all kinds, JSON included, and blots them out. */
export type Mentions = {
  /** Texts in lower case of which every text that mentions the person has one; empty: nobody can be looked for. */
  needles: string[];
  /** The text without the person's addresses; null when it has none. */
  redacted(text: string): string | null;
};

/** Shorter ends of a profile URL are found in too many texts; the whole URL is looked for then. */
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

// Without the full stop that ends a sentence.
const emailLike = /[^\s@<>",;:()[\]\\]+@[^\s@<>",;:()[\]\\]*[^\s@<>",;:.()[\]\\!?']/g;
/** Of recordings and lists, whose names are stored. None of them ends a domain. */
const fileEnding = /\.(?:wav|mp3|m4a|flac|csv|ndjson|json|txt)$/i;
const urlLike =
  /(https?:\/\/)?[^\s"'<>()[\]{}|\\^`/]+\.[^\s"'<>()[\]{}|\\^`/]+\/[^\s"'<>()[\]{}|\\^`]*[^\s"'<>()[\]{}|\\^`.,;:!?]/gi;

/** Objects and lists only: a text that happens to be a number is a text. */
function parseJson(text: string): unknown {
  if (!text.startsWith("{") && !text.startsWith("[")) return undefined;
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
