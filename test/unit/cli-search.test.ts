import { expect, test } from "bun:test";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const found = {
  prospects: [
    { id: "prs_1", firstName: "Ada", lastName: null, title: "CTO", company: "Engines", location: null, email: null },
  ],
  total: 1200,
  offset: 0,
  creditsUsed: 1,
  creditsRequired: 1,
  remainingCredits: 99,
};

const search = (...args: string[]) => searchAnswered(found, ...args);
async function searchAnswered(answer: object, ...args: string[]) {
  const bodies: unknown[] = [];
  const api = async (request: Request): Promise<Response> => {
    if (new URL(request.url).pathname === "/api/v2/users") return userPage([ada]);
    bodies.push(await request.json());
    return success(answer);
  };
  await using cli = await createCommandLine({ api });
  return { ...(await cli.run("search", ...args)), bodies };
}

test("filters are sent as the API takes them, and who is found is shown with what it cost", async () => {
  const { exitCode, out, bodies } = await search(
    ...[
      "--title",
      "CTO",
      "--title",
      "VP Sales",
      "--size",
      "11-50",
      "--not-using",
      "HubSpot",
      "--min-revenue",
      "1000000",
    ],
    ...["--limit", "5"],
  );
  expect(exitCode).toBe(0);
  expect(bodies).toMatchObject([
    {
      filters: {
        company: { size: ["11-50"], revenue: { min: 1_000_000, max: null } },
        person: { title: ["CTO", "VP Sales"] },
        technology: { notUsing: ["HubSpot"] },
      },
      source: "directory",
      limit: 5,
    },
  ]);
  expect(out).toContain("Ada   CTO    Engines");
  expect(out).toContain("1,200 prospects match, 1 to 1. Credits: 1 used, 99 left.");
});

test("a dry run tells the cost, and with --json the answer is the API's", async () => {
  expect((await search("--dry-run")).out).toContain(
    "1,200 prospects match. Showing this page would cost 1 of 99 credits.",
  );
  expect(JSON.parse((await search("--json")).out)).toEqual(found);
});

test("a dry run of a live source says in words that the number is not known, and the most that it costs", async () => {
  const unasked = { ...found, prospects: [], total: null, creditsUsed: 0, creditsRequired: 25 };
  const { out } = await searchAnswered(unasked, "--source", "pdl", "--dry-run");
  expect(out).toContain(
    "The number of matches is unknown, because a dry run does not query pdl. Showing this page would cost at most 25 of 99 credits.",
  );
});

test("a limit that the API would refuse is refused at once", async () => {
  const { exitCode, bodies } = await search("--limit", "101");
  expect(exitCode).toBe(2);
  expect(bodies).toEqual([]);
});
