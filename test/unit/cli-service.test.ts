import { expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { requireServiceUser, requireVisible, unitFor } from "../../src/surfaces/cli/service.ts";
import { createCommandLine } from "../support/command-line.ts";

test("the unit runs this executable, as a user of its own, and is not restarted for a wrong configuration", () => {
  const text = unitFor("/opt/out reach/outreachd", { config: "/etc/outreachd.toml" });
  expect(text).toContain('\nExecStart="/opt/out reach/outreachd" serve --config /etc/outreachd.toml\n');
  for (const line of ["DynamicUser=yes", "StateDirectory=outreachd", "RestartPreventExitStatus=2"])
    expect(text).toContain(`\n${line}\n`);
  expect(text).toContain("\nEnvironment=OUTREACHD_DATA=/var/lib/outreachd\n");
});

test("another data directory needs a user that owns it", () => {
  const text = unitFor("/usr/local/bin/outreachd", { data: "/srv/100% mine" });
  expect(text).toContain('\nEnvironment="OUTREACHD_DATA=/srv/100%% mine"\n');
  expect(text).toContain('\nUser=outreachd\nReadWritePaths="/srv/100%% mine"\n');
  expect(text).not.toContain("DynamicUser");
  expect(text).not.toContain("\nStateDirectory");
  expect(unitFor("/usr/local/bin/outreachd", { data: "/var/lib/outreachd" })).toContain("DynamicUser=yes");
});

test("the unit in deploy/ is the one for /usr/local/bin", () => {
  const file = readFileSync(join(import.meta.dir, "../../deploy/systemd/outreachd.service"), "utf8");
  expect(unitFor("/usr/local/bin/outreachd", {})).toBe(file);
});

test("what the service cannot see is refused", () => {
  const installed = "/usr/local/bin/outreachd";
  for (const path of ["/tmp/outreachd", "/home/ada/bin/outreachd", "/var/tmp/../tmp/outreachd", "/root/outreachd"])
    expect(() => requireVisible(path, {})).toThrow(/^The service cannot see /);
  expect(() => requireVisible(installed, { data: "/home/ada/data" })).toThrow("/home/ada/data");
  expect(() => requireVisible(installed, { config: "/root/outreachd.toml" })).toThrow("/root/outreachd.toml");
  expect(() => requireVisible("/homes/outreachd", { data: "/srv/tmp", config: "/etc/outreachd.toml" })).not.toThrow();
});

test("another data directory is refused unless its user exists", () => {
  const asked: string[] = [];
  const none = (name: string) => asked.push(name) < 0;
  expect(() => requireServiceUser("/srv/outreachd", none)).toThrow("runs as the user outreachd, who does not exist.");
  expect(asked).toEqual(["outreachd"]);
  expect(() => requireServiceUser("/srv/outreachd", () => true)).not.toThrow();
  expect(() => requireServiceUser("/var/lib/outreachd", none)).not.toThrow();
  expect(() => requireServiceUser(undefined, none)).not.toThrow();
});

test("the source cannot be installed as a service", async () => {
  await using cli = await createCommandLine();
  const { exitCode, err } = await cli.run("service", "install");
  expect(exitCode).toBe(1);
  expect(err).toContain("bun run build");
});

const analyze = Bun.which("systemd-analyze");
test.skipIf(analyze === null)("systemd accepts the unit", async () => {
  await using cli = await createCommandLine();
  const path = join(cli.directory, "outreachd.service");
  await Bun.write(path, unitFor("/bin/true", {}));
  const { exitCode, stderr } = Bun.spawnSync([analyze!, "verify", "--man=no", path]);
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
});
