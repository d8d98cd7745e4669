import { describe, expect, test } from "bun:test";
import { systemIds } from "../../src/platform/base/clock.ts";
import { hashOf } from "../../src/platform/auth/access.ts";
import { isWellFormed, makeSecret, type KeyKind } from "../../src/platform/auth/secret.ts";
import { hintOf, keyPrefixes } from "../../src/platform/base/secret-text.ts";
import { createIds } from "../support/ids.ts";

const kinds = Object.keys(keyPrefixes) as KeyKind[];
/** Everything that a keyboard writes at once. */
const characters = Array.from({ length: 95 }, (_, n) => String.fromCharCode(32 + n));

describe.each(kinds)("a %s key", (kind) => {
  const secret = makeSecret(kind, createIds(7));

  test("has its prefix and 64 hex characters", () => {
    expect(secret).toMatch(new RegExp(`^${keyPrefixes[kind]}[0-9a-f]{64}$`));
    expect(isWellFormed(secret)).toBe(true);
  });

  test("is refused with any one character replaced by another, unless the result has another kind's prefix", () => {
    for (let place = 0; place < secret.length; place++)
      for (const character of characters) {
        const typo = secret.slice(0, place) + character + secret.slice(place + 1);
        const isAnotherKind = Object.values(keyPrefixes).some((prefix) => typo.startsWith(prefix)) && place < 4;
        expect(isWellFormed(typo), typo).toBe(typo === secret || isAnotherKind);
      }
  });

  test("is refused with a character missing, doubled, or swapped with the next", () => {
    for (let place = 0; place < secret.length; place++) {
      const swapped =
        secret.slice(0, place) + secret.charAt(place + 1) + secret.charAt(place) + secret.slice(place + 2);
      expect(isWellFormed(secret.slice(0, place) + secret.slice(place + 1))).toBe(false);
      expect(isWellFormed(secret.slice(0, place + 1) + secret.slice(place))).toBe(false);
      expect(isWellFormed(swapped), swapped).toBe(swapped === secret);
    }
  });

  test.each(["", " ", "oak_", "\n"])("is refused with %j before or behind it", (extra) => {
    expect(isWellFormed(secret + extra)).toBe(extra === "");
    expect(isWellFormed(extra + secret)).toBe(extra === "");
  });
});

test("a checksum that begins with zeros keeps all its digits", () => {
  const ids = createIds(9);
  const secrets = Array.from({ length: 2000 }, () => makeSecret("user", ids));
  expect(secrets.some((secret) => secret.at(-8) === "0")).toBe(true);
  expect(secrets.every((secret) => secret.length === 68 && isWellFormed(secret))).toBe(true);
});

test.each(["", "oak_", `oak_${"0".repeat(64)}`, `oak_${"g".repeat(64)}`, "Bearer x"])("%j is no key", (text) => {
  expect(isWellFormed(text)).toBe(false);
});

test("two keys are never the same", () => {
  const secrets = Array.from({ length: 1000 }, () => makeSecret("user", systemIds));
  expect(new Set(secrets).size).toBe(1000);
});

test("the hash is SHA-256 in hex, as published for it", () => {
  expect(hashOf("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
});

test("the hint shows eight characters and nothing of the rest", () => {
  const secret = makeSecret("user", createIds());
  expect(hintOf(secret)).toBe(`${secret.slice(0, 8)}…`);
});
