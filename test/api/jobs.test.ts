import { afterAll, expect, test } from "bun:test";
import { byteStream } from "../../src/platform/http/files.ts";
import { jobListPieces } from "../../src/platform/jobs/job-list.ts";
import type { JobDay, JobStatistics, JobView } from "../../src/platform/jobs/model.ts";
import type { NewKeyView } from "../../src/platform/auth/key-model.ts";
import type { Answer, Client, SendOptions } from "../support/client.ts";
import { FakeClock, startOfTests } from "../support/clock.ts";
import { createFactories } from "../support/factories.ts";
import { calmed, startService, succeeded, testInProcess } from "../support/service.ts";

/** Serves the tests of this file that do not start one of their own: each has users who see nothing of each other. */
const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

type History = { timeZone: string; days: JobDay[] };
type JobPage = { jobs: JobView[]; statistics: JobStatistics; nextCursor: string | null };

const root = "/api/v2/users/jobs";

const dayMs = 86_400_000;

async function schedule(client: Client, name: string, more: object = {}): Promise<string> {
  const body = { actionType: "sendConnectionRequest", profileUrl: `https://network.example/in/${name}`, ...more };
  return succeeded(await client.post<{ jobId: string }>("/api/v2/network/scheduleNetworkAction", body)).data.jobId;
}

async function importLeads(client: Client): Promise<string> {
  const headers = { "content-type": "text/csv" };
  return succeeded(await client.post<JobView>("/api/v2/leads/import", "email\nada@example.com\n", { headers })).data.id;
}

async function list(client: Client, query: SendOptions["query"] = {}): Promise<JobPage> {
  return succeeded(await client.get<JobPage>(root, { query })).data;
}

async function idsOf(client: Client, query: SendOptions["query"] = {}): Promise<string[]> {
  return (await list(client, query)).jobs.map(({ id }) => id);
}

function errorPaths(answer: Answer): string[] {
  return (answer.details?.["errors"] as { path: string }[]).map(({ path }) => path);
}

test("a user without jobs has an empty list", async () => {
  const user = await service.user();
  expect((await user.get(root)).body).toEqual({
    userId: user.userId,
    success: true,
    data: {
      jobs: [],
      statistics: { total: 0, pending: 0, running: 0, completed: 0, failed: 0, successRate: 0 },
      total: 0,
      nextCursor: null,
    },
  });
});

test("jobs are listed newest first with all their fields, and only to their owner", async () => {
  const user = await service.user();
  const first = await importLeads(user);
  await service.ended(user, first);
  const second = await schedule(user, "ada");
  expect(await idsOf(user)).toEqual([second, first]);
  expect((await list(user)).jobs[1]).toMatchObject({
    id: first,
    type: "lead_import",
    status: "completed",
    progress: 100,
    message: "Read 1 rows: 1 created, 0 updated, 0 skipped, 0 failed",
    metadata: { created: 1 },
  });
  const stranger = await service.user();
  expect(await idsOf(stranger)).toEqual([]);
  for (const [method, path] of [
    ["GET", ""],
    ["POST", "/cancel"],
    ["POST", "/retry"],
  ] as const)
    for (const id of [second, "nothing"])
      expect(await stranger.send(method, `${root}/${id}${path}`)).toMatchObject({
        status: 404,
        code: "NOT_FOUND",
        details: { resource: "job", id },
      });
});

testInProcess(
  "jobs are narrowed by when they were created, in seconds or milliseconds, both bounds included",
  async () => {
    const clock = new FakeClock();
    await using service = await startService({ clock });
    const user = await service.user();
    const ids = [];
    for (let index = 0; index < 3; index++) {
      ids.unshift(await schedule(user, `person-${index}`));
      clock.advance(10_000);
    }
    for (const at of [
      (seconds: number) => startOfTests / 1000 + seconds,
      (seconds: number) => startOfTests + seconds * 1000,
    ]) {
      expect(await idsOf(user, { startDate: at(10) })).toEqual(ids.slice(0, 2));
      expect(await idsOf(user, { startDate: at(11) })).toEqual(ids.slice(0, 1));
      expect(await idsOf(user, { endDate: at(10) })).toEqual(ids.slice(1));
      expect(await idsOf(user, { endDate: at(9) })).toEqual(ids.slice(2));
      expect(await idsOf(user, { startDate: at(5), endDate: at(15) })).toEqual(ids.slice(1, 2));
      expect(await idsOf(user, { startDate: at(100) })).toEqual([]);
    }
  },
);

