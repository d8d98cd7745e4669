import { expect, test } from "bun:test";
import {
  ada,
  createCommandLine,
  refused,
  success,
  userPage,
  type CommandLineOptions,
} from "../support/command-line.ts";

const lead = {
  ...{ id: "l1", firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", company: "Analytical Engines" },
  ...{ title: null, phone: null, networkUrl: null, industry: null, location: null, source: null, notes: null },
  ...{ status: "new", tags: ["math"], customFields: { size: "12" }, assignedTo: null },
  ...{ createdAt: "2026-01-05T10:00:00.000Z", updatedAt: "2026-01-05T10:00:00.000Z" },
};
const view = {
  ...{ id: "v1", ownerId: null, name: "Hot in Berlin", columns: [], sort: "-createdAt" },
  ...{ filters: { tags: ["hot"], hasEmail: true }, createdAt: lead.createdAt, updatedAt: lead.createdAt },
};
const metadata = { operation: "update", total: 250, processed: 250, changed: 249, unchanged: 0, skipped: {} };
const job = { id: "j1", type: "lead_bulk", status: "completed", progress: 100, message: "Changed 249 leads", metadata };

type Asked = { method: string; path: string; body: unknown; ifMatch: string | null };
type World = Pick<CommandLineOptions, "typed"> & { total?: number; jobs?: object[] };

function answer(method: string, path: string, { total = 250, jobs = [job] }: World): Response {
  if (path.startsWith("/users/jobs/")) return success(jobs.length > 1 ? jobs.shift() : jobs[0]);
  if (path === "/leads/bulk") return success({ ...job, status: "pending" }, 202);
  if (path.startsWith("/leads/bulk/"))
    return success({ changed: 1, failed: [{ id: "l9", code: "NOT_FOUND", message: "Lead l9 not found." }] });
  if (path === "/leads/values") return success({ values: [{ value: "Analytical Engines", leads: 1200 }] });
  if (path === "/leads/duplicates") return success({ groups: [{ reason: "email", leads: [lead, lead] }], total: 3 });
  if (path === "/leads/views" && method === "GET") return success({ views: [view], total: 1, nextCursor: null });
  if (path.startsWith("/leads/views")) return success(view);
  if (path.endsWith("/campaigns")) return success({ campaigns: [], total: 0, nextCursor: null });
  if (path === "/leads" && method === "GET") return success({ leads: [lead], total, nextCursor: null });
  if (path === "/leads/nobody") return refused(404, "NOT_FOUND", "Lead nobody not found.");
  return new Response(JSON.stringify({ success: true, data: lead }), { headers: { etag: '"7"' } });
}

async function run(args: readonly string[], world: World = {}) {
  const asked: Asked[] = [];
  const api = async (request: Request): Promise<Response> => {
    const { pathname, search } = new URL(request.url);
    const path = pathname.replace("/api/v2", "");
    if (path === "/users") return userPage([ada]);
    const text = await request.text();
    const ifMatch = request.headers.get("if-match");
    const { userId: _, ...body } = text === "" ? {} : JSON.parse(text);
    asked.push({ method: request.method, path: path + search, body, ifMatch });
    return answer(request.method, path, world);
  };
  await using cli = await createCommandLine({ api, ...(world.typed !== undefined && { typed: world.typed }) });
  const result = await cli.run("leads", ...args);
  const sent = asked.filter(({ method }) => method !== "GET");
  return { ...result, asked, sent };
}

const queryOf = (asked: Asked | undefined) => new URLSearchParams(asked?.path.split("?")[1]);

test("every filter of the API is a flag", async () => {
  const { exitCode, out, asked } = await run([
    ...["list", "--status", "new,contacted", "--tags", "a", "--tags", "b", "--tag-match", "any"],
    ...["--has-email", "false", "--title-contains", "CTO", "--updated-after", "2026-01-31", "--limit", "1"],
  ]);
  expect(exitCode).toBe(0);
  const query = queryOf(asked[0]);
  expect(query.getAll("tags")).toEqual(["a", "b"]);
  expect(Object.fromEntries(query)).toMatchObject({
    ...{ status: "new,contacted", tagMatch: "any", hasEmail: "false", titleContains: "CTO", limit: "1" },
    ...{ updatedAfter: "2026-01-31T00:00:00.000Z", userId: "u-ada" },
  });
  expect(out).toContain("Ada Lovelace  Analytical Engines  new     ada@example.com  math  l1");
  expect(out).toContain("1 of 250.");
  expect((await run(["list", "--has-email", "maybe"])).exitCode).toBe(2);
});

test("a saved view adds its filters, and flags win over them", async () => {
  const { asked } = await run(["list", "--view", "hot in berlin", "--has-email", "false"]);
  expect(Object.fromEntries(queryOf(asked.at(-1)))).toMatchObject({ tags: "hot", hasEmail: "false" });
  const unknown = await run(["list", "--view", "Cold"]);
  expect(unknown.exitCode).toBe(1);
  expect(unknown.err).toContain("View Cold not found.\nViews: Hot in Berlin.");
});

test("a lead is shown with what it has", async () => {
  const { out } = await run(["show", "l1"]);
  expect(out).toContain("customFields.size  12");
  expect(out).not.toContain("phone");
  expect(JSON.parse((await run(["show", "l1", "--json"])).out)).toEqual(lead);
  expect((await run(["show", "nobody"])).err).toContain("Lead nobody not found.");
});

test("a lead is created from its fields", async () => {
  const { sent } = await run([
    ...["create", "--set", "email=ada@example.com", "--set", "customFields.size=a=b", "--tag", "math"],
    ...["--on-duplicate", "update"],
  ]);
  expect(queryOf(sent[0]).get("onDuplicate")).toBe("update");
  expect(sent[0]?.body).toEqual({ email: "ada@example.com", customFields: { size: "a=b" }, tags: ["math"] });
});

test("one lead is updated by field; other custom fields stay, guarded by the version", async () => {
  const { sent } = await run(["update", "l1", "--set", "phone=", "--set", "customFields.team=7"]);
  expect(sent).toMatchObject([
    { method: "PUT", body: { phone: null, customFields: { size: "12", team: "7" } }, ifMatch: '"7"' },
  ]);
  const emptied = await run(["update", "l1", "--set", "customFields.size="]);
  expect(emptied.sent[0]?.body).toEqual({ customFields: {} });
  expect((await run(["update", "l1", "l2", "--set", "phone=1"])).exitCode).toBe(2);
  expect((await run(["update", "l1"])).exitCode).toBe(2);
});

test("several leads are updated by ID, and those that failed are listed", async () => {
  const flags = ["--set-status", "contacted", "--add-tag", "called", "--assign-to", "none"];
  const { exitCode, sent, out } = await run(["update", "l1", "l9", ...flags]);
  expect(exitCode).toBe(4);
  expect(sent[0]).toMatchObject({
    path: "/leads/bulk/update",
    body: { ids: ["l1", "l9"], status: "contacted", addTags: ["called"], assignedTo: null },
  });
  expect(out).toBe("Changed 1 lead.\n  l9  Lead l9 not found.\n");
});

test("a bulk change sends the filters and what changes, and waits with progress", async () => {
  const running = { ...job, status: "running", progress: 40, metadata: { ...metadata, processed: 100 } };
  const flags = ["--tag", "spring", "--has-profile", "true", "--set-status", "contacted", "--add-to-list", "Called"];
  const { exitCode, sent, out } = await run(["bulk", ...flags, "--json"], { jobs: [running, job] });
  expect(exitCode).toBe(0);
  expect(sent[0]?.body).toEqual({
    filter: { tag: "spring", hasProfile: true },
    status: "contacted",
    addToList: "Called",
  });
  const [first, last] = out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(first).toMatchObject({ event: "progress", phase: "change", percent: 40, processed: 100, total: 250 });
  expect(last).toMatchObject({ event: "finished", jobId: "j1", changed: 249, operation: "update" });
});

test("a bulk change without filters needs --all, and one without a change is refused", async () => {
  const { exitCode, err, sent } = await run(["bulk", "--set-status", "contacted"]);
  expect(exitCode).toBe(2);
  expect(err).toContain("No filters. To change all leads, add --all.");
  expect(sent).toEqual([]);
  expect((await run(["bulk", "--all", "--set-status", "contacted"])).sent[0]?.body).toMatchObject({ filter: {} });
  expect((await run(["bulk", "--tag", "spring"])).err).toContain("Nothing to change");
});

test("more than 100 leads are deleted only after their number was typed, or with --yes", async () => {
  const args = ["bulk", "--tag", "old", "--delete"];
  const script = await run(args);
  expect(script.exitCode).toBe(2);
  expect(script.err).toContain("This would delete 250 leads. Nothing was deleted.\nTo delete more than 100");
  const wrong = await run(args, { typed: "25" });
  expect(wrong.err).toContain("Not confirmed. Nothing was deleted.");
  expect([...script.sent, ...wrong.sent]).toEqual([]);
  for (const confirmed of [await run(args, { typed: "250" }), await run([...args, "--yes"])])
    expect(confirmed.sent[0]?.body).toEqual({ filter: { tag: "old" }, delete: true, expectedCount: 250 });
  const few = await run(args, { total: 100 });
  expect(few.sent[0]?.body).toMatchObject({ delete: true, expectedCount: 100 });
});

test("a dry run only counts", async () => {
  const { out, sent } = await run(["bulk", "--tag", "old", "--delete", "--dry-run"]);
  expect(out).toBe("250 leads match tag=old.\n");
  expect(sent).toEqual([]);
});

test("a change that failed ends with 1, and a job of another type is refused", async () => {
  const failed = await run(["bulk", "--watch", "j1"], { jobs: [{ ...job, status: "failed", message: "It is over" }] });
  expect(failed.exitCode).toBe(1);
  expect(failed.err).toContain("The change failed: It is over");
  const other = await run(["bulk", "--watch", "j1"], { jobs: [{ ...job, type: "lead_import" }] });
  expect(other.err).toContain("Job j1 is not a change of leads.");
});

test("leads are deleted by ID: 500 in a request, more than 100 after a confirmation", async () => {
  const ids = Array.from({ length: 501 }, (_, at) => `l${at}`);
  expect((await run(["delete", ...ids])).exitCode).toBe(2);
  const { sent } = await run(["delete", ...ids, "--yes"]);
  expect(sent.map(({ body }) => (body as { ids: string[] }).ids.length)).toEqual([500, 1]);
  const suppressed = await run(["delete", "l1", "--suppress"]);
  expect(suppressed.sent[0]).toMatchObject({ method: "DELETE" });
  expect(queryOf(suppressed.sent[0]).get("suppress")).toBe("true");
});

test("duplicates are listed in groups and merged", async () => {
  const { out } = await run(["duplicates"]);
  expect(out).toStartWith("Same email:\nNAME");
  expect(out).toContain("1 of 3 groups.");
  const merged = await run(["merge", "l1", "l2", "--take", "email", "--take", "title"]);
  expect(merged.sent[0]).toMatchObject({ path: "/leads/l1/merge", body: { otherId: "l2", take: ["email", "title"] } });
  expect(merged.out).toBe("Merged l2 into Ada Lovelace (l1).\n");
});

test("values are listed with the number of leads", async () => {
  const { asked, out } = await run(["values", "customField", "--name", "size", "--contains", "1"]);
  expect(Object.fromEntries(queryOf(asked[0]))).toMatchObject({ field: "customField", name: "size", contains: "1" });
  expect(out).toContain("Analytical Engines  1,200");
});

test("views are listed, saved, changed, and deleted by name", async () => {
  expect((await run(["views", "list"])).out).toContain(
    "Hot in Berlin  tags=hot, hasEmail=true  default  -createdAt  v1",
  );
  const saved = await run(["views", "save", "Hot", "--tags", "hot", "--column", "name", "--sort", "company"]);
  expect(saved.sent[0]?.body).toEqual({ name: "Hot", filters: { tags: ["hot"] }, columns: ["name"], sort: "company" });
  const renamed = await run(["views", "update", "Hot in Berlin", "--name", "Warm"]);
  expect(renamed.sent[0]).toMatchObject({ method: "PUT", path: "/leads/views/v1", body: { name: "Warm" } });
  expect(renamed.sent[0]?.body).not.toHaveProperty("filters");
  expect((await run(["views", "update", "v1"])).exitCode).toBe(2);
  const removed = await run(["views", "delete", "v1"]);
  expect(removed.sent[0]).toMatchObject({ method: "DELETE", path: "/leads/views/v1?userId=u-ada" });
});
