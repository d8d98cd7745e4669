import { expect, test } from "bun:test";
import { fieldsOf } from "../../src/enrichment/fields.ts";
import { LookUp } from "../../src/enrichment/look-up.ts";
import type { Finding, Subject } from "../../src/enrichment/model.ts";
import type { EnrichmentProvider } from "../../src/enrichment/provider.ts";
import { GuardedProvider } from "../../src/enrichment/provider-guard.ts";
import { Spending } from "../../src/enrichment/spending.ts";
import { createLog } from "../../src/log.ts";
import { FakeClock } from "../support/clock.ts";
import { nobody } from "../support/vendors.ts";

const moved: Subject = { ...nobody, email: "ada@old.example", domain: "old.example" };

/** What the second of two providers is asked, when the first finds this. */
async function askedAfter(subject: Subject, hasLeft: boolean, findings: Finding[]): Promise<Subject> {
  const clock = new FakeClock();
  const asked: Subject[] = [];
  const list: EnrichmentProvider = {
    name: "list",
    gives: ["company"],
    brings: () => ["company"],
    lookUp: async () => ({ kind: "found", findings, spent: 0, hasLeft }),
  };
  const site: EnrichmentProvider = {
    name: "site",
    gives: ["companyInfo.industry"],
    brings: () => ["companyInfo.industry"],
    async lookUp(known) {
      asked.push(known);
      return { kind: "none", spent: 0 };
    },
  };
  const settings = { timeoutMs: 1000, spendCap: null };
  const providers = [list, site].map(
    (provider) => new GuardedProvider(provider, settings, new Spending(clock), clock, createLog("silent")),
  );
  const context = { userId: "u", leadId: null, signal: new AbortController().signal };
  await new LookUp(subject, { wanted: fieldsOf(["personal", "company"]), providers, context, clock }).run();
  return asked[0]!;
}

const company: Finding = { field: "company", value: "New Co", confidence: 0.9 };
const website: Finding = { field: "companyInfo.website", value: "https://new.example", confidence: 0.9 };

test("nobody is asked about the company that somebody has left, whose address was sent", async () => {
  expect(await askedAfter(moved, true, [company])).toMatchObject({ company: "New Co", domain: null });
  expect(await askedAfter(moved, true, [company, website])).toMatchObject({ domain: "new.example" });
  expect(await askedAfter({ ...moved, domain: "told.example" }, true, [company])).toMatchObject({
    domain: "told.example",
  });
});

test("the domain of an address tells where somebody works who has not left", async () => {
  expect(await askedAfter(moved, false, [company])).toMatchObject({ domain: "old.example" });
});
