import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * The executable for Alpine in a directory that has Debian's musl (`apt-get install musl`) and nothing else: root can change
 * into it. Debian has no libstdc++ for musl, so that what the loader misses is what Alpine needs.
 */

setDefaultTimeout(300_000);

const linker = "/lib/ld-musl-x86_64.so.1";
const canEnter = process.platform === "linux" && process.arch === "x64" && process.getuid?.() === 0;
const hasMusl = canEnter && (await Bun.file(linker).exists());

let folder: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-musl-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test.skipIf(!hasMusl)("on musl, the executable needs libstdc++ and nothing else", () => {
  const root = join(import.meta.dir, "../../..");
  const script = `import { compile } from ${JSON.stringify(join(root, ".ci/compile.ts"))};
    await compile(${JSON.stringify(join(folder, "outreachd"))}, null, "linux-x64-musl"); process.exit(0);`;
  const built = Bun.spawnSync([process.execPath, "-e", script], { cwd: root, stderr: "pipe" });
  expect({ exitCode: built.exitCode, stderr: built.stderr.toString() }).toMatchObject({ exitCode: 0 });
  mkdirSync(join(folder, "lib"));
  cpSync(linker, join(folder, linker), { dereference: true });
  symlinkSync("ld-musl-x86_64.so.1", join(folder, "lib/libc.musl-x86_64.so.1"));
  const { exitCode, stderr } = Bun.spawnSync(["chroot", folder, "/outreachd", "version"]);
  const lines = stderr.toString().trim().split("\n");
  expect(exitCode).not.toBe(0);
  expect(lines.filter((line) => line.startsWith("Error loading"))).toEqual([
    "Error loading shared library libstdc++.so.6: No such file or directory (needed by /outreachd)",
  ]);
  // Names of C++ and of its runtime. A missing function of C would be one that this musl lacks.
  const missing = lines.flatMap(
    (line) => /^Error relocating \/outreachd: (\S+): symbol not found$/.exec(line)?.[1] ?? [],
  );
  expect(missing.filter((name) => !/^(_Z|__cxa_|__once_proxy|__dynamic_cast|_Unwind_)/.test(name))).toEqual([]);
});
