import { expect, test } from "bun:test";
import { fieldsOf, type FieldGroup } from "../../src/features/enrichment/fields.ts";
import { LookUp } from "../../src/features/enrichment/look-up.ts";
import type { Finding, Subject } from "../../src/features/enrichment/model.ts";
import type { EnrichmentProvider } from "../../src/features/enrichment/provider.ts";
import { GuardedProvider } from "../../src/features/enrichment/provider-guard.ts";
import { Spending } from "../../src/features/enrichment/spending.ts";
import { createLog } from "../../src/platform/base/log.ts";
import { FakeClock } from "../support/clock.ts";
import { nobody } from "../support/vendors.ts";

const moved: Subject = { ...nobody, email: "ada@old.example", domain: "old.example" };

function lookUp(subject: Subject, groups: FieldGroup[], asked: EnrichmentProvider[]) {
  const clock = new FakeClock();
  const settings = { timeoutMs: 1000, spendCap: null };
  const providers = asked.map(
    (provider) => new GuardedProvider(provider, settings, new Spending(clock), clock, createLog("silent")),
  );
  const context = { workspaceId: "u", leadId: null, signal: new AbortController().signal };
  return new LookUp(subject, { wanted: fieldsOf(groups), providers, context, clock }).run();
}

/** What the second of two providers is asked, when the first finds this. */
async function askedAfter(subject: Subject, hasLeft: boolean, findings: Finding[]): Promise<Subject> {
  const asked: Subject[] = [];
  const list: EnrichmentProvider = {
    name: "list",
    fields: ["company"],
    fieldsFor: () => ["company"],
    lookUp: async () => ({ kind: "found", findings, spent: 0, hasLeft }),
  };
  const site: EnrichmentProvider = {
    name: "site",
    fields: ["companyInfo.industry"],
    fieldsFor: () => ["companyInfo.industry"],
    async lookUp(known) {
      asked.push(known);
      return { kind: "none", spent: 0 };
    },
  };
  await lookUp(subject, ["personal", "company"], [list, site]);
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

/** Somebody who is asked for an address only where that is wanted and missing, and one who refutes every address. */
async function askedInParts(subject: Subject, groups: FieldGroup[]) {
  const asked: (string | null)[] = [];
  const inPart = ({ email, emailIsRefuted = false }: Subject, wanted: ReadonlySet<string>) =>
    !wanted.has("email") || (email !== null && !emailIsRefuted);
  const finder: EnrichmentProvider = {
    name: "finder",
    fields: ["email", "title", "location"],
    fieldsFor: () => ["email", "title", "location"],
    asksPartially: inPart,
    async lookUp(known, { wanted }) {
      const isInPart = inPart(known, wanted);
      asked.push(isInPart ? "title" : "all");
      const address: Finding[] = isInPart ? [] : [{ field: "email", value: "ada@new.example", confidence: 0.9 }];
      return { kind: "found", findings: [{ field: "title", value: "CTO", confidence: 0.9 }, ...address], spent: 1 };
    },
  };
  const verifier: EnrichmentProvider = {
    name: "verifier",
    fields: ["email"],
    fieldsFor: ({ email }) => (email === null ? [] : ["email"]),
    verifies: ({ email, emailIsRefuted = false }) => (emailIsRefuted ? null : email),
    lookUp: async ({ email }) => ({
      kind: "found",
      findings: [{ field: "email", value: email!, confidence: 0, verifies: true }],
      spent: 1,
    }),
  };
  return { asked, found: await lookUp(subject, groups, [finder, verifier]) };
}

test("who was asked for a part only is not done with the rest, and is asked for each once", async () => {
  const { asked, found } = await askedInParts(nobody, ["personal"]);
  expect({ asked, done: found.asked }).toEqual({ asked: ["title"], done: [] });
  const whole = await askedInParts(nobody, ["personal", "contact"]);
  expect({ asked: whole.asked, done: whole.found.asked }).toEqual({ asked: ["all"], done: ["finder"] });
});

test("who was asked for no address, because one was sent, looks for another when that is refuted", async () => {
  const { asked, found } = await askedInParts({ ...nobody, email: "ada@old.example" }, ["personal", "contact"]);
  expect(asked).toEqual(["title", "all"]);
  expect(found.merged.email?.value).toBe("ada@new.example");
});
