import { afterAll, expect, setDefaultTimeout, test } from "bun:test";
import type { CreditsView } from "../../src/features/credits/model.ts";
import type { MergeReport } from "../../src/features/workspaces/merge/model.ts";
import type { MemberView } from "../../src/features/workspaces/members/model.ts";
import type { Client } from "../support/client.ts";
import { runProgram } from "../support/program.ts";
import type { Found } from "../support/prospects.ts";
import { createObjects, mark } from "../support/route-objects.ts";
import { startRouteWorld } from "../support/route-world.ts";
import { startService, succeeded, usesPostgres, type Service } from "../support/service.ts";

setDefaultTimeout(60_000);

const service = await startService({ settings: { DEFAULT_CREDITS: 1000 } });
afterAll(() => service[Symbol.asyncDispose]());

const merge = ({ dataFlags }: Service, ...args: string[]) => runProgram(["workspace", "merge", ...args, ...dataFlags]);

const ownerColumns = usesPostgres
  ? `SELECT table_name AS name, column_name AS "column" FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name IN ('owner', 'workspace_id')`
  : `SELECT schema.name, info.name AS "column" FROM sqlite_schema AS schema, pragma_table_info(schema.name) AS info
     WHERE schema.type = 'table' AND info.name IN ('owner', 'workspace_id')`;

/** Rows of all tables that have an owner, for each owner. */
async function rowsByOwner({ openDatabase }: Service): Promise<Record<string, number>> {
  await using database = await openDatabase();
  const rows: Record<string, number> = {};
  for (const { name, column } of await database.all<{ name: string; column: string }>(ownerColumns)) {
    const match = column === "owner" ? "workspaces.seq" : "workspaces.id";
    const counts = await database.all<{ id: string; n: number }>(
      `SELECT workspaces.id, count(*) AS n FROM ${name} AS owned JOIN workspaces ON ${match} = owned.${column} GROUP BY 1`,
    );
    for (const { id, n } of counts) rows[`${name} of ${id}`] = n;
  }
  return rows;
}

async function totals(client: Client): Promise<Record<string, number>> {
  const paths = {
    ...{ leads: "/leads", accounts: "/network/accounts", actions: "/network/actions", campaigns: "/campaigns" },
    ...{
      voices: "/voice-clones",
      searches: "/prospecting/searches",
      webhooks: "/webhooks",
      jobs: "/users/jobs?limit=1",
    },
    ...{ suppressions: "/suppressions", members: "/members", keys: "/keys", events: "/events" },
  };
  const found: Record<string, number> = {};
  for (const [name, path] of Object.entries(paths))
    found[name] = succeeded(await client.get<{ total: number }>(`/api/v2${path}`)).data.total;
  const search = await client.post<Found>("/api/v2/prospecting/search", { filters: {} });
  found["prospects"] = succeeded(search).data.total;
  return found;
}

const balanceOf = async (client: Client) => succeeded(await client.get<CreditsView>("/api/v2/credits")).data.balance;

