import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "yaml";
import { eventually, startService, usesPostgres } from "../support/service.ts";

/** The rules and the dashboard in deploy/monitoring/ against the metrics of a server, and against Prometheus' own tool. */

const folder = join(import.meta.dir, "../../deploy/monitoring");
const read = (name: string) => readFileSync(join(folder, name), "utf8");
const promtool = Bun.which("promtool");

type Dashboard = { panels: { title: string; targets: { expr: string }[] }[] };

function expressions(): string[] {
  const { groups } = parse(read("outreachd.rules.yaml")) as { groups: { rules: { expr: string }[] }[] };
  const { panels } = JSON.parse(read("grafana-dashboard.json")) as Dashboard;
  return [
    ...groups.flatMap(({ rules }) => rules.map(({ expr }) => expr)),
    ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
  ];
}

test("rules and dashboard use only metrics that a server has", async () => {
  await using service = await startService();
  const { body } = await service.admin.get("/metrics");
  const names = new Set([...String(body).matchAll(/^# TYPE (\S+)/gm)].map(([, name = ""]) => name));
  const used = expressions().flatMap((text) => text.match(/\b(?:outreachd|process)_\w+/g) ?? []);
  expect(used.length).toBeGreaterThan(30);
  const unknown = used.filter((name) => !names.has(name) && !names.has(name.replace(/_(?:bucket|sum|count)$/, "")));
  const onPostgresOnly = ["outreachd_chore_holder"];
  expect(unknown.filter((name) => usesPostgres || !onPostgresOnly.includes(name))).toEqual([]);
});

test
  .skipIf(promtool === null)
  .each([
    "check rules outreachd.rules.yaml",
    "test rules outreachd.test.yaml",
    "check config --syntax-only prometheus.yaml",
  ])("promtool accepts: %s", async (line) => {
  const child = Bun.spawn([promtool!, ...line.split(" ")], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const output = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect({ exitCode: await child.exited, output }).toMatchObject({ exitCode: 0 });
});

test("a backup is known by its time, also after a restart", async () => {
  await using service = await startService({ settings: { BACKUP_SCHEDULE: "15 3 * * *" } });
  const value = async (name: string) => {
    const { body } = await service.admin.get("/metrics");
    return Number(new RegExp(`^outreachd_backup_${name} (\\S+)$`, "m").exec(String(body))?.[1]);
  };
  expect([await value("last_success_timestamp_seconds"), await value("scheduled")]).toEqual([0, 1]);
  const before = Date.now() / 1000 - 1;
  await service.admin.post("/api/v2/backups", {});
  await eventually("the backup", async () => ((await value("last_success_timestamp_seconds")) > before ? true : null));
  expect(await value("last_failed")).toBe(0);
  await service.restart();
  await eventually("the backup to be found", async () =>
    (await value("last_success_timestamp_seconds")) > before ? true : null,
  );
});
