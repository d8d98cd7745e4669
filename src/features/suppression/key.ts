import type { SuppressionKind } from "./model.ts";

/** Half of a SHA-256 is enough: two values in a list of a billion share one once in 10^20 lists. */
const keyBytes = 16;

const digest = new Uint8Array(32);

/**
 * What an entry is stored and found by: the first 16 bytes of the SHA-256 of kind, colon and normal form, in UTF-8.
 * It is the same in every installation, so that lists of hashes can be passed on.
 */
export function suppressionKey(kind: SuppressionKind, normalForm: string): Uint8Array {
  return Bun.SHA256.hash(`${kind}:${normalForm}`, digest).slice(0, keyBytes) as Uint8Array;
}

/** How a hash without its value is written: "sha256:email:" and 32 hex digits. */
export function hashText(kind: SuppressionKind, key: Uint8Array): string {
  return `sha256:${kind}:${Buffer.from(key).toString("hex")}`;
}

/** Undoes `hashText`; also takes all 64 digits of the SHA-256. Null when it is no such text. */
export function readHashText(text: string): { kind: SuppressionKind; key: Uint8Array } | null {
  const [, kind, digits] = hashForm.exec(text) ?? [];
  if (kind === undefined || digits === undefined) return null;
  return { kind: kind as SuppressionKind, key: Uint8Array.fromHex(digits).slice(0, keyBytes) };
}

const hashForm = /^sha256:(email|domain|profile|phone):([0-9a-f]{64}|[0-9a-f]{32})$/;
