import { expect, test } from "bun:test";
import { join } from "node:path";
import { ada, createCommandLine, success, userPage } from "../support/command-line.ts";

const steps = [
  { type: "action", actionType: "visitProfile" },
  { type: "wait", days: 1, hours: 2 },
  {
    ...{ type: "branch", condition: "connected", withinDays: 14 },
    yes: [{ type: "action", actionType: "sendMessage", message: "Thank\nyou" }],
    no: [],
  },
  {
    ...{ type: "action", actionType: "sendMessage" },
    variants: [
      { name: "A", weight: 1, message: "a" },
      { name: "B", weight: 1, message: "b" },
    ],
  },
];
const campaign = {
  ...{ id: "c1", name: "Spring", state: "paused", steps, accountIds: ["a1"], version: 3, firstStep: 0 },
  ...{ startedAt: "2026-01-05T10:00:00.000Z", createdAt: "2026-01-04T10:00:00.000Z" },
};
const statistics = {
  ...{ enrolled: 1200, active: 1000, completed: 150, stopped: 50, failed: 0, reasons: { replied: 50 } },
};
const stages = { enrolled: 1200, contacted: 900, connected: 300, replied: 50, interested: 5 };
const rate = { rate: 33.33, low: 30.3, high: 36.5 };
const counts = { active: 10, left: 90, sent: 80, skipped: 10, connected: 0, replied: 0, interested: 0 };
const series = {
  ...{ step: 2, side: "yes", variant: null, accountId: null, name: "connected" },
  days: [{ date: "2026-01-05", taken: 1200, connected: 0, replied: 7, interested: 1 }],
};
const funnel = {
  ...{ stages, rates: { connected: rate, replied: rate, interested: rate }, leads: 1200 },
  places: [
    { state: "active", step: 2, leads: 1000 },
    { state: "completed", step: null, leads: 200 },
  ],
  steps: [
    { step: 0, type: "action", actionType: "visitProfile", ...counts },
    {
      ...{ step: 2, type: "branch", condition: "connected", ...counts },
      yes: { taken: 60, connected: 0, replied: 7, interested: 1 },
      no: { taken: 30, connected: 0, replied: 0, interested: 0 },
    },
  ],
  tests: [
    {
      ...{ step: 4, outcome: "replied", winner: "B" },
      variants: [
        { name: "B", weight: 1, sent: 40, connected: 0, replied: 9, interested: 1, ...rate, behind: null },
        {
          name: "Old",
          weight: null,
          sent: 40,
          connected: 0,
          replied: 2,
          interested: 0,
          ...rate,
          behind: { points: 17, pValue: 0.02 },
        },
      ],
    },
  ],
  accounts: [{ accountId: "a1", name: "Ada's account", ...stages }],
};
const templates = [{ id: "warm-up", name: "Get noticed first", description: "Visit first.", steps }];
const enrollment = {
  ...{ id: "e1", leadId: "l1", leadName: "Grace Hopper", state: "stopped", reason: "replied", step: 2 },
  ...{ connectedAt: null, repliedAt: "2026-01-05T10:00:00.000Z" },
};

async function run(...args: string[]) {
  const asked: { method: string; path: string; query: Record<string, string>; body: unknown }[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    const path = pathname.replace("/api/v2/campaigns", "");
    const query = Object.fromEntries(searchParams);
    const body = request.method === "GET" || request.method === "DELETE" ? null : await request.json();
    asked.push({ method: request.method, path, query, body });
    if (query["format"] === "csv") return new Response("date,enrolled\r\n");
    if (path === "" && request.method === "GET") return success({ campaigns: [campaign], total: 30 });
    if (path === "/templates") return success({ templates });
    if (path === "/compare") return success({ campaigns: [{ ...campaign, campaignId: "c1", ...stages, ...funnel }] });
    if (path.endsWith("/statistics")) return success(statistics);
    if (path.endsWith("/funnel")) return success(funnel);
    if (path.endsWith("/series") && new URL(request.url).searchParams.has("by"))
      return success({ by: "branch", days: [], series: [series] });
    if (path.endsWith("/series")) return success({ days: [{ date: "2026-01-05", ...stages }] });
    if (path.endsWith("/enrollments")) return success({ enrollments: [enrollment], total: 1 });
    if (path.endsWith("/stop")) return success(enrollment);
    if (path.endsWith("/enroll"))
      return success({
        ...{ enrolled: 2, skipped: 2, hasMore: true, dryRun: true },
        results: ["noProfile", "noProfile", "enrolled"].map((outcome, n) => ({ leadId: `l${n}`, outcome })),
      });
    if (path.endsWith("/preview"))
      return success({
        ...{ leads: 20, finishedAt: "2026-02-01T09:00:00.000Z", problems: ["No InMails are left."] },
        steps: [{ step: 0, actionType: "visitProfile", count: 20, firstAt: "2026-01-05T09:00:00.000Z", lastAt: null }],
      });
    return success(campaign);
  };
  await using cli = await createCommandLine({ api });
  for (const [name, content] of Object.entries(files)) await Bun.write(join(cli.directory, name), content);
  const result = await cli.run("campaigns", ...args.map((arg) => arg.replace(/^@/, `${cli.directory}/`)));
  return { ...result, asked };
}

