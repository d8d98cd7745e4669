import { expect, test } from "bun:test";
import { join } from "node:path";
import packageJson from "../../package.json" with { type: "json" };
import { version } from "../../src/platform/base/version.ts";

const root = join(import.meta.dir, "../..");
const bunVersion = packageJson.devDependencies.bun;

async function text(name: string): Promise<string> {
  const file = Bun.file(join(root, name));
  if (!(await file.exists())) throw new Error(`${name} is missing: expected it at the top of the project.`);
  return await file.text();
}

/** Every version that a file asks of Bun: `bun@1.2.3` in a command, `oven/bun:1.2.3` in an image. */
async function bunVersions(name: string): Promise<string[]> {
  return [...(await text(name)).matchAll(/\bbun[@:](\d[\w.+-]*\w|latest)/g)].map((match) => match[1] ?? "");
}

test("package.json pins one exact version of Bun, of its types and of the package manager", () => {
  expect(bunVersion).toMatch(/^\d+\.\d+\.\d+$/);
  expect(packageJson.devDependencies["bun-types"]).toBe(bunVersion);
  expect(packageJson.packageManager).toBe(`bun@${bunVersion}`);
});

test.each(["README.md", "Dockerfile", ".ci/run"])("%s names the pinned version of Bun and no other", async (name) => {
  const found = await bunVersions(name);
  expect(found.length, `${name} names no version of Bun: expected bun@${bunVersion}`).toBeGreaterThan(0);
  expect([...new Set(found)]).toEqual([bunVersion]);
});

test.each(["start", "test", "build"])("README.md shows how to %s with Node alone", async (script) => {
  expect(await text("README.md")).toContain(`npx -y bun@${bunVersion} run ${script}`);
});

test("this run uses the pinned version of Bun", () => {
  expect(Bun.version).toBe(bunVersion);
});

test("every dependency is pinned to an exact version", () => {
  const ranges = Object.entries({ ...packageJson.dependencies, ...packageJson.devDependencies }).filter(
    ([, range]) => !/^(npm:\w+@)?\d+\.\d+\.\d+(-[\w.]+)?$/.test(range),
  );
  expect(ranges).toEqual([]);
});

test("the program's version is the one of package.json", () => {
  expect(version).toBe(packageJson.version);
});