testInProcess("jobs are narrowed by status and type, and the statistics are those of what is found", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock, settings: { CONNECTOR: "simulated" } });
  const user = await calmed(await service.user());
  const sent = await schedule(user, "ada");
  await service.idle();
  const waiting = await schedule(user, "bob");
  const gone = await schedule(user, "carl");
  await user.post(`${root}/${gone}/cancel`);
  const imported = await importLeads(user);
  await service.ended(user, imported);
  expect(await idsOf(user, { status: "completed" })).toEqual([imported, sent]);
  expect(await idsOf(user, { status: "pending" })).toEqual([waiting]);
  expect(await idsOf(user, { status: "failed", type: "linkedin_action" })).toEqual([gone]);
  expect(await idsOf(user, { type: "lead_import" })).toEqual([imported]);
  expect(await idsOf(user, { type: "data_enrichment" })).toEqual([]);
  expect((await list(user)).statistics).toEqual({
    total: 4,
    pending: 1,
    running: 0,
    completed: 2,
    failed: 1,
    successRate: 66.67,
  });
  expect((await list(user, { type: "linkedin_action" })).statistics).toEqual({
    total: 3,
    pending: 1,
    running: 0,
    completed: 1,
    failed: 1,
    successRate: 50,
  });
});

test.each([
  [{ status: "done" }, "status"],
  [{ type: "voice" }, "type"],
  [{ startDate: "yesterday" }, "startDate"],
  [{ endDate: "2026-01-01" }, "endDate"],
  [{ startDate: 20, endDate: 10 }, "startDate"],
  [{ limit: 0 }, "limit"],
  [{ limit: 1001 }, "limit"],
  [{ offset: -1 }, "offset"],
  [{ cursor: "nonsense" }, "cursor"],
])("a list of jobs with %j is refused", async (query, path) => {
  const refused = await service.admin.get(root, { query });
  expect(refused).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect(errorPaths(refused)).toEqual([path]);
});

test("dates beyond all calendars are no fault of the service", async () => {
  const user = await service.user();
  await schedule(user, "ada");
  expect(await idsOf(user, { startDate: "99999999999999999999" })).toEqual([]);
  expect(await idsOf(user, { startDate: "-99999999999", endDate: "99999999999999999999" })).toHaveLength(1);
});

test("a walk by cursor or by offset meets every job exactly once", async () => {
  const user = await service.user();
  const ids = [];
  for (let index = 0; index < 7; index++) ids.unshift(await schedule(user, `person-${index}`));
  const walked: string[] = [];
  for (let cursor: string | null = ""; cursor !== null;) {
    const page: JobPage = await list(user, { limit: 3, cursor });
    walked.push(...page.jobs.map(({ id }) => id));
    cursor = page.nextCursor;
  }
  expect(walked).toEqual(ids);
  const pages = await Promise.all([0, 3, 6, 9].map((offset) => idsOf(user, { limit: 3, offset })));
  expect(pages.flat()).toEqual(ids);
});

test("a job that has ended can't be canceled, and one that has not failed can't be retried", async () => {
  const user = await service.user();
  const done = await importLeads(user);
  await service.ended(user, done);
  expect(await user.post(`${root}/${done}/cancel`)).toMatchObject({
    status: 409,
    code: "CONFLICT",
    details: { status: "completed" },
  });
  expect(await user.post(`${root}/${done}/retry`)).toMatchObject({
    status: 409,
    code: "CONFLICT",
    details: { status: "completed" },
  });
});

testInProcess("a retried job loses its end and its mark of being canceled", async () => {
  const clock = new FakeClock();
  await using service = await startService({ clock, settings: { CONNECTOR: "simulated" } });
  const user = await calmed(await service.user());
  await schedule(user, "first");
  await service.idle();
  const id = await schedule(user, "ada");
  const canceled = await user.post<JobView>(`${root}/${id}/cancel`);
  expect(canceled.data.completedAt).toBe(new Date(clock.now()).toISOString());
  const retried = await user.post<JobView>(`${root}/${id}/retry`);
  expect(retried.data).toMatchObject({ status: "pending", completedAt: null });
  expect(retried.data.metadata["canceled"]).toBeUndefined();
  for (const step of [15 * 60_000, 0]) {
    await service.idle();
    clock.advance(step);
  }
  await service.idle();
  expect((await user.get<JobView>(`${root}/${id}`)).data).toMatchObject({ status: "completed" });
});