const files = {
  "steps.json": JSON.stringify(steps),
  "campaign.json": JSON.stringify(campaign),
  "broken.json": "[{",
  "other.json": "{}",
};

test("lists campaigns and templates", async () => {
  const { exitCode, out, asked } = await run("list", "--limit", "1");
  expect([exitCode, asked[0]?.query]).toEqual([0, { limit: "1", userId: "u-ada" }]);
  expect(out).toContain("2026-01-04  paused  Spring  5      1         c1");
  expect(out).toContain("1 of 30.");
  expect((await run("templates")).out).toContain("warm-up  Get noticed first  Visit first.");
});

test("shows steps with the numbers that results have", async () => {
  const { out } = await run("show", "c1");
  expect(out).toContain("Leads: 1,200 enrolled, 1,000 active, 150 completed, 50 stopped, 0 failed");
  expect(out).toContain("50 replied");
  expect(out.slice(out.indexOf("  0"))).toBe(
    [
      "  0  Profile visit",
      "  1  Wait 1 day 2 hours",
      "  2  If connected within 14 days",
      "     yes:",
      "  3    Message: Thank you",
      "  4  Message: 2 variants: A, B",
      "",
    ].join("\n"),
  );
  expect(JSON.parse((await run("show", "c1", "--json")).out)).toMatchObject({ steps, version: 3, statistics });
});