test("two workspaces become one: what both have is united, and nothing is lost", async () => {
  const world = await startRouteWorld();
  await using service = world.service;
  const [from, into] = [await createObjects(world), await createObjects(world)];
  const only = { email: "only@from.example", networkUrl: "https://network.example/in/only-from", tags: ["from"] };
  const { data: moved } = succeeded(await from.owner.post<{ id: string }>("/api/v2/leads", only));
  succeeded(await from.owner.put(`/api/v2/leads/${from.ids["leadId"]}`, { title: "Countess", tags: ["from"] }));
  succeeded(await from.owner.post("/api/v2/suppressions", { values: ["never@from.example"] }));
  const file = "email,first name,company\nonly@prospect.example,Only,Engines\n";
  const headers = { "content-type": "text/csv" };
  const imported = await from.owner.post<{ id: string }>("/api/v2/prospecting/import", file, { headers });
  await service.ended(from.owner, succeeded(imported).data.id);
  const [before, other] = [await totals(from.owner), await totals(into.owner)];
  const credits = (await balanceOf(from.owner)) + (await balanceOf(into.owner));
  const [fromId, intoId] = [from.ids["workspaceId"]!, into.ids["workspaceId"]!];

  let report: MergeReport | null = null;
  await service.restart(async () => {
    const rows = await rowsByOwner(service);
    const shown = await merge(service, fromId, intoId);
    expect(shown).toMatchObject({ exitCode: 0, err: "" });
    expect(shown.out).toMatch(/Leads +1 +2\n/);
    expect(shown.out).toContain("Nothing was changed.");
    expect(await rowsByOwner(service)).toEqual(rows);
    const done = await merge(service, fromId, intoId, "--yes", "--json");
    expect(done.err).toBe("");
    report = JSON.parse(done.out) as MergeReport;
    expect(Object.keys(await rowsByOwner(service)).filter((name) => name.endsWith(fromId))).toEqual([]);
    const again = await merge(service, fromId, intoId, "--yes");
    expect(again.exitCode).toBe(1);
    expect(again.err).toContain(fromId);
  });
  expect(report).toMatchObject({
    merged: {
      leads: { moved: 1, united: 2 },
      doNotContact: { moved: 1, united: 1 },
      prospects: { moved: 1, united: 1 },
      campaigns: { moved: 2, united: 0 },
    },
    pausedAccounts: [],
  });

  const after = await totals(into.owner);
  const united = { leads: 2, suppressions: 1, prospects: 1 };
  const grows = ["accounts", "actions", "campaigns", "voices", "searches", "webhooks", "jobs", "leads", "suppressions"];
  for (const name of [...grows, "prospects"])
    expect([name, after[name]]).toEqual([
      name,
      (before[name] ?? 0) + (other[name] ?? 0) - (united[name as keyof typeof united] ?? 0),
    ]);
  // Searches are events, too.
  expect(after["events"]).toBeGreaterThanOrEqual(before["events"]! + other["events"]!);
  expect(await balanceOf(into.owner)).toBe(credits);

  // Keys of the workspace that is gone work in the other one, as far as their members' roles go.
  expect(await totals(from.owner)).toMatchObject({ leads: after["leads"]!, accounts: after["accounts"]! });
  const { members } = succeeded(await into.owner.get<{ members: MemberView[] }>("/api/v2/members")).data;
  expect(members.find(({ userId }) => userId === from.owner.userId)).toMatchObject({ role: "admin", isActive: true });
  expect((await into.owner.get(`/api/v2/workspaces/${fromId}`)).status).toBe(404);
  expect((await from.member.get(`/api/v2/leads/${moved.id}`)).data).toMatchObject({ tags: ["from"] });

  // One lead of both, with what each knew, and with the history of both.
  const { data: lead } = succeeded(await into.owner.get(`/api/v2/leads/${into.ids["leadId"]}`));
  expect(lead).toMatchObject({ title: "Countess", tags: [mark, "from"] });
  expect((await into.owner.get(`/api/v2/leads/${from.ids["leadId"]}`)).data).toEqual(lead);
  const query = { leadId: into.ids["leadId"]! };
  const { data: actions } = succeeded(await into.owner.get<{ total: number }>("/api/v2/network/actions", { query }));
  expect(actions.total).toBe(2);
  const enrolled = `/api/v2/campaigns/${from.ids["campaignId"]}/enrollments`;
  expect((await into.owner.get(enrolled)).data).toMatchObject({ enrollments: [{ leadId: into.ids["leadId"] }] });
  const known = { email: only.email, firstName: "Only" };
  expect(await into.owner.post("/api/v2/leads?onDuplicate=error", known)).toMatchObject({ status: 409 });
  const blocked = { email: "never@from.example" };
  expect(await into.owner.post("/api/v2/leads", blocked)).toMatchObject({ status: 409, code: "DO_NOT_CONTACT" });
  const search = await into.owner.post<Found>("/api/v2/prospecting/search", { filters: {} });
  const companies = succeeded(search).data.prospects.map(({ company }) => company);
  expect(companies).toContain("Engines");

  expect((await service.admin.get("/api/v2/audit/verify")).data).toMatchObject({ isIntact: true });
  const entries = { query: { action: "workspace.merged" } };
  expect((await into.owner.get("/api/v2/audit", entries)).data).toMatchObject({ entries: [{ targetId: fromId }] });
});

