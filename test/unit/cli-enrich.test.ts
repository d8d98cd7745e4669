import { expect, test } from "bun:test";
import { createCommandLine } from "../support/command-line.ts";

const user = {
  id: "u",
  email: "ada@example.com",
  name: null,
  role: "admin",
  timeZone: "UTC",
  createdAt: "2026-01-01T00:00:00.000Z",
};
const success = (data: unknown) => Response.json({ success: true, data });
const users = () => success({ users: [user], total: 1 });

const result = {
  index: 1,
  input: { email: "a@b.co" },
  enrichedData: { title: "CTO", skills: ["a", "b"], companyInfo: { name: "Acme" } },
  confidence: 0.7,
  sources: ["local"],
  fieldConfidence: { title: 0.85, skills: 0.5, "companyInfo.name": 0.7 },
  provenance: Object.fromEntries(
    ["title", "skills", "companyInfo.name"].map((field) => [
      field,
      { provider: "local", at: "2026-01-01T00:00:00.000Z" },
    ]),
  ),
  creditsUsed: 1,
  fromCache: false,
  writtenBack: ["title"],
};
const failure = {
  index: 0,
  input: { leadId: "x" },
  code: "NOT_FOUND",
  message: "Lead not found.",
  retryable: false,
};

async function arrange(answer: unknown) {
  const sent: { path: string; body: unknown }[] = [];
  const cli = await createCommandLine({
    api: async (request) => {
      if (request.method === "GET") return users();
      const { pathname, search } = new URL(request.url);
      sent.push({ path: pathname + search, body: await request.json() });
      return success(answer);
    },
  });
  return { cli, sent, [Symbol.asyncDispose]: () => cli[Symbol.asyncDispose]() };
}

test("people are named by email, profile or lead; what was found is shown with its source", async () => {
  await using arranged = await arrange({ enriched: [result], failed: [failure], creditsUsed: 1, remainingCredits: 9 });
  const { cli, sent } = arranged;
  const { exitCode, out } = await cli.run(
    "enrich",
    "x",
    "a@b.co",
    "https://n.example/in/a",
    "--write-back",
    "--provider",
    "local",
    "--provider",
    "pdl",
  );
  expect(sent).toEqual([
    {
      path: "/api/v2/enrich",
      body: {
        leads: [{ leadId: "x" }, { email: "a@b.co" }, { networkUrl: "https://n.example/in/a" }],
        providers: ["local", "pdl"],
        writeBack: true,
        userId: "u",
      },
    },
  ]);
  expect(exitCode).toBe(4);
  expect(out.split("\n\n")[0]).toBe("x: Lead not found. Identify people by email address, profile URL, or lead ID.");
  expect(out).toMatch(/title +CTO +85 % +local/);
  expect(out).toMatch(/companyInfo.name +Acme +70 % +local/);
  expect(out).toContain("Filled: title");
  expect(out).toEndWith("1 credits used, 9 left.\n");
});

test("what a verifier says of an address is told, also when nothing else is", async () => {
  const emailVerification = { email: "a@b.co", verdict: "invalid", confidence: 0, provider: "hunter", at: "" };
  const nothing = { enrichedData: {}, provenance: {}, fieldConfidence: {}, writtenBack: [] };
  const bare = { ...result, index: 0, ...nothing, emailVerification };
  await using arranged = await arrange({ enriched: [bare], failed: [], creditsUsed: 0, remainingCredits: 9 });
  expect((await arranged.cli.run("enrich", "a@b.co")).out).toBe(
    "a@b.co\na@b.co is invalid, according to hunter.\n\n0 credits used, 9 left.\n",
  );
});

test("a dry run tells what it would cost", async () => {
  const estimate = {
    leads: 1,
    free: 0,
    maxCredits: 1,
    isAffordable: true,
    mode: "direct",
    providers: ["local", "pdl"],
  };
  await using arranged = await arrange({ enriched: [], failed: [], creditsUsed: 0, remainingCredits: 9, estimate });
  const { cli, sent } = arranged;
  expect((await cli.run("enrich", "a@b.co", "--dry-run")).out).toBe(
    "Costs at most 1 of 9 credits. Providers in order: local, pdl.\n",
  );
  expect(sent[0]?.path).toBe("/api/v2/enrich?dryRun=true");
});

test("more people than the server answers at once are a mistake of usage", async () => {
  await using arranged = await arrange({});
  expect((await arranged.cli.run("enrich", ...Array.from({ length: 1001 }, (_, n) => `p${n}@b.co`))).exitCode).toBe(2);
});

test("credits are shown with what moved them", async () => {
  const entry = {
    id: "1",
    kind: "grant",
    amount: 5,
    purpose: null,
    request: null,
    item: null,
    keyId: null,
    note: "birthday",
  };
  await using cli = await createCommandLine({
    api: ({ url }) => {
      const { pathname, searchParams } = new URL(url);
      if (pathname.endsWith("/users")) return users();
      if (pathname.endsWith("/ledger") && searchParams.get("limit") === "3")
        return success({ entries: [{ ...entry, createdAt: "2026-01-05T10:00:00.000Z" }], nextCursor: null });
      return success({ balance: 45, reserved: 2, monthlyGrant: 25, costs: { enrichment: 1, search: 3 }, budget: null });
    },
  });
  const { out, exitCode } = await cli.run("credits", "--last", "3");
  expect(exitCode).toBe(0);
  expect(out).toStartWith(
    "45 credits, and 2 reserved by running requests. An enriched lead costs 1, a prospect 3; 25 are granted each month.\n",
  );
  expect(out).toMatch(/2026-01-05 10:00:00 +grant +\+5 +birthday/);
});

test("companies are given by domain or name", async () => {
  await using arranged = await arrange({ enriched: [], failed: [], creditsUsed: 0, remainingCredits: 9 });
  const { cli, sent } = arranged;
  const { exitCode } = await cli.run("enrich", "--company", "example.com", "Acme Ltd.", "--refresh");
  expect(exitCode).toBe(0);
  expect(sent).toMatchObject([
    {
      path: "/api/v2/enrich/companies",
      body: { companies: [{ domain: "example.com" }, { name: "Acme Ltd." }], refresh: true },
    },
  ]);
  const refused = await cli.run("enrich", "--company", "example.com", "--write-back");
  expect(refused.exitCode).toBe(2);
  expect(refused.err).toContain("--write-back fills leads");
});
