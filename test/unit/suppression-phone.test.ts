import { expect, test } from "bun:test";
import { getCountries, getCountryCallingCode, parsePhoneNumberFromString } from "libphonenumber-js/min";
import examples from "libphonenumber-js/examples.mobile.json";
import { phoneNumber, possiblePhoneNumber } from "../../src/platform/identity/phone.ts";
import { plainNumber } from "../../src/platform/identity/plain-number.ts";
import { createDice } from "../support/ids.ts";

const theirs = (text: string): string | null => parsePhoneNumberFromString(text)?.number ?? null;

test("the quick way reads every number as the library does, with and without what people put before it", () => {
  let quick = 0;
  for (const country of getCountries()) {
    const calling = getCountryCallingCode(country);
    const national = examples[country];
    for (const before of ["", "0", "00", "1", "8", "9", "06", "15", "44", "0 15 "])
      for (const text of [
        `+${calling} ${before}${national}`,
        `+${calling}-${before}${national.replace(/(\d{3})/g, "$1 ")}`,
      ]) {
        expect([text, phoneNumber(text, null)]).toEqual([text, theirs(text)]);
        if (before === "" && plainNumber(text) !== null) quick++;
      }
  }
  // Otherwise this test would be about nothing.
  expect(quick).toBeGreaterThan(getCountries().length);
});

test("the quick way reads digits of no plan as the library does", () => {
  const dice = createDice(3);
  for (let round = 0; round < 20_000; round++) {
    const digits = Array.from({ length: dice.between(1, 19) }, () => dice.below(10)).join("");
    const text = `+${dice.chance(0.2) ? digits.replace(/\d{3}/g, "$& ").trim() : digits}`;
    expect([text, phoneNumber(text, null)]).toEqual([text, theirs(text)]);
  }
});

test("what is no number, or an endless one, is none", () => {
  for (const text of ["", "+", "call me", "+44".padEnd(60, "1"), "1", "+0 30 123456"])
    expect(phoneNumber(text, "DE")).toBeNull();
  expect(phoneNumber("+44 20", "DE")).toBe("+4420");
  expect(possiblePhoneNumber("+44 20", "DE")).toBeNull();
});