test("a lead, an objection, a prospect, and the keys of two teams are those of one afterwards", async () => {
  const [from, into] = [await service.user(), await service.user()];
  const person = { email: "ada@both.example", networkUrl: "https://network.example/in/ada" };
  const { data: gone } = succeeded(await from.post<{ id: string }>("/api/v2/leads", { ...person, title: "Countess" }));
  const { data: kept } = succeeded(await into.post<{ id: string }>("/api/v2/leads", person));
  const { data: moved } = succeeded(await from.post<{ id: string }>("/api/v2/leads", { email: "only@from.example" }));
  succeeded(await from.post("/api/v2/suppressions", { values: ["never@from.example"] }));
  const file = "email,company\nonly@prospect.example,Engines\n";
  const headers = { "content-type": "text/csv" };
  const imported = await from.post<{ id: string }>("/api/v2/prospecting/import", file, { headers });
  await service.ended(from, succeeded(imported).data.id);
  await service.restart(async () => {
    const rows = await rowsByOwner(service);
    expect(await merge(service, from.userId, into.userId)).toMatchObject({
      ...{ exitCode: 0, err: "" },
      out: expect.stringMatching(/Leads +1 +1\n/),
    });
    expect(await rowsByOwner(service)).toEqual(rows);
    const done = await merge(service, from.userId, into.userId, "--yes", "--json");
    expect(JSON.parse(done.out)).toMatchObject({ merged: { leads: { moved: 1, united: 1 }, prospects: { moved: 1 } } });
    expect(Object.keys(await rowsByOwner(service)).filter((name) => name.endsWith(from.userId))).toEqual([]);
  });
  for (const client of [from, into]) {
    const { data: lead } = succeeded(await client.get(`/api/v2/leads/${kept.id}`));
    expect(lead).toMatchObject({ title: "Countess" });
    expect((await client.get(`/api/v2/leads/${moved.id}`)).status).toBe(200);
    expect((await client.get(`/api/v2/leads/${gone.id}`)).data).toEqual(lead);
    expect(await balanceOf(client)).toBe(2000);
  }
  expect(await into.post("/api/v2/leads?onDuplicate=error", { email: "only@from.example" })).toMatchObject({
    status: 409,
  });
  expect(await into.post("/api/v2/leads", { email: "never@from.example" })).toMatchObject({ code: "DO_NOT_CONTACT" });
  const search = await into.post<Found>("/api/v2/prospecting/search", { filters: {} });
  expect(succeeded(search).data.prospects).toMatchObject([{ company: "Engines" }]);
  expect((await service.admin.get("/api/v2/audit/verify")).data).toMatchObject({ isIntact: true });
  const entries = { query: { action: "workspace.merged" } };
  expect((await into.get("/api/v2/audit", entries)).data).toMatchObject({ entries: [{ targetId: from.userId }] });
});

test("what cannot be merged is said, and nothing is changed", async () => {
  const [one, two] = [await service.user({ email: "one@merge.example" }), await service.user()];
  await service.restart(async () => {
    const same = await merge(service, "one@merge.example", one.userId, "--yes");
    expect(same).toMatchObject({ exitCode: 2, err: expect.stringContaining("same workspace") });
    const unknown = await merge(service, "nobody@merge.example", two.userId, "--yes");
    expect(unknown).toMatchObject({ exitCode: 1, err: expect.stringContaining("nobody@merge.example") });
    await using database = await service.openDatabase();
    await database.run(`INSERT INTO jobs (id, workspace_id, type, status, run_at, max_attempts, message, metadata, payload,
      created_at, updated_at) VALUES ('j', '${two.userId}', 'data_enrichment', 'pending', 1, 1, '', '{}', '{}', 1, 1)`);
    const busy = await merge(service, one.userId, two.userId, "--yes");
    expect(busy).toMatchObject({ exitCode: 1, err: expect.stringContaining("1 jobs of the two workspaces") });
    await database.run("DELETE FROM jobs WHERE id = 'j'");
  });
  if (usesPostgres) return;
  const running = await merge(service, one.userId, two.userId, "--yes");
  expect(running.exitCode).not.toBe(0);
  expect((await one.get("/api/v2/users/me")).status).toBe(200);
});
