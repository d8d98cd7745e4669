const cipher = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** Derived from the caller's secret. The database has only its hash, so the file alone is not enough to decrypt a response. */
export function sealKey(secret: string, id: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher("sha256", secret).update("idempotent answer").update(id).digest();
}

/** Loaded with the first stored response: it also loads all of Node's streams. */
const ciphers = () => process.getBuiltinModule("node:crypto");

/** Nonce, ciphertext and tag of AES-256-GCM. */
export function sealed(key: Uint8Array, text: string): Uint8Array {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceLength));
  const coding = ciphers().createCipheriv(cipher, key, nonce);
  return Buffer.concat([nonce, coding.update(text, "utf8"), coding.final(), coding.getAuthTag()]);
}

/** Null if the text was encrypted with another key. */
export function unsealed(key: Uint8Array, bytes: Uint8Array): string | null {
  const decoding = ciphers().createDecipheriv(cipher, key, bytes.subarray(0, nonceLength));
  decoding.setAuthTag(bytes.subarray(-tagLength));
  try {
    const content = bytes.subarray(nonceLength, -tagLength);
    return Buffer.concat([decoding.update(content), decoding.final()]).toString("utf8");
  } catch {
    return null;
  }
}
