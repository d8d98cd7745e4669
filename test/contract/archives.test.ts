import { describe, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { ArchiveStore } from "../../src/features/backup/archive-store.ts";
import { archiveName } from "../../src/features/backup/model.ts";
import { createArchives } from "../../src/adapters/blobs/archives.ts";
import { createS3Archives } from "../../src/adapters/blobs/s3-archives.ts";
import { startS3Server } from "../support/s3-server.ts";

type Opened = {
  archives: ArchiveStore;
  /** Everything that lies there, by the name that it has there. */
  names: () => string[];
  put: (name: string, text: string) => Promise<unknown>;
  [Symbol.asyncDispose]: () => Promise<void>;
};

const places: Record<string, () => Promise<Opened>> = {
  "a directory": async () => {
    const root = mkdtempSync(join(tmpdir(), "outreachd-archives-"));
    const path = join(root, "not", "there yet");
    return {
      archives: createArchives({ kind: "disk", path }),
      names: () => (readdirSync(root).length === 0 ? [] : readdirSync(path)),
      put: (name, text) => Bun.write(join(path, name), text),
      [Symbol.asyncDispose]: async () => rmSync(root, { recursive: true }),
    };
  },
  "an S3 bucket": async () => {
    const server = startS3Server({ pageSize: 2 });
    return {
      archives: createArchives(bucketOf(server)),
      names: () => [...server.objects.keys()].map((key) => key.replace("team/one/", "")),
      put: async (name, text) => server.objects.set(`team/one/${name}`, Buffer.from(text)),
      [Symbol.asyncDispose]: async () => void (await server.stop()),
    };
  },
};

type S3Server = ReturnType<typeof startS3Server>;

function bucketOf({ bucket, url, accessKeyId, secretAccessKey }: S3Server) {
  const keys = { accessKeyId, secretAccessKey };
  return { kind: "s3" as const, bucket, prefix: "team/one", endpoint: url, region: "eu-central-1", ...keys };
}

const megabyte = 2 ** 20;
const first = archiveName(1_767_600_000_000, "0a1b2c3d");
/** Of another installation, at the same moment. */
const firstOfOther = archiveName(1_767_600_000_000, "ffffffff");
const second = archiveName(1_767_600_000_001, "0a1b2c3d");
/** By a version without ids. */
const third = "outreachd-20260105T080000002Z.tar.zst";

async function store(archives: ArchiveStore, name: string, megabytes = 1): Promise<void> {
  const sink = await archives.create(name);
  for (let n = 0; n < megabytes; n++) await sink.write(new Uint8Array(megabyte).fill(n));
  await sink.complete();
}

describe.each(Object.entries(places))("archives in %s", (_, open) => {
  test("nothing is there before anything was stored", async () => {
    await using place = await open();
    expect(await place.archives.list()).toEqual([]);
    expect(await place.archives.find(first)).toBeNull();
    await place.archives.sweep(() => true);
    await place.archives.remove(first);
  });

  test("what was written is found by its name and comes back as it was", async () => {
    await using place = await open();
    await store(place.archives, first, 40);
    const found = await place.archives.find(first);
    expect(found?.bytes).toBe(40 * megabyte);
    const bytes = new Uint8Array(await new Response(found?.stream()).arrayBuffer());
    expect(bytes.length).toBe(40 * megabyte);
    for (let n = 0; n < 40; n++) expect([bytes[n * megabyte], bytes[(n + 1) * megabyte - 1]]).toEqual([n, n]);
  });

  test("the list begins with the newest, and passes over what is none of ours", async () => {
    await using place = await open();
    for (const name of [second, firstOfOther, first, third]) await store(place.archives, name);
    for (const name of ["notes.txt", `${first}.old`, "outreachd-2026.tar.zst", first.replace("3d", "3x")])
      await place.put(name, "mine");
    const sizes = [third, second, firstOfOther, first].map((name) => ({ name, bytes: megabyte }));
    expect(await place.archives.list()).toEqual(sizes);
    expect(await place.archives.find("notes.txt")).toBeNull();
  });

  test("one that is removed is gone, and the others stay", async () => {
    await using place = await open();
    for (const name of [first, second]) await store(place.archives, name);
    await place.archives.remove(first);
    await place.archives.remove(first);
    expect(place.names()).toEqual([second]);
  });

  test("an archive is not there before it is complete, and never when it is discarded", async () => {
    await using place = await open();
    const sink = await place.archives.create(first);
    for (let n = 0; n < 20; n++) await sink.write(new Uint8Array(megabyte));
    expect(await place.archives.list()).toEqual([]);
    expect(await place.archives.find(first)).toBeNull();
    await sink.discard();
    expect(place.names()).toEqual([]);
  });
});

test("a directory and its archives can be read by nobody else", async () => {
  const root = mkdtempSync(join(tmpdir(), "outreachd-archives-"));
  const path = join(root, "backups");
  await store(createArchives({ kind: "disk", path }), first);
  expect(statSync(path).mode & 0o777).toBe(0o700);
  expect(statSync(join(path, first)).mode & 0o777).toBe(0o600);
  rmSync(root, { recursive: true });
});

test("a writer goes on while a writer of another installation begins and sweeps, in one place", async () => {
  await using place = await places["a directory"]!();
  const [one, other] = [await place.archives.create(first), await place.archives.create(firstOfOther)];
  await place.archives.sweep((name) => name === firstOfOther);
  for (const sink of [one, other]) await sink.write(new Uint8Array(megabyte));
  await one.complete();
  await expect(other.complete()).rejects.toThrow("ENOENT");
  await other.discard();
  expect(place.names()).toEqual([first]);
});

test("a directory replaces no archive, and sweeps only what its own writers left", async () => {
  await using place = await places["a directory"]!();
  await store(place.archives, first);
  const sink = await place.archives.create(first);
  await expect(sink.complete()).rejects.toThrow("EEXIST");
  await sink.discard();
  await place.put(`${second}.part`, "cut off");
  await place.put("thesis.part", "mine");
  await place.put(`${third}.part`, "of another, perhaps");
  await place.archives.sweep((name) => name === second);
  expect(place.names().toSorted()).toEqual([first, `${third}.part`, "thesis.part"]);
});

test.each(["uploads", "partNumber", "uploadId"])(
  "when S3 fails at %s there is an error, and no archive",
  async (parameter) => {
    await using server = startS3Server();
    const archives = createArchives(bucketOf(server));
    server.faults.fails = (method, url) => method !== "GET" && url.searchParams.has(parameter);
    await expect(store(archives, first, 40)).rejects.toThrow("SlowDown");
    server.faults.fails = () => false;
    expect(await archives.list()).toEqual([]);
  },
);

test("an S3 service that can't be reached is told by its address", async () => {
  const server = startS3Server();
  const archives = createArchives(bucketOf(server));
  await server.stop();
  const work = [
    () => archives.list(),
    () => archives.find(first),
    () => archives.remove(first),
    () => store(archives, first),
  ];
  for (const ask of work) await expect(ask()).rejects.toThrow(`${server.url} is unreachable (ConnectionRefused)`);
});

test("an S3 service that takes connections and says nothing is not waited for without end", async () => {
  using silent = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } });
  const endpoint = `http://127.0.0.1:${silent.port}`;
  const keys = { accessKeyId: "a", secretAccessKey: "b" };
  const place = { kind: "s3" as const, bucket: "backups", prefix: "", endpoint, region: "eu-central-1", ...keys };
  const archives = createS3Archives(place, { answerMs: 20, partMs: 30 });
  for (const ask of [() => archives.list(), () => archives.find(first), () => archives.remove(first)])
    await expect(ask()).rejects.toThrow(`${endpoint} did not respond within 0.02 seconds`);
  await expect(store(archives, first, 40)).rejects.toThrow(`${endpoint} did not respond within 0.03 seconds`);
});

test("wrong keys of S3 are told", async () => {
  await using server = startS3Server();
  const archives = createArchives({ ...bucketOf(server), secretAccessKey: "wrong" });
  await expect(archives.list()).rejects.toThrow("SignatureDoesNotMatch");
  await expect(store(archives, first)).rejects.toThrow("SignatureDoesNotMatch");
});
