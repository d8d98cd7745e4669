import { expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { publicKeyText, readPrivateKey, sign, SignatureError, verify } from "../../src/lib/minisign/minisign.ts";

const privateKey = () => generateKeyPairSync("ed25519").privateKey;
const file = Buffer.from("SHA256SUMS of a release\n");

test("a signature is verified with the public key, and returns its comment", () => {
  const key = privateKey();
  const signature = sign(file, key, "outreachd 1.2.3");
  expect(verify(file, signature, publicKeyText(key))).toBe("outreachd 1.2.3");
  expect(verify(file, signature, `untrusted comment: minisign public key\n${publicKeyText(key)}\n`)).toBe(
    "outreachd 1.2.3",
  );
});

test("a changed file, comment, or signature, and another key are rejected", () => {
  const key = privateKey();
  const signature = sign(file, key, "outreachd 1.2.3");
  const publicKey = publicKeyText(key);
  expect(() => verify(Buffer.from("other"), signature, publicKey)).toThrow(SignatureError);
  expect(() => verify(file, signature.replace("1.2.3", "1.2.4"), publicKey)).toThrow("does not match");
  expect(() => verify(file, signature, publicKeyText(privateKey()))).toThrow("another key");
  expect(() => verify(file, "", publicKey)).toThrow("format");
  expect(() => verify(file, signature, "RWQ")).toThrow("public key");
  const [one, two, three] = signature.split("\n");
  expect(() => verify(file, [one, two, three, ""].join("\n"), publicKey)).toThrow(SignatureError);
});

test("only Ed25519 keys are accepted, and a comment has one line", () => {
  const rsa = generateKeyPairSync("rsa", { modulusLength: 2048 }).privateKey;
  const pem = (key: typeof rsa) => key.export({ format: "pem", type: "pkcs8" }).toString();
  expect(() => readPrivateKey(pem(rsa))).toThrow("Expected an Ed25519 private key, got rsa.");
  expect(readPrivateKey(pem(privateKey())).asymmetricKeyType).toBe("ed25519");
  expect(() => sign(file, privateKey(), "one\ntwo")).toThrow(RangeError);
});

// Made by minisign 0.11: of the hash of the file, its default, and of the file itself.
const publicKey = "RWRP8g6MLTe1bzFOGiwWSa8bMPSYd9i0QZSOQpIYxezqPuUUMrXYtC+L";
test.each([
  [
    "its hash",
    "untrusted comment: signature from minisign secret key\nRURP8g6MLTe1b/wPdKnjHVKDw1MW9xuNe3KY8rUgXBgUKeFnn93TfTALEVKON4s4amdm+dW0TxSr9tagXnt9qY1UhW2Z/oSFwwE=\ntrusted comment: made by minisign\nrxFAPbQ1KLwbPY5D7IVBiyisQhhmfUHrU9ndBXx3H6VQJe5UuSov99mkO3fsDs+U5DjCpAH6xScgaGCcY7uGDA==\n",
  ],
  [
    "the file",
    "untrusted comment: signature from minisign secret key\nRWRP8g6MLTe1b++wFYoLYX6CWsaNtgFHkCiopO+jBysZYNiXLWET+9xYBlX5bJiQ4pJAEs11p4uE5gsfp6RltK/8uCyl8UgkxQc=\ntrusted comment: made by minisign\nqEpeHdDKeA80Ua/9ipurTAkSLfYpWyOn739ySbUMjXyqfbLUZP/1eP4GxYpGdzZsSd36UHopO+FHTHUObAzICQ==\n",
  ],
])("a signature by minisign of %s is verified", (_, signature) => {
  expect(verify(file, signature, publicKey)).toBe("made by minisign");
});
