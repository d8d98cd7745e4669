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
export const keyLength = keyPrefixes.user.length + 64;

/** The API keys that a text holds. */
export function keysIn(text: string): string[] {
  return text.length < keyLength ? [] : (text.match(keysInText) ?? []).filter(isWellFormed);
}

function checksum(hex: string): string {
  return Bun.hash.crc32(hex).toString(16).padStart(8, "0");
}
