/** `user` keys have the form that the specification fixes; the others are opaque to clients. */
export const keyPrefixes = { user: "oak_", global: "oag_", local: "oal_" } as const;

/** A text that is shorter holds no key. */
const keyLength = keyPrefixes.user.length + 64;

/** Also in capitals and percent-encoded, once or several times: a reader could turn each back into the key. */
const disguisedKeys = new RegExp(
  `${encoded("o", "6f")}${encoded("a", "61")}(?:${encoded("k", "6b")}|${encoded("g", "67")}|${encoded("l", "6c")})${encoded("_", "5f")}` +
    `(?:[0-9a-f]|%(?:25)*(?:3[0-9]|[46][1-6])){64}`,
  "gi",
);

function encoded(character: string, hex: string): string {
  return `(?:${character}|%(?:25)*${hexOf(hex)})`;
}

/** Either case of a letter has its own code. */
function hexOf(hex: string): string {
  return hex.startsWith("6") ? `[46]${hex.slice(1)}` : hex;
}

/** A text without its API keys, of which only the hints stay. For all that is written where others read it. */
export function withoutKeys(text: string): string {
  // A key has an underscore, or it is encoded; to look for these takes a sixth of what the pattern takes.
  if (text.length < keyLength || !(text.includes("_") || text.includes("%"))) return text;
  return text.replaceAll(disguisedKeys, hintOf);
}

/** The part of a secret that may be shown: enough to recognize it, useless to guess it. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 8)}…`;
}
