import { expect, test } from "bun:test";
import { companyName } from "../../src/platform/identity/company-key.ts";

test.each([
  ["Acme", "acme"],
  ["ACME, Inc.", "acme"],
  ["Acme Holding Co. Ltd", "acme holding"],
  ["  Müller  &  Söhne\tGmbH ", "muller & sohne"],
  ["MULLER & SOHNE", "muller & sohne"],
  ['"Quoted" AG', "quoted"],
  ["Cooper", "cooper"],
  ["Inc", "inc"],
  ["Ltd.", "ltd"],
  ["株式会社", "株式会社"],
  [" . ", ""],
])("%j is found as %j", (name, expected) => {
  expect(companyName(name)).toBe(expected);
});
