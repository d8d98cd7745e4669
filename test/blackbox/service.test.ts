import { expect, test } from "bun:test";
import { chmodSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram } from "../support/program.ts";

const binary = process.env["OUTREACHD_TEST_BINARY"];

test.skipIf(!binary)("the executable writes its unit once, again, and over no other", async () => {
  await using directory = await createDirectory();
  const unit = join(directory.path, "outreachd.service");
  const calls = join(directory.path, "calls");
  const systemctl = join(directory.path, "systemctl");
  writeFileSync(systemctl, `#!/bin/sh\necho "$@" >>"${calls}"\n`);
  chmodSync(systemctl, 0o755);
  const env = { PATH: `${directory.path}:${process.env["PATH"]}` };
  const install = (...args: string[]) => runProgram(["service", "install", "--unit", unit, ...args], { env });
  expect((await install("--start")).exitCode).toBe(0);
  expect((await install()).exitCode).toBe(0);
  expect(readFileSync(unit, "utf8")).toContain(`\nExecStart=${binary} serve\n`);
  expect(statSync(unit).mode & 0o777).toBe(0o644);
  expect(readFileSync(calls, "utf8")).toBe("daemon-reload\nenable --now outreachd\ndaemon-reload\n");
  writeFileSync(unit, "[Service]\nExecStart=/bin/true\n");
  const { exitCode, err } = await install();
  expect(exitCode).toBe(1);
  expect(err).toContain("was not written by this command");
  expect((await runProgram(["service", "install", "--print"], { env })).out).toContain("[Install]");
});
