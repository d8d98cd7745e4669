import type { Ids } from "../ids.ts";

/** `user` keys have the form that the specification fixes; the others are opaque to clients. */
export const keyPrefixes = { user: "oak_", global: "oag_", local: "oal_" } as const;
export type KeyKind = keyof typeof keyPrefixes;

const randomBytes = 28; // 56 hex characters, 224 bits
const formOfKey = new RegExp(`^(?:${Object.values(keyPrefixes).join("|")})([0-9a-f]{56})([0-9a-f]{8})$`);

/** A new secret: prefix, 56 random hex characters, and their CRC32 as 8 more. */
export function makeSecret(kind: KeyKind, ids: Ids): string {
  const random = Buffer.from(ids.secretBytes(randomBytes)).toString("hex");
  return keyPrefixes[kind] + random + checksum(random);
}

/** False for anything that can't be a key, such as one with a typo; says nothing about whether it exists. */
export function isWellFormed(secret: string): boolean {
  const [, random, sum] = formOfKey.exec(secret) ?? [];
  return random !== undefined && checksum(random) === sum;
}

const secretForms = new RegExp(
  `(?:${Object.values(keyPrefixes).join("|")})[0-9a-f]{64}|whsec_[\\w+/=-]{24}|/app/sign-in#[\\w-]{40}`,
);

/** Whether a text holds something of the form of a secret of ours: a key, a link that signs in, what webhooks are signed with. */
export function showsSecret(text: string): boolean {
  // To look for a character takes a sixth of what the pattern takes, and most texts have neither.
  return (text.includes("_") || text.includes("#")) && secretForms.test(text);
}

const keysInText = new RegExp(`(?:${Object.values(keyPrefixes).join("|")})[0-9a-f]{64}`, "g");
/** A text that is shorter holds none. */
const keyLength = keyPrefixes.user.length + 64;

/** The API keys that a text holds. */
export function keysIn(text: string): string[] {
  return text.length < keyLength ? [] : (text.match(keysInText) ?? []).filter(isWellFormed);
}

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

/** A text without its API keys, of which only the hints stay. */
export function withoutKeys(text: string): string {
  return text.length < keyLength ? text : text.replaceAll(disguisedKeys, hintOf);
}

/** What is stored in place of the secret. Keys are long and random, so that one round of SHA-256 is enough. */
export function hashOf(secret: string): string {
  return Bun.SHA256.hash(secret, "hex");
}

/** The part of a secret that may be shown: enough to recognise it, useless to guess it. */
export function hintOf(secret: string): string {
  return `${secret.slice(0, 8)}…`;
}

function checksum(hex: string): string {
  return Bun.hash.crc32(hex).toString(16).padStart(8, "0");
}
