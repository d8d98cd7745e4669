/** The specification defines the format of `user` keys. The others are opaque to clients. */
export const keyPrefixes = { user: "oak_", global: "oag_", local: "oal_" } as const;

/** Shorter texts cannot contain a key. */
const keyLength = keyPrefixes.user.length + 64;

/** Also matches keys in upper case or percent-encoded, once or repeatedly, because the key could be recovered from them. */
const keyPattern = new RegExp(
  `${encoded("o", "6f")}${encoded("a", "61")}(?:${encoded("k", "6b")}|${encoded("g", "67")}|${encoded("l", "6c")})${encoded("_", "5f")}` +
    `(?:[0-9a-f]|%(?:25)*(?:3[0-9]|[46][1-6])){64}`,
  "gi",
);

function encoded(character: string, hex: string): string {
  return `(?:${character}|%(?:25)*${hexOf(hex)})`;
}

/** Upper-case and lower-case letters have different codes. */
function hexOf(hex: string): string {
  return hex.startsWith("6") ? `[46]${hex.slice(1)}` : hex;
}

/** Replaces the API keys in a text with their hints. For everything that others can read, such as logs. */
export function withoutKeys(text: string): string {
  // Keys contain an underscore or are encoded. Checking for these takes a sixth of the time of the pattern.
  if (text.length < keyLength || !(text.includes("_") || text.includes("%"))) return text;
  return text.replaceAll(keyPattern, hintOf);
}

/** The part of a secret that can be shown: enough to recognize it, but not to guess it. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 8)}…`;
}
