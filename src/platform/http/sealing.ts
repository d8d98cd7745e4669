const cipher = "aes-256-gcm";
const nonceLength = 12;
const tagLength = 16;

/** Of a caller's own secret, of which the database has only the hash: who has the file alone can't open the answer. */
export function sealKey(secret: string, id: Uint8Array): Uint8Array {
  return new Bun.CryptoHasher("sha256", secret).update("idempotent answer").update(id).digest();
}

/** Loaded with the first answer that is kept: it brings all of Node's streams along. */
const ciphers = () => process.getBuiltinModule("node:crypto");

/** Nonce, ciphertext and tag of AES-256-GCM. */
export function sealed(key: Uint8Array, text: string): Uint8Array {
  const nonce = crypto.getRandomValues(new Uint8Array(nonceLength));
  const coding = ciphers().createCipheriv(cipher, key, nonce);
  return Buffer.concat([nonce, coding.update(text, "utf8"), coding.final(), coding.getAuthTag()]);
}

/** Null when the key is another one. */
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
