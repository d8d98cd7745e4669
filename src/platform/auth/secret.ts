import type { Ids } from "../base/clock.ts";
import { keyPrefixes } from "../base/secret-text.ts";

export type KeyKind = keyof typeof keyPrefixes;

const randomBytes = 28; // 56 hex characters, 224 bits
const formOfKey = new RegExp(`^(?:${Object.values(keyPrefixes).join("|")})([0-9a-f]{56})([0-9a-f]{8})$`);

/** A new secret: prefix, 56 random hex characters, and their CRC32 as 8 more. */
export function makeSecret(kind: KeyKind, ids: Ids): string {
  const random = Buffer.from(ids.secretBytes(randomBytes)).toString("hex");
  return keyPrefixes[kind] + random + checksum(random);
}

/** False if it cannot be a key, for example because of a typo. True does not mean that the key exists. */
export function isWellFormed(secret: string): boolean {
  const [, random, sum] = formOfKey.exec(secret) ?? [];
  return random !== undefined && checksum(random) === sum;
}

const secretForms = new RegExp(
  `(?:${Object.values(keyPrefixes).join("|")})[0-9a-f]{64}|whsec_[\\w+/=-]{24}|/app/(?:sign-in|join)#[\\w-]{40}`,
);

/** Whether text contains one of our secrets: a key, a sign-in link, or a webhook secret. */
export function showsSecret(text: string): boolean {
  // Checking for a character takes a sixth of the time of the pattern, and most texts have neither.
  return (text.includes("_") || text.includes("#")) && secretForms.test(text);
}

const keysInText = new RegExp(`(?:${Object.values(keyPrefixes).join("|")})[0-9a-f]{64}`, "g");
/** Shorter texts contain no key. */
export const keyLength = keyPrefixes.user.length + 64;

/** The API keys in a text. */
export function keysIn(text: string): string[] {
  return text.length < keyLength ? [] : (text.match(keysInText) ?? []).filter(isWellFormed);
}

function checksum(hex: string): string {
  return Bun.hash.crc32(hex).toString(16).padStart(8, "0");
}