test("a job waits, is canceled once, and stays canceled over a restart", async () => {
  await using service = await startService();
  const user = await service.user();
  await schedule(user, "first");
  const id = await schedule(user, "ada");
  const answers = await Promise.all(Array.from({ length: 5 }, () => user.post(`${root}/${id}/cancel`)));
  expect(answers.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409, 409, 409, 409]);
  await service.restart();
  expect((await user.get<JobView>(`${root}/${id}`)).data).toMatchObject({
    status: "failed",
    metadata: { canceled: true },
  });
});

test("without paging the list has all jobs of its range, and the statistics count exactly those", async () => {
  await using service = await startService({ settings: { ENRICHMENTS_PER_HOUR: "0" } });
  const user = await service.user();
  const globalKey = await service.globalKey();
  // Nothing is known of these, so that none costs a credit; each is a job.
  const count = 1_030;
  for (let n = 0; n < count; n += 103)
    await Promise.all(
      Array.from({ length: 103 }, () => user.post("/api/v2/enrich", { leads: [{ leadId: "unknown" }] })),
    );
  // Not before tomorrow: in working hours it would go out at once.
  const waiting = await schedule(user, "ada", { notBefore: new Date(Date.now() + dayMs).toISOString() });
  const statistics = { total: count + 1, pending: 1, running: 0, completed: count, failed: 0, successRate: 100 };
  for (const [client, path] of [
    [user, root],
    [globalKey, `${root}/userJobStatus/${user.userId}`],
  ] as const) {
    const { data } = succeeded(await client.get<JobPage>(path));
    expect(data).toMatchObject({ statistics, nextCursor: null });
    expect(new Set(data.jobs.map(({ id }) => id)).size).toBe(count + 1);
    expect(data.jobs[0]?.id).toBe(waiting);
    const paged: string[] = [];
    for (let cursor: string | null = ""; cursor !== null;) {
      const query: Record<string, string | number> = cursor === "" ? { limit: 500 } : { limit: 500, cursor };
      const { data: page } = succeeded(await client.get<JobPage>(path, { query }));
      expect(page.statistics).toEqual(statistics);
      paged.push(...page.jobs.map(({ id }) => id));
      cursor = page.nextCursor;
    }
    expect(paged).toEqual(data.jobs.map(({ id }) => id));
    const { data: some } = succeeded(await client.get<JobPage>(path, { query: { status: "pending" } }));
    expect(some).toMatchObject({ jobs: [{ id: waiting }], statistics: { total: 1, pending: 1 } });
    expect((await client.get<JobPage>(path, { query: { offset: 1 } })).data.jobs).toHaveLength(100);
  }
}, 60_000);

test("the list of all jobs is made as it is read, one page of jobs at a time", async () => {
  const make = createFactories();
  let read = 0;
  async function* pages() {
    for (; read < 1_000; read++) yield Array.from({ length: 100 }, () => make.job("user"));
  }
  const reader = (await byteStream(jobListPieces("user", pages()), () => {})).getReader();
  await reader.read();
  expect(read).toBeLessThan(4);
  let last = "";
  for (let { done, value } = await reader.read(); !done; { done, value } = await reader.read())
    last = Buffer.from(value!).toString();
  expect(read).toBe(1_000);
  expect(JSON.parse(`{"data":{"jobs":[${last}`)).toMatchObject({
    data: { statistics: { total: 100_000, pending: 100_000 }, nextCursor: null },
  });
});

test("the legacy list shows a named user's jobs to a global key and to that user", async () => {
  const user = await service.user();
  const id = await schedule(user, "ada");
  const key = await service.globalKey();
  const legacy = `${root}/userJobStatus/${user.userId}`;
  for (const client of [key, user])
    expect((await client.get<JobPage>(legacy)).body).toMatchObject({
      userId: user.userId,
      success: true,
      data: { jobs: [{ id }] },
    });
  expect((await key.get<JobPage>(legacy, { query: { status: "completed" } })).data.jobs).toEqual([]);
  expect(await (await service.user()).get(legacy)).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
  expect((await key.get<JobPage>(`${root}/userJobStatus/nobody`)).data).toMatchObject({
    jobs: [],
    statistics: { total: 0 },
  });
});

