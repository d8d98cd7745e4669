import { createHash, createPrivateKey, createPublicKey, sign as signBytes, verify as verifyBytes } from "node:crypto";
import type { KeyObject } from "node:crypto";

/** A file is not signed by the expected key, or was changed. */
export class SignatureError extends Error {
  override readonly name = "SignatureError";
}

// The start of an Ed25519 public key in DER (RFC 8410, section 4); the key itself follows.
const derPrefix = Buffer.from("302a300506032b6570032100", "hex");
const idBytes = 8;
const publicBytes = 32;
const signatureBytes = 64;

/** Reads an Ed25519 private key in PEM. Throws a `RangeError` for anything else. */
export function readPrivateKey(pem: string): KeyObject {
  const key = createPrivateKey(pem);
  if (key.asymmetricKeyType !== "ed25519")
    throw new RangeError(`Expected an Ed25519 private key, got ${key.asymmetricKeyType ?? "another one"}.`);
  return key;
}

/** Returns the public key of a private one as minisign writes it: one line of Base64. */
export function publicKeyText(privateKey: KeyObject): string {
  const raw = rawPublicKey(privateKey);
  return Buffer.concat([Buffer.from("Ed"), idOf(raw), raw]).toString("base64");
}

/** Returns the content of a signature file. The comment is signed, too, and must be a single line. */
export function sign(bytes: Uint8Array, privateKey: KeyObject, comment: string): string {
  if (/[\r\n]/.test(comment)) throw new RangeError("Expected a comment of one line.");
  const signature = signBytes(null, bytes, privateKey);
  const all = signBytes(null, Buffer.concat([signature, Buffer.from(comment)]), privateKey);
  const head = Buffer.concat([Buffer.from("Ed"), idOf(rawPublicKey(privateKey)), signature]);
  return [
    "untrusted comment: verify with minisign -V",
    head.toString("base64"),
    `trusted comment: ${comment}`,
    all.toString("base64"),
    "",
  ].join("\n");
}

/**
 * Verifies a file and its signature file with a public key (a line of Base64, or a file of minisign). Returns the trusted
 * comment. Throws `SignatureError`.
 */
export function verify(bytes: Uint8Array, signatureFile: string, publicKey: string): string {
  const key = readPublicKey(publicKey);
  const [, first = "", comment = "", second = ""] = signatureFile.split(/\r?\n/);
  const head = Buffer.from(first, "base64");
  const algorithm = head.toString("latin1", 0, 2);
  const prefix = "trusted comment: ";
  if (head.length !== 2 + idBytes + signatureBytes || !["Ed", "ED"].includes(algorithm) || !comment.startsWith(prefix))
    throw new SignatureError("The signature is not in the format of minisign.");
  if (!head.subarray(2, 2 + idBytes).equals(key.id)) throw new SignatureError("It was signed with another key.");
  const signature = head.subarray(2 + idBytes);
  const signed = algorithm === "ED" ? createHash("blake2b512").update(bytes).digest() : bytes;
  const trusted = comment.slice(prefix.length);
  const isValid =
    verifyBytes(null, signed, key.object, signature) &&
    verifyBytes(null, Buffer.concat([signature, Buffer.from(trusted)]), key.object, Buffer.from(second, "base64"));
  if (!isValid) throw new SignatureError("The signature does not match.");
  return trusted;
}

function readPublicKey(text: string): { id: Buffer; object: KeyObject } {
  const line = text
    .split(/\r?\n/)
    .map((each) => each.trim())
    .findLast((each) => each !== "");
  const bytes = Buffer.from(line ?? "", "base64");
  if (bytes.length !== 2 + idBytes + publicBytes || bytes.toString("latin1", 0, 2) !== "Ed")
    throw new SignatureError("The public key is not in the format of minisign.");
  const der = Buffer.concat([derPrefix, bytes.subarray(2 + idBytes)]);
  return { id: bytes.subarray(2, 2 + idBytes), object: createPublicKey({ key: der, format: "der", type: "spki" }) };
}

function rawPublicKey(privateKey: KeyObject): Buffer {
  return createPublicKey(privateKey).export({ format: "der", type: "spki" }).subarray(derPrefix.length);
}

function idOf(raw: Buffer): Buffer {
  return createHash("sha256").update(raw).digest().subarray(0, idBytes);
}
