import { afterAll, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { BackupList, BackupRunView } from "../../src/features/backup/model.ts";
import type { Client } from "../support/client.ts";
import { startEventReceiver } from "../support/event-receiver.ts";
import { eventually, startService, succeeded } from "../support/service.ts";
import { startS3Server } from "../support/s3-server.ts";
import { unpack } from "../support/archives.ts";

const path = "/api/v2/backups";
const service = await startService({ settings: { BACKUP_KEEP: 2 } });
afterAll(() => service[Symbol.asyncDispose]());

async function made(client: Client, input?: object): Promise<BackupRunView> {
  const { data } = succeeded(await client.post<BackupRunView>(path, input));
  return await eventually(`the end of the backup ${data.name}`, async () => {
    const run = succeeded(await client.get<BackupRunView>(`${path}/${data.name}`)).data;
    return run.status === "running" ? null : run;
  });
}

async function told(client: Client): Promise<[string, Record<string, unknown>][]> {
  const query = { type: "backup.*" };
  type Events = { events: { type: string; data: Record<string, unknown> }[] };
  const { events } = succeeded(await client.get<Events>("/api/v2/events", { query })).data;
  return events.map(({ type, data }) => [type, data]);
}

test("a backup is begun at once, followed by its name, and holds what was there", async () => {
  await service.admin.post("/api/v2/leads", { email: "ada@example.com" });
  const begun = await service.admin.post<BackupRunView>(path);
  expect(begun).toMatchObject({ status: 202, data: { status: "running", endedAt: null, bytes: null, missing: [] } });
  const { name } = begun.data;
  expect(begun.headers.get("location")).toBe(`${path}/${name}`);
  const run = await eventually("the end of the backup", async () => {
    const { data } = await service.admin.get<BackupRunView>(`${path}/${name}`);
    return data.status === "running" ? null : data;
  });
  expect(run).toMatchObject({ name, status: "completed", progress: 100, message: "Complete", missing: [] });

  const answer = await fetch(`${service.url}${path}/${name}/download`, {
    headers: { "x-api-key": service.admin.key! },
  });
  expect(answer.headers.get("content-type")).toBe("application/zstd");
  expect(answer.headers.get("content-disposition")).toContain(`attachment; filename="${name}"`);
  const bytes = new Uint8Array(await answer.arrayBuffer());
  expect(bytes.length).toBe(run.bytes!);
  const directory = mkdtempSync(join(tmpdir(), "outreachd-unpacked-"));
  const { members } = await unpack(bytes, directory);
  expect(members.map((member) => member.name)).toEqual(["outreachd.db"]);
  expect((await Bun.file(join(directory, "outreachd.db")).text()).includes("ada@example.com")).toBe(true);
  rmSync(directory, { recursive: true });
});

test("the newest are kept, the list tells them first, and one that is deleted is gone", async () => {
  const names: string[] = [];
  for (let n = 0; n < 3; n++) names.unshift((await made(service.admin)).name);
  const list = (await service.admin.get<BackupList>(path)).data;
  expect(list.backups.map(({ name }) => name)).toEqual(names.slice(0, 2));
  expect(list).toMatchObject({ running: null, last: { name: names[0] }, keep: 2, schedule: null, problem: null });
  expect(list.place).toBe(join(service.dataDir, "backups"));
  const unpruned = await made(service.admin, { prune: false });
  expect((await service.admin.get<BackupList>(path)).data.backups).toHaveLength(3);
  expect((await service.admin.delete(`${path}/${unpruned.name}`)).status).toBe(200);
  expect((await service.admin.get<BackupList>(path)).data.backups.map(({ name }) => name)).toEqual(names.slice(0, 2));
  expect(await service.admin.delete(`${path}/${names[2]}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test("the end of a backup is told to admins, in the list and to their webhooks, and to nobody else", async () => {
  await using own = await startService({ settings: { WEBHOOK_PRIVATE_HOSTS: "127.0.0.1" } });
  await using receiver = await startEventReceiver();
  const member = await own.user();
  const endpointOf = async (client: Client, at: string) => {
    const input = { url: `${receiver.url}/${at}`, events: ["backup.*"] };
    return succeeded(await client.post<{ id: string; secret: string }>("/api/v2/webhooks", input)).data;
  };
  const others = await endpointOf(member, "member");
  receiver.use((await endpointOf(own.admin, "admin")).secret);
  const { name, bytes } = await made(own.admin);
  expect(await told(own.admin)).toEqual([["backup.completed", { name, bytes, missing: 0 }]]);
  expect(await told(member)).toEqual([]);
  expect((await receiver.has(() => true)).data).toMatchObject({ name, bytes, userId: null });
  const deliveries = await member.get<{ deliveries: object[] }>(`/api/v2/webhooks/${others.id}/deliveries`);
  expect(deliveries.data.deliveries).toEqual([]);
});

test.each([
  "none",
  "outreachd-20260105T100000000Z-0a1b2c3d.tar.zst",
  "outreachd-20260105T100000000Z.tar.zst",
  "..%2foutreachd.db",
  "outreachd.db",
])("%s is no backup", async (name) => {
  for (const suffix of ["", "/download"])
    expect(await service.admin.get(`${path}/${name}${suffix}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
  expect(await service.admin.delete(`${path}/${name}`)).toMatchObject({ status: 404, code: "NOT_FOUND" });
});

test("servers with one place see each other's backups, and take their turns without deleting them", async () => {
  const shared = mkdtempSync(join(tmpdir(), "outreachd-shared-"));
  const settings = { BACKUP_TO: shared, BACKUP_KEEP: 1 };
  await using one = await startService({ settings });
  await using other = await startService({ settings });
  const names: string[] = [];
  for (const { admin } of [one, other, one, other, one]) names.push((await made(admin)).name);
  const { backups } = (await other.admin.get<BackupList>(path)).data;
  expect(backups.map(({ name, isOwn }) => [name, isOwn])).toEqual([
    [names[4]!, false],
    [names[3]!, true],
  ]);
  await other.restart();
  const [foreign, kept] = (await other.admin.get<BackupList>(path)).data.backups;
  expect([foreign?.isOwn, kept?.isOwn]).toEqual([false, true]);
  expect(await other.admin.get(`${path}/${foreign!.name}`)).toMatchObject({ status: 200 });
  expect((await other.admin.delete(`${path}/${foreign!.name}`)).status).toBe(200);
  expect((await one.admin.get<BackupList>(path)).data.backups.map(({ isOwn }) => isOwn)).toEqual([false]);
  rmSync(shared, { recursive: true });
});

test("only admins make and get backups, whatever a member's key may do", async () => {
  const member = await service.user();
  const { name } = await made(service.admin);
  for (const answer of [
    await member.post(path),
    await member.get(path),
    await member.get(`${path}/${name}`),
    await member.get(`${path}/${name}/download`),
    await member.delete(`${path}/${name}`),
  ])
    expect(answer).toMatchObject({ status: 403, code: "PERMISSION_DENIED" });
});

test("a place that can't be written to fails the backup, with the reason", async () => {
  const directory = mkdtempSync(join(tmpdir(), "outreachd-place-"));
  await Bun.write(join(directory, "file"), "");
  await using broken = await startService({ settings: { BACKUP_TO: join(directory, "file", "backups") } });
  const run = await made(broken.admin);
  expect(run.status).toBe("failed");
  expect(run.message).toMatch(/^Backup failed: .*ENOTDIR/);
  expect(await told(broken.admin)).toEqual([["backup.failed", { name: run.name, reason: run.message }]]);
  expect(readdirSync(broken.dataDir).filter((name) => name.includes("snapshot"))).toEqual([]);
  const list = succeeded(await broken.admin.get<BackupList>(path)).data;
  expect(list).toMatchObject({ backups: [], last: { name: run.name, message: run.message }, schedule: null });
  expect(list.problem).toContain(`The backup destination ${list.place} is unavailable: a part of that path is a file`);
  expect(list.problem).toContain("with backup-to");
  const absent = await broken.admin.get(`${path}/outreachd-20260105T100000000Z.tar.zst/download`);
  expect(absent).toMatchObject({ status: 503, code: "SERVICE_UNAVAILABLE" });
  expect(absent.message).toContain("is unavailable: a part of that path is a file");
  rmSync(directory, { recursive: true });
});

test("backups go to S3 and come back from there", async () => {
  await using s3 = startS3Server();
  await using remote = await startService({
    settings: {
      BACKUP_TO: "s3://backups/team",
      BACKUP_S3_ENDPOINT: s3.url,
      BACKUP_S3_ACCESS_KEY_ID: s3.accessKeyId,
      BACKUP_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    },
  });
  const { name } = await made(remote.admin);
  expect([...s3.objects.keys()]).toEqual([`team/${name}`]);
  const answer = await fetch(`${remote.url}${path}/${name}/download`, { headers: { "x-api-key": remote.admin.key! } });
  expect(new Uint8Array(await answer.arrayBuffer())).toEqual(Uint8Array.from(s3.objects.get(`team/${name}`)!));
  s3.faults.fails = (method) => method === "POST" || method === "PUT";
  expect(await made(remote.admin)).toMatchObject({ status: "failed", message: "Backup failed: SlowDown" });
  await s3.stop();
  const unreachable = await made(remote.admin);
  expect(succeeded(await remote.admin.get<BackupList>(path)).data).toMatchObject({
    backups: [],
    last: { name: unreachable.name, status: "failed" },
    problem: expect.stringContaining(`${s3.url} is unreachable (ConnectionRefused). Check the service, the bucket`),
  });
  expect((await told(remote.admin)).map(([type, { name: of, reason }]) => [type, of, reason])).toEqual([
    ["backup.failed", unreachable.name, `Backup failed: ${s3.url} is unreachable (ConnectionRefused)`],
    ["backup.failed", expect.any(String), "Backup failed: SlowDown"],
    ["backup.completed", name, undefined],
  ]);
});