test("the legacy route for one job takes it from the query", async () => {
  const user = await service.user();
  const id = await schedule(user, "ada");
  const key = await service.globalKey();
  expect((await user.get<JobView>(`${root}/jobStatus`, { query: { jobId: id } })).data).toMatchObject({ id });
  expect(
    (await key.get<JobView>(`${root}/jobStatus`, { query: { jobId: id, userId: user.userId } })).data,
  ).toMatchObject({ id });
  expect(errorPaths(await user.get(`${root}/jobStatus`))).toEqual(["jobId"]);
  expect(await user.get(`${root}/jobStatus`, { query: { jobId: "nothing" } })).toMatchObject({
    status: 404,
    details: { resource: "job" },
  });
  expect((await (await service.user()).get(`${root}/jobStatus`, { query: { jobId: id } })).status).toBe(404);
});

test("the legacy counts are one's own, or with a global key of all users or of one", async () => {
  await using service = await startService();
  const ada = await service.user();
  const bob = await service.user();
  await schedule(ada, "x");
  await schedule(ada, "y");
  await schedule(bob, "x");
  const key = await service.globalKey();
  const total = async (client: Client, query: SendOptions["query"] = {}) =>
    (await client.get<JobStatistics>(`${root}/jobCounts`, { query })).data.total;
  expect(await total(ada)).toBe(2);
  expect(await total(bob)).toBe(1);
  expect(await total(key)).toBe(3);
  expect(await total(key, { userId: ada.userId })).toBe(2);
  expect(await ada.get(`${root}/jobCounts`, { query: { userId: bob.userId } })).toMatchObject({
    status: 403,
    code: "PERMISSION_DENIED",
  });
});

test("the message of a job can be changed by its owner and with a global key, and by nobody else", async () => {
  const user = await service.user();
  const id = await schedule(user, "ada");
  const path = `${root}/editJobMessage/${id}`;
  expect((await user.put<JobView>(path, { message: "Mine" })).data).toMatchObject({ id, message: "Mine" });
  expect((await (await service.globalKey()).put<JobView>(path, { message: "Ours" })).data.message).toBe("Ours");
  expect(await (await service.user()).put(path, { message: "Theirs" })).toMatchObject({
    status: 404,
    details: { resource: "job", id },
  });
  expect((await user.get<JobView>(`${root}/${id}`)).data.message).toBe("Ours");
  for (const message of ["", "x".repeat(2001), 5, undefined])
    expect(errorPaths(await user.put(path, { message }))).toEqual(["message"]);
});

test("a key without jobs:update reads jobs but does not change them", async () => {
  const user = await service.user();
  const id = await schedule(user, "ada");
  const reader: Client = service.client(
    succeeded(await user.post<NewKeyView>("/api/v2/keys", { name: "reader", permissions: ["users:read", "jobs:read"] }))
      .data.key,
  );
  expect((await reader.get(`${root}/${id}`)).status).toBe(200);
  for (const action of ["cancel", "retry"]) expect((await reader.post(`${root}/${id}/${action}`)).status).toBe(403);
});

testInProcess("jobs are counted by the days of the person's time zone, up to today", async () => {
  // Half past midnight in Calcutta, five and a half hours ahead.
  const clock = new FakeClock(Date.parse("2026-03-01T19:00:00Z"));
  await using own = await startService({ clock });
  const user = await own.user({ timeZone: "Asia/Kolkata" });
  const importing = () =>
    user.post("/api/v2/leads/import", "email\na@example.com\n", { headers: { "content-type": "text/csv" } });
  await importing();
  clock.set(Date.parse("2026-03-02T19:00:00Z"));
  await importing();
  await importing();
  const { data } = succeeded(await user.get<History>("/api/v2/users/jobs/history", { query: { days: 3 } }));
  expect(data.timeZone).toBe("Asia/Kolkata");
  // Whether the runner has got to them yet does not matter.
  const totals = data.days.map(({ date, pending, running, completed, failed }) => ({
    date,
    jobs: pending + running + completed + failed,
  }));
  expect(totals).toEqual([
    { date: "2026-03-01", jobs: 0 },
    { date: "2026-03-02", jobs: 1 },
    { date: "2026-03-03", jobs: 2 },
  ]);
});
