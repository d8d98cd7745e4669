import type { SuppressionKind } from "./model.ts";

/** Half of a SHA-256 is enough: in a list of a billion values, the probability of a collision is 10^-20. */
const keyBytes = 16;

const digest = new Uint8Array(32);

/**
 * Lookup key of an entry: the first 16 bytes of the SHA-256 of kind, colon, and normal form, in UTF-8. It is the same
 * in every installation, so that lists of hashes can be shared.
 */
export function suppressionKey(kind: SuppressionKind, normalForm: string): Uint8Array {
  return Bun.SHA256.hash(`${kind}:${normalForm}`, digest).slice(0, keyBytes) as Uint8Array;
}

/** Text form of a hash: "sha256:email:" and 32 hex digits. */
export function hashText(kind: SuppressionKind, key: Uint8Array): string {
  return `sha256:${kind}:${Buffer.from(key).toString("hex")}`;
}

/** Parses the output of `hashText`, or the full 64 digits of a SHA-256. Null if the text is not a hash. */
export function readHashText(text: string): { kind: SuppressionKind; key: Uint8Array } | null {
  const [, kind, digits] = hashForm.exec(text) ?? [];
  if (kind === undefined || digits === undefined) return null;
  return { kind: kind as SuppressionKind, key: Uint8Array.fromHex(digits).slice(0, keyBytes) };
}

const hashForm = /^sha256:(email|domain|profile|phone):([0-9a-f]{64}|[0-9a-f]{32})$/;
