import { expect, setDefaultTimeout, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram, startServer } from "../support/program.ts";

setDefaultTimeout(60_000);

test("the doctor judges backups by what the server tells, and says when it was given other settings", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  const to = join(directory.path, "elsewhere");
  const settings = { OUTREACHD_BACKUP_TO: to, OUTREACHD_BACKUP_SCHEDULE: "15 3 * * *" };
  await using server = await startServer(dataDir, { env: settings });
  const made = await runProgram(["backup", "--data", dataDir, "--json"]);
  const { name } = JSON.parse(made.out.trim().split("\n").at(-1)!) as { name: string };
  const doctor = ["doctor", "--data", dataDir, "--offline"];
  const without = await runProgram(doctor);
  expect(without.out).toContain(`hours old (${name})`);
  expect(without.out).toContain(`Backups are stored on the same disk as the data (${to}).`);
  expect(without.out).toContain(`! The settings of this command differ from those of process ${server.pid}`);
  expect(without.out).toContain("According to the settings of this command: No external host is configured.");
  expect(without.out).not.toContain("No backup of this data directory");
  const same = await runProgram([...doctor, "--listen", "127.0.0.1:0"], { env: settings });
  expect(same.out).toContain("✓ No external host is configured.");
  expect(same.out).not.toContain("settings of this command");
  await server.stop();
  const alone = await runProgram(doctor);
  expect(alone.out).toContain(
    `According to the settings of this command: No backup of this data directory found in ${join(dataDir, "backups")}.`,
  );
});

test("the doctor tells why a server can't make backups, and why the last one failed", async () => {
  await using directory = await createDirectory();
  const dataDir = join(directory.path, "data");
  writeFileSync(join(directory.path, "file"), "");
  const settings = { OUTREACHD_BACKUP_TO: join(directory.path, "file", "backups") };
  await using server = await startServer(dataDir, { env: settings });
  expect((await runProgram(["backup", "--data", dataDir])).exitCode).toBe(1);
  const { out, exitCode } = await runProgram(["doctor", "--data", dataDir, "--offline"]);
  expect(out).toMatch(/✗ The backup destination .* is unavailable: a part of that path is a file/);
  expect(out).toContain("✗ The last backup failed: Backup failed: ENOTDIR");
  expect(out).not.toContain("No backup of this data directory");
  expect(out).not.toContain("on the same disk as the data");
  expect(exitCode).toBe(1);
  await server.stop();
});
