import { afterAll, beforeAll, expect, setDefaultTimeout, test } from "bun:test";
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Spec, Validation } from "@cyclonedx/cyclonedx-library";
import packageJson from "../../../package.json" with { type: "json" };
import { bundledPackages } from "../../../.ci/notices.ts";
import { verify } from "../../../src/lib/minisign/minisign.ts";
import { schema } from "../../../src/platform/base/version.ts";

/** `bun run release`, for the system of this machine only. */

setDefaultTimeout(300_000);

const root = join(import.meta.dir, "../../..");
const target = `${process.platform === "win32" ? "windows" : process.platform}-${process.arch}`;
const name = `outreachd-${packageJson.version}`;
let folder: string;
let publicKey: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-release-test-"));
  publicKey = (await run("--create-key", join(folder, "key.pem"))).trim();
  for (const output of ["one", "two"])
    await run(
      "--allow-changes",
      "--targets",
      target,
      "--key",
      join(folder, "key.pem"),
      "--output",
      join(folder, output),
    );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<string> {
  const child = Bun.spawn([process.execPath, ".ci/release.ts", ...args], { cwd: root, stdout: "pipe", stderr: "pipe" });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  if ((await child.exited) !== 0) throw new Error(`The release failed: ${err}`);
  return out;
}

const read = (file: string, output = "one") => readFileSync(join(folder, output, file));

test("a repetition gives the same files, and their checksums are right", () => {
  const files = readdirSync(join(folder, "one"));
  expect(files.toSorted()).toEqual(
    [
      ...[
        "RELEASE_NOTES.md",
        "SHA256SUMS",
        "SHA256SUMS.minisig",
        "install.sh",
        "manifest.json",
        "manifest.json.minisig",
      ],
      ...[`${name}-${target}.tar.gz`, `${name}.cdx.json`, `outreachd-client-${packageJson.version}.tgz`],
    ].toSorted(),
  );
  for (const file of files) expect(read(file, "two").equals(read(file))).toBe(true);
  const sums = read("SHA256SUMS").toString().trim().split("\n");
  expect(sums).toHaveLength(6);
  for (const line of sums) {
    const [sum, file = ""] = line.split("  ");
    expect(new Bun.CryptoHasher("sha256").update(read(file)).digest("hex")).toBe(sum!);
  }
});

test("the archive has the samples for operators, and scripts that can be run", () => {
  const to = mkdtempSync(join(folder, "archive-"));
  const { exitCode } = Bun.spawnSync(["tar", "-xzf", join(folder, "one", `${name}-${target}.tar.gz`), "-C", to]);
  expect(exitCode).toBe(0);
  for (const directory of ["deploy", "examples"]) {
    const names = readdirSync(join(root, directory), { recursive: true, withFileTypes: true })
      .filter(
        (entry) =>
          entry.isFile() &&
          entry.name !== "install.sh" &&
          !entry.parentPath.slice(root.length).includes("node_modules"),
      )
      .map((entry) => join(entry.parentPath, entry.name).slice(root.length + 1));
    expect(names.length).toBeGreaterThan(6);
    for (const each of names) expect(readFileSync(join(to, each)).equals(readFileSync(join(root, each)))).toBe(true);
  }
  expect(statSync(join(to, "examples/curl/workflow.sh")).mode & 0o777).toBe(0o755);
  expect(statSync(join(to, "deploy/compose.yaml")).mode & 0o777).toBe(0o644);
});

test("checksums and manifest are signed, and the manifest describes the build", () => {
  for (const file of ["SHA256SUMS", "manifest.json"])
    expect(verify(read(file), read(`${file}.minisig`).toString(), publicKey)).toStartWith(
      `outreachd ${packageJson.version}, ${file}`,
    );
  const manifest = JSON.parse(read("manifest.json").toString());
  expect(manifest).toMatchObject({ name: "outreachd", version: packageJson.version, schema, bun: "1.4.5" });
  expect(manifest.files).toContainEqual(expect.objectContaining({ name: `${name}-${target}.tar.gz`, target }));
});

test("the typed client is a package that a program installs and loads", async () => {
  const project = join(folder, "project");
  await Bun.write(join(project, "package.json"), '{"type":"module"}');
  const bun = (...args: string[]) => Bun.spawnSync([process.execPath, ...args], { cwd: project });
  const added = bun("add", join(folder, `one/outreachd-client-${packageJson.version}.tgz`));
  expect({ exitCode: added.exitCode, err: added.stderr.toString() }).toMatchObject({ exitCode: 0 });
  const program = `import { createClient } from "outreachd-client"; import { verifyWebhook } from "outreachd-client/webhooks";
    console.log(typeof createClient({ baseUrl: "http://127.0.0.1:1", apiKey: "k" }).listLeads, typeof verifyWebhook);`;
  await Bun.write(join(project, "index.js"), program);
  expect(bun("index.js").stdout.toString()).toBe("function function\n");
  const { version } = await Bun.file(join(project, "node_modules/outreachd-client/package.json")).json();
  expect(version).toBe(packageJson.version);
});

test.skipIf(process.platform === "win32")("the install script installs the executable of this release", () => {
  const to = join(folder, "prefix/bin");
  const from = join(folder, "one");
  const { exitCode, stderr } = Bun.spawnSync([
    "sh",
    join(from, "install.sh"),
    "--from",
    from,
    "--to",
    to,
    "--target",
    target,
  ]);
  expect({ exitCode, stderr: stderr.toString() }).toEqual({ exitCode: 0, stderr: "" });
  const { stdout } = Bun.spawnSync([join(to, "outreachd"), "version", "--json"]);
  const { commit } = JSON.parse(read("manifest.json").toString());
  expect(JSON.parse(stdout.toString())).toMatchObject({ version: packageJson.version, commit, schema });
  const page = readFileSync(join(folder, "prefix/share/man/man1/outreachd.1"), "utf8");
  expect(page).toStartWith(`.TH OUTREACHD 1 "20`);
  expect(Bun.spawnSync([join(to, "outreachd"), "man"]).stdout.toString()).toBe(page);
});

test("the bill of materials is valid and lists what is bundled", async () => {
  const text = read(`${name}.cdx.json`).toString();
  expect(await new Validation.JsonStrictValidator(Spec.Version.v1dot6).validate(text)).toBeNull();
  type Component = { name: string; group?: string; type: string; licenses: unknown[]; hashes?: unknown[] };
  const { components } = JSON.parse(text) as { components: Component[] };
  const libraries = components.filter(({ type }) => type === "library");
  const names = libraries.map(({ name: base, group }) => (group === undefined ? base : `${group}/${base}`));
  expect(names.toSorted()).toEqual((await bundledPackages()).toSorted());
  expect(libraries.filter(({ hashes, licenses }) => hashes === undefined || licenses.length === 0)).toEqual([]);
  expect(components.map(({ type }) => type)).toContain("machine-learning-model");
});

test("the notes name the version and each file, and no placeholder is left", () => {
  const notes = read("RELEASE_NOTES.md").toString();
  expect(notes).toStartWith(`# outreachd ${packageJson.version}\n`);
  expect(notes).toContain(`| ${name}-${target}.tar.gz |`);
  expect(notes).toContain(publicKey);
  expect(notes).not.toContain("{{");
  expect(read("install.sh").toString()).toContain(`public_key='${publicKey}'`);
});
