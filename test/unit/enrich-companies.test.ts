import { expect, test } from "bun:test";
import { companyOf, isCompanyAlone } from "../../src/features/enrichment/companies.ts";
import { nobody } from "../support/vendors.ts";

test("a lookup is about a company alone if nothing is known of a person", () => {
  expect(isCompanyAlone({ ...nobody, domain: "acme.example" })).toBe(true);
  expect(isCompanyAlone({ ...nobody, company: "Acme" })).toBe(true);
  expect(isCompanyAlone({ ...nobody, company: "Acme", lastName: "Li" })).toBe(false);
  expect(isCompanyAlone(nobody)).toBe(false);
});

test("a company has one identity, however its domain or name is written", () => {
  const identity = (input: object) => {
    const company = companyOf(0, input);
    return "errors" in company ? null : company.identity.name;
  };
  expect(identity({ domain: "https://www.ACME.example/" })).toBe(identity({ domain: "acme.example", name: "Acme" }));
  expect(identity({ name: "ACME Ltd" })).toBe(identity({ name: "acme" }));
  expect(identity({ name: "acme" })).not.toBe(identity({ name: "other" }));
});
