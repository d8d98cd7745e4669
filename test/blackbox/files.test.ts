import { expect, setDefaultTimeout, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { CloneDetailView } from "../../src/features/voice/model.ts";
import { createDirectory, runProgram, startServer } from "../support/program.ts";
import { startS3Server } from "../support/s3-server.ts";
import { eventually } from "../support/service.ts";
import { cloneForm, spokenWav } from "../support/voices.ts";

setDefaultTimeout(300_000);

type S3Server = ReturnType<typeof startS3Server>;
type Server = { url: string; api: string; key: string };

const filesAt = (s3: S3Server, prefix = "team") => ({
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
  OUTREACHD_FILES: `s3://${s3.bucket}/${prefix}`,
  OUTREACHD_S3_ENDPOINT: s3.url,
  OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
  OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
});

const namesIn = (s3: S3Server, folder: string) =>
  [...s3.objects.keys()].filter((key) => key.startsWith(`team/${folder}/`)).toSorted();

async function serve(dataDir: string, s3: S3Server, key?: string) {
  const server = await startServer(dataDir, { env: filesAt(s3) });
  return { ...server, key: key ?? server.firstRun!.key };
}

function until(what: string, isTrue: () => Promise<boolean> | boolean): Promise<true> {
  return eventually(what, async () => ((await isTrue()) ? (true as const) : null), { patienceMs: 240_000 });
}

type Init = Omit<RequestInit, "headers"> & { headers?: Record<string, string> };

function request(server: Server, path: string, init: Init = {}): Promise<Response> {
  return fetch(server.api + path, { ...init, headers: { "x-api-key": server.key, ...init.headers } });
}

async function trainVoice(server: Server, wav: Uint8Array): Promise<string> {
  const made = await request(server, "/voice-clones", { method: "POST", body: cloneForm([["ada.wav", wav]]) });
  expect(made.status).toBe(200);
  const { voiceId } = ((await made.json()) as { data: { voiceId: string } }).data;
  await until("the training", async () => (await voiceOf(server, voiceId)).status !== "processing");
  expect(await voiceOf(server, voiceId)).toMatchObject({ status: "ready" });
  return voiceId;
}

async function voiceOf(server: Server, id: string): Promise<CloneDetailView> {
  return ((await (await request(server, `/voice-clones/${id}`)).json()) as { data: CloneDetailView }).data;
}

const preview = (server: Server, voiceId: string) =>
  request(server, `/voice-clones/${voiceId}/preview`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ text: "Hello there" }),
  });

test("with files in a bucket, voices are trained, heard, downloaded and deleted, leads are imported, and nothing stays in the data directory", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  const dataDir = join(directory.path, "data");
  const wav = await spokenWav(12);
  await using server = await serve(dataDir, s3);
  const voiceId = await trainVoice(server, wav);
  expect(namesIn(s3, "voice").map((key) => key.split(".").at(-1))).toEqual([
    "clip",
    "frames1",
    "original",
    "reference",
  ]);

  const [first, cached] = [await (await preview(server, voiceId)).bytes(), await preview(server, voiceId)];
  expect(namesIn(s3, "speech")).toHaveLength(1);
  // The first is streamed, so its header has no length.
  expect((await cached.bytes()).subarray(-20_000)).toEqual(first.subarray(-20_000));

  const { samples } = await voiceOf(server, voiceId);
  const audio = `/voice-clones/${voiceId}/samples/${samples[0]!.sampleId}/audio`;
  expect(await (await request(server, audio)).bytes()).toEqual(new Uint8Array(wav));
  const part = await request(server, audio, { headers: { range: "bytes=100-199" } });
  expect([part.status, part.headers.get("content-range")]).toEqual([206, `bytes 100-199/${wav.length}`]);
  expect(await part.bytes()).toEqual(new Uint8Array(wav.subarray(100, 200)));

  const imported = await runProgram(["import", "leads", "-", "--data", dataDir, "--json"], {
    stdin: "email\nada@example.com\ngrace@example.com\n",
  });
  expect(imported).toMatchObject({ exitCode: 0, out: expect.stringContaining('"created":2') });
  await until("the end of the import", () => namesIn(s3, "imports").length === 0);

  expect((await request(server, `/voice-clones/${voiceId}`, { method: "DELETE" })).status).toBe(200);
  expect([...s3.objects.keys()]).toEqual([]);
  expect(existsSync(join(dataDir, "blobs"))).toBe(false);
  await until("no local copies", () => readdirSync(join(dataDir, "scratch")).length === 0);
});

