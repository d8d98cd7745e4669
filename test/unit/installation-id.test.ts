import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { installationId, readInstallationId } from "../../src/adapters/disk/installation-id.ts";

let dir: string;
beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "outreachd-installation-"));
});
afterEach(() => rmSync(dir, { recursive: true }));

test("the id is made once, and each data directory has its own", () => {
  expect(readInstallationId(dir)).toBeNull();
  const id = installationId(dir);
  expect(id).toMatch(/^[0-9a-f]{8}$/);
  expect([installationId(dir), readInstallationId(dir)]).toEqual([id, id]);
  rmSync(join(dir, "installation-id"));
  expect(installationId(dir)).not.toBe(id);
});

test("its file is complete or not there, and nobody else can read it", () => {
  writeFileSync(join(dir, "installation-id.new"), "cut o");
  installationId(dir);
  expect(readdirSync(dir)).toEqual(["installation-id"]);
  expect(statSync(join(dir, "installation-id")).mode & 0o777).toBe(0o600);
});

test("a damaged file is replaced by a new id", () => {
  writeFileSync(join(dir, "installation-id"), "../..");
  expect(readInstallationId(dir)).toBeNull();
  expect(installationId(dir)).toMatch(/^[0-9a-f]{8}$/);
});
