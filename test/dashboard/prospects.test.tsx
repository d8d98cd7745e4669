import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import { peopleIn } from "../../src/surfaces/dashboard/app/pages/enrichment/people.ts";
import { Results } from "../../src/surfaces/dashboard/app/pages/enrichment/results.tsx";
import {
  currentSearch,
  setSearch,
  withChosen,
  withRevenue,
} from "../../src/surfaces/dashboard/app/pages/prospects/filters.ts";
import { facetName } from "../../src/surfaces/dashboard/app/pages/prospects/facet-names.ts";
import { ProspectsPage } from "../../src/surfaces/dashboard/app/pages/prospects/prospects-page.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { button, signIn } from "../support/dashboard.ts";

afterEach(() => {
  setSearch({ filters: {}, source: "directory" });
  session.value = null;
});

test("filters are stored in the URL without empty ones; invalid ones are ignored", () => {
  const filters = withRevenue(withChosen({}, "title", ["CTO"]), { min: 1_000_000, max: null });
  setSearch({ filters, source: "apollo" });
  expect(currentSearch()).toEqual({ filters, source: "apollo" });
  const misspelled = { ...filters, person: { ...filters.person, titel: ["CFO"] }, persons: { title: ["CFO"] } };
  setSearch({ filters: misspelled, source: "directory" });
  expect(currentSearch()).toEqual({ filters, source: "directory" });
  const fewer = withChosen(filters, "title", []);
  expect(fewer).toEqual({ company: { revenue: { min: 1_000_000, max: null } } });
  expect(withRevenue(fewer, { min: null, max: null })).toEqual({});
});

test("counting is free, and the cost of a page is shown before it is loaded", async () => {
  signIn(["*"]);
  const found = { total: 30, limit: 25, offset: 0, creditsUsed: 0, creditsRequired: 25, remainingCredits: 40 };
  const prospect = {
    id: "p1",
    firstName: "<b>Ada</b>",
    lastName: null,
    title: "CTO",
    company: "Acme",
    technologies: [],
    confidence: 0.9,
    leadId: null,
    updatedAt: "2030-01-01T00:00:00.000Z",
  };
  const bodies: unknown[] = [];
  answerWith({
    "GET /api/v2/prospecting/sources": () => ({
      body: { data: { sources: [{ name: "directory" }, { name: "pdl" }] } },
    }),
    "POST /api/v2/prospecting/facets": () => ({
      body: { data: { facets: [{ facet: "title", values: [{ value: "CTO", count: 30 }] }] } },
    }),
    "POST /api/v2/prospecting/search": (body) => {
      bodies.push(body);
      const isDry = (body as { dryRun?: boolean }).dryRun === true;
      const bought = { ...found, creditsUsed: 1, remainingCredits: 39, prospects: [prospect] };
      return { body: { data: isDry ? { ...found, prospects: [] } : bought } };
    },
    "POST /api/v2/prospecting/prospects/p1/lead": () => ({ body: { data: { lead: { id: "l1" }, isNew: true } } }),
  });
  const place = await show(<ProspectsPage />);
  await change(() => Bun.sleep(0));
  expect(place.textContent).toContain("30 matching prospects.");
  expect(bodies).toMatchObject([{ dryRun: true }]);
  await change(() => button(place, "Show for 25 credits").click());
  await change(() => Bun.sleep(0));
  expect(bodies).toHaveLength(2);
  expect(place.querySelector("table b")).toBeNull();
  await change(() => button(place, "Add to leads: <b>Ada</b>").click());
  await change(() => Bun.sleep(0));
  expect(place.querySelector('a[href="/app/leads/l1"]')?.textContent).toBe("View lead");
});

