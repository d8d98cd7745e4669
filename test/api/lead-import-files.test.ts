import { afterAll, expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { eventually, startService, succeeded, testEmbedded, usesBinary } from "../support/service.ts";
import {
  type LeadPage,
  send,
  importFile,
  leadsOf,
  keptFiles,
  fileIsRemoved,
  people,
} from "../support/lead-import-api.ts";

/** Serves all tests of this file: each has users of its own, who see nothing of each other. */
const service = await startService();

afterAll(() => service[Symbol.asyncDispose]());

const xlsx = new Uint8Array([0x50, 0x4b, 0x03, 0x04, ...new Uint8Array(200)]);

/** As a stream, so that no length is announced. */
function inChunks(text: string, size = 1000): ReadableStream<Uint8Array> {
  const bytes = new TextEncoder().encode(text);
  let sent = 0;
  return new ReadableStream({
    pull(controller) {
      if (sent >= bytes.length) return controller.close();
      controller.enqueue(bytes.slice(sent, (sent += size)));
    },
  });
}

test.each<[string, string | Uint8Array, string]>([
  ["a damaged Excel workbook", xlsx, "damaged"],
  ["a PDF", "%PDF-1.7 ...", "notText"],
  ["a web page", "<!DOCTYPE html><table><tr><td>email</td></tr></table>", "notText"],
  ["binary data", new Uint8Array(500).map((_, index) => (index * 7) % 256), "notText"],
  ["a JSON list", '[{"email":"ada@example.com"}]', "notText"],
  ["nothing but spaces", "  \n\n  ", "empty"],
  ["prose", "Dear Sir or Madam,\nwhat is this?\n", "noColumns"],
  ["a table of something else", "shoe,size\nboot,38\n", "noColumns"],
])("a file that is %s fails with a reason that helps", async (_what, file, reason) => {
  const user = await service.user();
  const { data } = succeeded(await send(user, file, {}, "application/octet-stream"));
  const job = await service.ended(user, data.id);
  expect(job).toMatchObject({ status: "failed", metadata: { reason } });
  expect(job.message).toMatch(/^[A-Z].{10,}\.$/s);
  expect(job.completedAt).not.toBeNull();
  await fileIsRemoved(service, job);
});

test("an empty body is refused and makes no job", async () => {
  const user = await service.user();
  for (const body of ["", new Uint8Array(0), undefined])
    expect(await send(user, body)).toMatchObject({ status: 400, code: "VALIDATION_ERROR" });
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("a file comes in chunks, too", async () => {
  const user = await service.user();
  expect((await importFile(service, user, inChunks(people, 7))).metadata).toMatchObject({
    created: 2,
    bytes: people.length,
  });
});

test("a file that is larger than allowed is refused, announced or not, and leaves nothing behind", async () => {
  await using small = await startService({ settings: { MAX_IMPORT_BYTES: 2048 } });
  const user = await small.user();
  const file = `email\n${"somebody@example.com\n".repeat(200)}`;
  for (const body of [file, inChunks(file)]) {
    const refused = await send(user, body);
    expect(refused).toMatchObject({ status: 413, code: "PAYLOAD_TOO_LARGE", details: { maxBytes: 2048 } });
  }
  const atLimit = `email\n${"x".repeat(2048 - 6)}`;
  expect((await send(user, atLimit)).status).toBe(202);
  await small.idle();
  await eventually("no file is left", async () => ((await keptFiles(small.dataDir)).length === 0 ? true : null));
});

test("a client that goes away in the middle leaves no file and no job", async () => {
  await using own = await startService();
  const user = await own.user();
  const abort = new AbortController();
  let isStored = false;
  const body = new ReadableStream<Uint8Array>({
    async start(controller) {
      controller.enqueue(new TextEncoder().encode(people));
      await eventually("the file is being taken in", async () =>
        (await keptFiles(own.dataDir)).length > 0 ? true : null,
      );
      isStored = true;
      abort.abort();
    },
  });
  const sent = user.post("/api/v2/leads/import", body, {
    headers: { "content-type": "text/csv" },
    signal: abort.signal,
  });
  expect(
    await sent.then(
      () => "answered",
      () => "aborted",
    ),
  ).toBe("aborted");
  expect(isStored).toBe(true);
  await eventually("the file is removed", async () => ((await keptFiles(own.dataDir)).length === 0 ? true : null));
  expect((await user.get("/api/v2/users/jobs")).data).toMatchObject({ jobs: [] });
});

test("imports run one after the other, and one that waits can be canceled and run again later", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 5000 }, (_, index) => `x${index}@example.com`);
  const long = succeeded(await send(user, `email\n${rows.join("\n")}\n`)).data;
  const waiting = succeeded(await send(user, people)).data;
  const canceled = await user.post<JobView>(`/api/v2/users/jobs/${waiting.id}/cancel`);
  expect(canceled.data).toMatchObject({ status: "failed", message: "Canceled", metadata: { canceled: true } });
  expect((await own.ended(user, long.id)).metadata).toMatchObject({ created: 5000 });
  expect((await user.get("/api/v2/leads")).data).toMatchObject({ total: 5000 });
  const again = await user.post<JobView>(`/api/v2/users/jobs/${waiting.id}/retry`);
  expect(again.data).toMatchObject({ status: "pending" });
  expect((await own.ended(user, waiting.id)).metadata).toMatchObject({ created: 2 });
});

