import { describe, expect, test } from "bun:test";
import { domainOfEmail, isFreeMail } from "../../src/platform/identity/email-domain.ts";
import { guessAddress, patternOf, type KnownAddress } from "../../src/features/enrichment/email-pattern.ts";
import { minBillableConfidence } from "../../src/features/enrichment/waterfall.ts";

const known = (firstName: string, lastName: string, email: string): KnownAddress => ({ firstName, lastName, email });

describe("patterns of addresses", () => {
  test.each([
    ["Ada", "Lovelace", "ada.lovelace@x.com", "first.last"],
    ["Ada", "Lovelace", "ALovelace@x.com", "flast"],
    ["Ada", "Lovelace", "ada@x.com", "first"],
    ["Ada", "Lovelace", "a.lovelace@x.com", "f.last"],
    ["Ada", "Lovelace", "adal@x.com", "firstl"],
    ["Ada", "Lovelace", "lovelace@x.com", "last"],
    ["Ada", "Lovelace", "lovelace.ada@x.com", "last.first"],
    ["Ada", "Lovelace", "al@x.com", "fl"],
    ["Søren Aabye", "Kierkegård", "soren.kierkegard@x.com", "first.last"],
    ["Jean", "de la Fontaine", "jean.delafontaine@x.com", "first.last"],
    ["Mary-Jane", "O'Neill", "maryjane.oneill@x.com", "first.last"],
  ] as const)("%s %s at %s is %s", (first, last, email, pattern) => {
    expect(patternOf(first, last, email)).toBe(pattern);
  });

  test.each([
    ["Ada", "Lovelace", "info@x.com"],
    ["李", "明", "li.ming@x.com"],
    ["", "Lovelace", "lovelace@x.com"],
  ])("%s %s at %s follows none", (first, last, email) => {
    expect(patternOf(first, last, email)).toBeNull();
  });

  test("a guess is as sure as what stands behind it", () => {
    const guess = (...addresses: KnownAddress[]) => guessAddress("Grace", "Hopper", "x.com", addresses);
    expect(guess()).toEqual({ email: "grace.hopper@x.com", confidence: 0.3, pattern: "first.last" });
    const one = known("Ada", "Lovelace", "alovelace@x.com");
    expect(guess(one)).toEqual({ email: "ghopper@x.com", confidence: 0.55, pattern: "flast" });
    expect(guess(one, one)).toMatchObject({ confidence: 0.55 });
    const two = known("Alan", "Turing", "aturing@x.com");
    expect(guess(one, two)).toMatchObject({ email: "ghopper@x.com", confidence: 0.7 });
    const other = known("Edsger", "Dijkstra", "edsger@x.com");
    expect(guess(one, two, other)?.confidence).toBeCloseTo(0.7 * (2 / 3));
    expect(guess(known("Info", "Desk", "hello@x.com"))).toMatchObject({ confidence: 0.3 });
    // One colleague makes it no more than a guess.
    expect(guess(one)?.confidence).toBeLessThan(minBillableConfidence);
    expect(guess(one, two)?.confidence).toBeGreaterThanOrEqual(minBillableConfidence);
  });

  test("a name without letters makes no address", () => {
    expect(guessAddress("李", "明", "x.com", [])).toBeNull();
  });

  test("of an address its domain, and whether anybody can have one there", () => {
    expect(domainOfEmail("a@b@X.com")).toBe("x.com");
    expect(domainOfEmail("nobody")).toBeNull();
    expect(domainOfEmail("@x.com")).toBeNull();
    expect([isFreeMail("gmail.com"), isFreeMail("t-online.de"), isFreeMail("acme.com")]).toEqual([true, true, false]);
  });
});