test("shows the funnel by step, side, variant, and account", async () => {
  const { out, asked } = await run("funnel", "c1", "--from", "2026-01-01", "--account", "a1");
  expect(asked[0]).toMatchObject({ path: "/c1/funnel", query: { from: "2026-01-01", accountId: "a1" } });
  expect(out).toMatch(/connected +300 +33.33% \(30.3 to 36.5\)/);
  expect(out).toContain("1,200 leads: 1,000 active at step 2, 200 completed.");
  expect(out).toMatch(/2 +if connected +10 +90 +80 +10 +0 +0 +0/);
  expect(out).toMatch(/ {2}yes +60 +0 +7 +1/);
  expect(out).toMatch(/VARIANT OF STEP 4/);
  expect(out).toContain("B (winner)");
  expect(out).toMatch(/Old +removed .* 17 \(p = 0.02\)/);
  expect(out).toMatch(/Ada's account +1,200 +900 +300 +50 +5/);
});

test("shows the funnel by day, and prints CSV", async () => {
  const days = await run("funnel", "c1", "--days");
  expect(days.asked[0]?.path).toBe("/c1/series");
  expect(days.out).toMatch(/2026-01-05 +1,200 +900 +300 +50 +5/);
  const branches = await run("series", "c1", "--by", "branch");
  expect(branches.out).toMatch(/2 +connected: yes +2026-01-05 +1,200 +0 +7 +1\n/);
  expect((await run("series", "c1", "--by", "weather")).exitCode).toBe(2);
  const csv = await run("funnel", "c1", "--days", "--csv");
  expect(csv.asked[0]).toMatchObject({ path: "/c1/series", query: { format: "csv" } });
  expect(csv.out).toBe("date,enrolled\r\n");
  expect((await run("funnel", "c1", "--csv", "--json")).exitCode).toBe(2);
});

test("compares the campaigns that are named, or the newest", async () => {
  const named = await run("compare", "c1", "c2", "--to", "2026-02-01");
  expect(named.asked[0]).toMatchObject({ path: "/compare", query: { ids: "c1,c2", to: "2026-02-01" } });
  expect(named.out).toMatch(/Spring +paused +1,200 +900 +300 +50 +5 +33.33% \(30.3 to 36.5\)/);
  expect((await run("compare")).asked[0]?.query).not.toHaveProperty("ids");
});

test("creates a draft from a template, or from steps in a file", async () => {
  const fromTemplate = await run("create", "Spring", "--template", "warm-up", "--account", "a1", "--account", "a2");
  expect(fromTemplate.asked.at(-1)).toMatchObject({ method: "POST", path: "" });
  expect(fromTemplate.asked.at(-1)?.body).toEqual({ name: "Spring", steps, accountIds: ["a1", "a2"], userId: "u-ada" });
  expect(fromTemplate.out).toBe("Created the draft Spring: c1\n");
  expect((await run("create", "Spring", "--steps", "@steps.json")).asked.at(-1)?.body).toMatchObject({ steps });
});

test("names what is wrong with the steps", async () => {
  expect((await run("create", "Spring", "--template", "warmup")).err).toContain("Templates: warm-up.");
  expect((await run("create", "Spring")).err).toContain("send --template ID or --steps FILE");
  expect((await run("create", "Spring", "--steps", "@broken.json")).err).toContain("broken.json is not JSON");
  expect((await run("create", "Spring", "--steps", "@other.json")).err).toContain("a list of steps");
  expect((await run("create", "Spring", "--steps", "@missing.json")).err).toContain("Could not read");
  expect((await run("update", "c1")).err).toContain("Nothing to change");
});

test("updates from what show has printed only if nobody has edited the campaign since", async () => {
  const { asked, out } = await run("update", "c1", "--steps", "@campaign.json");
  expect(asked[0]).toMatchObject({ method: "PATCH", path: "/c1" });
  expect(asked[0]?.body).toEqual({ steps, version: 3, userId: "u-ada" });
  expect(out).toBe("Updated Spring (version 3).\n");
  expect((await run("update", "c1", "--name", "Summer")).asked[0]?.body).toEqual({ name: "Summer", userId: "u-ada" });
});

test("starts, pauses, cancels, duplicates, and deletes", async () => {
  for (const turn of ["start", "pause", "cancel"]) {
    const { asked, out } = await run(turn, "c1");
    expect(asked[0]).toMatchObject({ method: "POST", path: `/c1/${turn}`, body: { userId: "u-ada" } });
    expect(out).toBe("Spring: paused\n");
  }
  expect((await run("duplicate", "c1", "--name", "Copy")).asked[0]?.body).toEqual({ name: "Copy", userId: "u-ada" });
  const deleted = await run("delete", "c/1");
  expect(deleted.asked[0]).toMatchObject({ method: "DELETE", path: "/c%2F1", query: { userId: "u-ada" } });
});

test("enrolls leads, and groups those that were skipped by reason", async () => {
  const { asked, out } = await run("enroll", "c1", "--tag", "berlin", "--dry-run");
  expect(asked[0]?.body).toEqual({ tag: "berlin", dryRun: true, userId: "u-ada" });
  expect(out).toContain("Would enroll 2, skipped 2.");
  expect(out).toMatch(/noProfile +2 +l0/);
  expect(out).toContain("Repeat the command");
  expect((await run("enroll", "c1", "--lead", "l1", "--lead", "l2")).asked[0]?.body).toMatchObject({
    leadIds: ["l1", "l2"],
  });
  expect((await run("enroll", "c1")).err).toContain("send --lead ID or --tag TAG");
  expect((await run("enroll", "c1", "--lead", "l1", "--tag", "x")).exitCode).toBe(2);
});

test("lists and removes leads, and previews", async () => {
  const { asked, out } = await run("leads", "c1", "--state", "stopped");
  expect(asked[0]?.query).toMatchObject({ state: "stopped", limit: "25" });
  expect(out).toMatch(/Grace Hopper +stopped \(replied\) +2 +2026-01-05 10:00 +e1/);
  expect((await run("remove", "c1", "e1")).asked[0]?.path).toBe("/c1/enrollments/e1/stop");
  const preview = await run("preview", "c1", "--none-connects");
  expect(preview.asked[0]?.body).toMatchObject({ leads: 20, assume: { connected: false, replied: false } });
  expect(preview.out).toContain("20 leads, until 2026-02-01 09:00 UTC.");
  expect(preview.out).toContain("Problem: No InMails are left.");
});

test("the help has examples", async () => {
  expect((await run("--help")).out).toContain("outreachd campaigns create Spring --template warm-up");
});