testEmbedded("the file of a canceled import goes when nobody can retry it any more, without a restart", async () => {
  await using own = await startService({ settings: { SIMULATE: "true" } });
  const rows = Array.from({ length: 5000 }, (_, index) => `x${index}@example.com`);
  const long = succeeded(await send(own.admin, `email\n${rows.join("\n")}\n`)).data;
  const waiting = succeeded(await send(own.admin, people)).data;
  const advance = async (duration: string) =>
    succeeded(await own.admin.post("/api/v2/simulation/clock", { advance: duration }));
  succeeded(await own.admin.post(`/api/v2/users/jobs/${waiting.id}/cancel`));
  await own.ended(own.admin, long.id);
  await advance("P6D");
  expect(await keptFiles(own.dataDir)).toEqual([waiting.id]);
  await advance("P3D");
  expect(await keptFiles(own.dataDir)).toEqual([]);
});

test("an import that is canceled while it runs stores nothing more", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 30_000 }, (_, index) => `x${index}@example.com`);
  const { data } = succeeded(await send(user, `email\n${rows.join("\n")}\n`));
  await eventually("the first leads", async () =>
    (await user.get<LeadPage>("/api/v2/leads")).data.total > 0 ? true : null,
  );
  const canceled = succeeded(await user.post<JobView>(`/api/v2/users/jobs/${data.id}/cancel`)).data;
  const { total } = (await user.get<LeadPage>("/api/v2/leads")).data;
  expect(total).toBeLessThan(30_000);
  expect(canceled.metadata).toMatchObject({ created: total, canceled: true });
  await own.idle();
  expect((await user.get<LeadPage>("/api/v2/leads")).data.total).toBe(total);
});

test("an import that a stop interrupts goes on after the start, and stores every row once", async () => {
  await using own = await startService();
  const user = await own.user();
  const rows = Array.from({ length: 20_000 }, (_, index) => `x${index}@example.com`);
  const { data } = succeeded(await send(user, `email\n${rows.join("\n")}\n`, { onDuplicate: "create" }));
  await eventually("the first leads", async () =>
    (await user.get<LeadPage>("/api/v2/leads")).data.total > 0 ? true : null,
  );
  await own.restart();
  const job = await own.ended(user, data.id);
  expect(job).toMatchObject({ status: "completed", metadata: { rows: 20_000, created: 20_000 } });
  expect((await user.get<LeadPage>("/api/v2/leads")).data.total).toBe(20_000);
});

test("a lead can't be made, read or changed through the words import and export", async () => {
  const user = await service.user();
  expect((await user.get("/api/v2/leads/import")).status).toBe(404);
  expect((await user.delete("/api/v2/leads/export")).status).toBe(404);
  expect((await user.post("/api/v2/leads/export", {})).status).toBe(405);
});

test.skipIf(usesBinary)("imports of many users at the same time keep apart", async () => {
  const users = await Promise.all(Array.from({ length: 5 }, () => service.user()));
  await Promise.all(users.map((user, index) => importFile(service, user, `email\nonly-${index}@example.com\n`)));
  for (const [index, user] of users.entries())
    expect((await leadsOf(user)).map(({ email }) => email)).toEqual([`only-${index}@example.com`]);
});
