import { expect, test } from "bun:test";
import { signInAs } from "../support/page.ts";
import type { LeadView } from "../../src/features/leads/model.ts";

const { companyDomain, missingFacts } = await import("../../src/surfaces/dashboard/app/pages/leads/company-facts.ts");

const lead = (change: Partial<LeadView>) =>
  ({ email: null, company: null, industry: null, customFields: {}, ...change }) as LeadView;
const companyInfo = { name: "Acme", industry: "Robotics", size: "51-200", founded: "1999" };
const sure = Object.fromEntries(Object.keys(companyInfo).map((name) => [`companyInfo.${name}`, 0.9]));

test("findings fill only what a lead lacks, and guesses fill nothing", () => {
  signInAs();
  const found = { enrichedData: { companyInfo }, fieldConfidence: { ...sure, "companyInfo.founded": 0.4 } };
  expect(missingFacts(lead({}), found)).toEqual({
    texts: { company: "Acme", industry: "Robotics" },
    customFields: { companySize: "51-200" },
  });
  const known = lead({ company: "ACME", industry: "Machines", customFields: { companySize: "12" } });
  expect(missingFacts(known, found)).toEqual({ texts: {}, customFields: {} });
});

test("the domain of a company is that of its website, or else of the email address", () => {
  expect(companyDomain(lead({ email: "ada@acme.example" }))).toBe("acme.example");
  const customFields = { companyWebsite: "https://www.acme.example" };
  expect(companyDomain(lead({ email: "ada@mail.example", customFields }))).toBe("https://www.acme.example");
  expect(companyDomain(lead({}))).toBe("");
});