test("files in a bucket are in a backup, and a restore puts them into the bucket", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  await using other = startS3Server();
  const dataDir = join(directory.path, "data");
  const archive = join(directory.path, "backup.tar.zst");
  const wav = await spokenWav(12);
  let voiceId = "";
  let key = "";
  {
    await using server = await serve(dataDir, s3);
    voiceId = await trainVoice(server, wav);
    ({ key } = server);
    const made = await runProgram(["backup", "--data", dataDir, "--output", archive, "--json"]);
    expect(made).toMatchObject({ exitCode: 0, err: expect.any(String) });
  }
  const restoredDir = join(directory.path, "restored");
  const restored = await runProgram(["restore", archive, "--data", restoredDir, "--json"], { env: filesAt(other) });
  expect(restored).toMatchObject({ exitCode: 0, out: expect.stringContaining('"missing":[]') });
  expect(namesIn(other, "voice")).toEqual(namesIn(s3, "voice"));
  for (const name of namesIn(s3, "voice")) expect(other.objects.get(name)).toEqual(s3.objects.get(name));
  expect(existsSync(join(restoredDir, "blobs"))).toBe(false);
  await using server = await serve(restoredDir, other, key);
  expect((await preview(server, voiceId)).status).toBe(200);
  const doctor = await runProgram(["doctor", "--data", restoredDir, "--json"], { env: filesAt(other) });
  expect(doctor.out).toContain("files that rows refer to exist");
  other.objects.delete(namesIn(other, "voice").find((name) => name.endsWith(".original"))!);
  const after = await runProgram(["doctor", "--data", restoredDir, "--json"], { env: filesAt(other) });
  expect(after.out).toContain("Missing: 1 file that rows refer to");
});

test("a server does not start with a bucket that is missing, elsewhere, not its own, or another installation's", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server({ region: "us-east-1" });
  const start = async (change: Record<string, string>, dataDir = join(directory.path, "new")) => {
    const run = await runProgram(["serve", "--data", dataDir, "--listen", "127.0.0.1:0"], {
      env: { ...filesAt(s3), ...change },
    });
    expect(run.exitCode).not.toBe(0);
    return run.err;
  };
  expect(await start({ OUTREACHD_FILES: "s3://nowhere/team" })).toContain(
    "Cannot use the files in s3://nowhere/team: the bucket for files does not exist (NoSuchBucket).",
  );
  expect(await start({ OUTREACHD_S3_REGION: "eu-west-1" })).toContain("the bucket for files is in another region");
  expect(await start({ OUTREACHD_S3_SECRET_ACCESS_KEY: "wrong" })).toContain("refused the access key");
  expect(await start({ OUTREACHD_S3_ENDPOINT: "http://127.0.0.1:1" })).toContain("is unreachable (ConnectionRefused)");
  s3.objects.set("team/voice/x.reference", new Uint8Array(1));
  expect(await start({})).toContain("there are files of users in s3://backups/team");
  s3.objects.clear();
  const usedDir = join(directory.path, "used");
  expect((await runProgram(["user", "create", "ada@example.com", "--data", usedDir])).exitCode).toBe(0);
  mkdirSync(join(usedDir, "blobs", "voice"), { recursive: true });
  writeFileSync(join(usedDir, "blobs", "voice", "x.reference"), "x");
  expect(await start({}, usedDir)).toContain(`Files are still in ${join(usedDir, "blobs")}`);
});

test("while the bucket is unavailable, the server is not ready, refuses files with a reason, and goes on once it is back", async () => {
  await using directory = await createDirectory();
  await using s3 = startS3Server();
  const dataDir = join(directory.path, "data");
  await using server = await serve(dataDir, s3);
  const ready = async () => (await fetch(`${server.url}/readyz`)).status;
  expect(await ready()).toBe(200);
  s3.faults.fails = () => true;
  await until("the outage", async () => (await ready()) === 503);
  expect(await (await fetch(`${server.url}/readyz`)).text()).toContain("the S3 service for files is unavailable");
  for (const path of ["/healthz", "/readyz?exclude=files"]) expect((await fetch(server.url + path)).status).toBe(200);
  const upload = () =>
    request(server, "/leads/import", {
      method: "POST",
      headers: { "content-type": "text/csv" },
      body: "email\nada@example.com\n",
    });
  const refused = await upload();
  expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.any(String)]);
  expect(await refused.text()).toContain("The server's file storage is unavailable. Try again soon.");
  expect((await request(server, "/leads")).status).toBe(200);
  s3.faults.fails = () => false;
  await until("its end", async () => (await ready()) === 200);
  expect((await upload()).status).toBe(202);
});