test("a vendor that was not queried is not shown as empty", async () => {
  signIn(["*"]);
  setSearch({ filters: {}, source: "pdl" });
  const found = { prospects: [], limit: 25, offset: 0, creditsUsed: 0, remainingCredits: 40 };
  const bodies: unknown[] = [];
  answerWith({
    "GET /api/v2/prospecting/sources": () => ({
      body: { data: { sources: [{ name: "directory" }, { name: "pdl" }] } },
    }),
    "POST /api/v2/prospecting/facets": () => ({ body: { data: { facets: [] } } }),
    "POST /api/v2/prospecting/search": (body) => {
      bodies.push(body);
      const isDry = (body as { dryRun?: boolean }).dryRun === true;
      // A free vendor is not queried without a click either.
      return { body: { data: { ...found, creditsRequired: 0, total: isDry ? null : 31 } } };
    },
  });
  const place = await show(<ProspectsPage />);
  await change(() => Bun.sleep(0));
  expect(place.textContent).toContain("People Data Labs returns the number of matches with the first page.");
  expect(place.textContent).toContain("Prospects 1 to 25 cost up to 0 credits");
  expect(bodies).toMatchObject([{ source: "pdl", dryRun: true }]);
  await change(() => button(place, "Show for 0 credits").click());
  await change(() => Bun.sleep(0));
  expect(place.textContent).toContain("31 matching prospects.");
});

test("parses people by the format of each value", () => {
  expect(peopleIn("ada@example.com\n\nhttps://network.example/in/grace\nAlan, Turing, Bletchley\n")).toEqual([
    { email: "ada@example.com" },
    { networkUrl: "https://network.example/in/grace" },
    { firstName: "Alan", lastName: "Turing", company: "Bletchley" },
  ]);
  expect(peopleIn(["ada@example.com", "Ada", "Lovelace", "A/B Inc"])).toMatchObject([
    { email: "ada@example.com", firstName: "Ada", lastName: "Lovelace", company: "A/B Inc" },
  ]);
  expect(peopleIn(["", "", "", ""])).toEqual([]);
});

test("every field shows its source and confidence, including nested fields", async () => {
  const at = "2030-01-01T00:00:00.000Z";
  const place = await show(
    <Results
      answer={{
        enriched: [
          {
            index: 0,
            input: { email: "ada@example.com" },
            enrichedData: { title: "<script>CTO</script>", companyInfo: { industry: "Computing" } },
            confidence: 0.7,
            sources: ["hunter"],
            fieldConfidence: { title: 0.9, "companyInfo.industry": 0.5 },
            provenance: { title: { provider: "hunter", at }, "companyInfo.industry": { provider: "apollo", at } },
            creditsUsed: 1,
            fromCache: false,
          },
          {
            index: 2,
            input: { email: "x@example.com" },
            enrichedData: {},
            confidence: 0,
            sources: [],
            fieldConfidence: {},
            provenance: {},
            emailVerification: { email: "x@example.com", verdict: "invalid", confidence: 0, provider: "hunter", at },
            creditsUsed: 0,
            fromCache: true,
          },
        ],
        failed: [
          { index: 1, input: { email: "x@example.com" }, code: "NO_MATCH", message: "Nobody.", retryable: true },
        ],
        creditsUsed: 1,
        remainingCredits: 9,
      }}
    />,
  );
  const rows = [...place.querySelectorAll("tbody tr")].map((row) => [...row.children].map((cell) => cell.textContent));
  expect(rows.map((cells) => cells.slice(0, 4))).toEqual([
    ["Job title", "<script>CTO</script>", "90%", "hunter"],
    ["Company industry", "Computing", "50%", "apollo"],
  ]);
  expect(place.querySelector(".failures")?.textContent).toContain("Try again later");
  const verdict = place.querySelectorAll(".enriched")[1]?.textContent;
  expect(verdict).toContain("x@example.com: invalid (hunter)");
  expect(verdict).not.toContain("% confidence");
});

test("values have the names that people know", () => {
  expect(facetName("seniority", "c_suite")).toBe("C-level");
  expect(facetName("department", "human_resources")).toBe("Human resources");
  expect(facetName("title", "eVP Sales")).toBe("eVP Sales");
  expect(facetName("size", "1001-5000")).toBe("1,001–5,000");
  expect(facetName("size", "10001+")).toBe("10,001+");
  expect(facetName("industry", "c_suite")).toBe("c_suite");
});
