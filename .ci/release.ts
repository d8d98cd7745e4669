/**
 * `bun run release` builds every target and writes a release to dist/release: an archive for each target (the executable,
 * its manual page, license, notices, and changelog), the typed client as a package of npm, a bill of materials, an install
 * script, notes, a manifest, and SHA256SUMS. The same commit gives the same files.
 *
 *   --key FILE            sign SHA256SUMS and the manifest with an Ed25519 private key in PEM [RELEASE_KEY_FILE]
 *   --from URL            where the files will be published; the install script downloads from there
 *   --targets A,B         only these targets
 *   --output DIRECTORY    default: dist/release
 *   --allow-changes       also if files differ from the commit
 *   --create-key FILE     create a key and print its public key; nothing is built
 */
import { generateKeyPairSync } from "node:crypto";
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import packageJson from "../package.json" with { type: "json" };
import { tarEnd, tarHeader, tarPadding } from "../src/features/backup/tar.ts";
import { publicKeyText, readPrivateKey, sign } from "../src/lib/minisign/minisign.ts";
import { schema } from "../src/platform/base/version.ts";
import { servedDocument, writeClient } from "./client.ts";
import { compile, root, sourceCommit, sourceTime, targets, type Target } from "./compile.ts";
import { billOfMaterials } from "./sbom.ts";

type Signer = { publicKey: string; sign: (bytes: Uint8Array, comment: string) => string };

const { version } = packageJson;
const { values } = parseArgs({
  options: {
    key: { type: "string" },
    from: { type: "string" },
    targets: { type: "string", default: targets.join(",") },
    output: { type: "string", default: join(root, "dist/release") },
    "allow-changes": { type: "boolean", default: false },
    "create-key": { type: "string" },
  },
});

if (values["create-key"] !== undefined) await createKey(values["create-key"]);
else await release(resolve(values.output));

async function createKey(path: string): Promise<void> {
  const { privateKey } = generateKeyPairSync("ed25519");
  const pem = privateKey.export({ format: "pem", type: "pkcs8" });
  await writeFile(path, pem, { mode: 0o600, flag: "wx" });
  console.log(publicKeyText(privateKey));
}

async function release(output: string): Promise<void> {
  const chosen = values.targets.split(",").map((name) => targets.find((target) => target === name) ?? refuse(name));
  const commit = sourceCommit() ?? fail("The commit is unknown: release from a clone of the repository.");
  if (commit.endsWith("+changes") && !values["allow-changes"])
    fail("Files differ from the commit. Commit them, or use --allow-changes for a trial.");
  // The time of the commit, so that a repetition gives the same files.
  const time = sourceTime() ?? fail("The time of the commit is unknown.");
  const key = await readKey();

  await rm(output, { recursive: true, force: true });
  await mkdir(output, { recursive: true });
  const files: { name: string; target?: Target; size: number; sha256: string }[] = [];
  const write = async (name: string, bytes: Uint8Array, target?: Target): Promise<void> => {
    await Bun.write(join(output, name), bytes);
    const sha256 = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
    files.push({ name, ...(target !== undefined && { target }), size: bytes.length, sha256 });
    console.log(`wrote ${name} (${(bytes.length / 1e6).toFixed(1)} MB)`);
  };
  const writeText = (name: string, text: string) => write(name, Buffer.from(text));

  for (const target of chosen)
    await write(`outreachd-${version}-${target}.tar.gz`, await archiveOf(target, commit, time), target);
  await write(`outreachd-client-${version}.tgz`, await clientPackage(time));
  const date = time.toISOString();
  await writeText(`outreachd-${version}.cdx.json`, await billOfMaterials(date));
  await writeText("install.sh", await installScript(key));
  await writeText("RELEASE_NOTES.md", await releaseNotes({ commit, date, key, files }));
  const manifest = { name: packageJson.name, version, commit, date, schema, bun: Bun.version, files: [...files] };
  await writeText("manifest.json", `${JSON.stringify(manifest, null, 2)}\n`);
  const sums = files
    .map(({ name, sha256 }) => `${sha256}  ${name}\n`)
    .toSorted((a, b) => a.slice(66).localeCompare(b.slice(66)));
  await Bun.write(join(output, "SHA256SUMS"), sums.join(""));
  if (key === null) return;
  for (const name of ["SHA256SUMS", "manifest.json"]) {
    const bytes = await Bun.file(join(output, name)).bytes();
    await Bun.write(
      join(output, `${name}.minisig`),
      key.sign(bytes, `outreachd ${version}, ${name}, commit ${commit}`),
    );
  }
  console.log(`signed with ${key.publicKey}`);
}

/** A compressed tar archive of the executable and what must come with it. */
async function archiveOf(target: Target, commit: string, time: Date): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "outreachd-release-"));
  try {
    const executable = await compile(join(folder, "outreachd"), commit, target);
    if (Buffer.from(await Bun.file(executable).arrayBuffer()).includes(root))
      fail(`The executable for ${target} contains the path ${root}, so it depends on where it was built.`);
    const parts: Uint8Array[] = [];
    const add = (name: string, bytes: Uint8Array, mode: number): void =>
      void parts.push(tarHeader({ name, size: bytes.length }, time.getTime(), mode), bytes, tarPadding(bytes.length));
    add(target.startsWith("windows") ? "outreachd.exe" : "outreachd", await Bun.file(executable).bytes(), 0o755);
    for (const name of ["LICENSE", "THIRD-PARTY-NOTICES.md", "CHANGELOG.md"])
      add(name, await Bun.file(join(root, name)).bytes(), 0o644);
    for (const name of samples()) {
      const file = Bun.file(join(root, name));
      // A script starts with the program that runs it.
      const isScript = (await file.slice(0, 2).text()) === "#!";
      add(name, await file.bytes(), isScript ? 0o755 : 0o644);
    }
    if (!target.startsWith("windows")) add("outreachd.1", manual(time), 0o644);
    return Bun.gzipSync(Buffer.concat([...parts, tarEnd]), { level: 6 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The files of deploy/ and examples/ that belong to the commit, without install.sh, which is a file of the release itself. */
function samples(): string[] {
  const { exitCode, stdout, stderr } = Bun.spawnSync(["git", "ls-files", "-z", "deploy", "examples"], { cwd: root });
  if (exitCode !== 0) fail(`The files in deploy/ and examples/ could not be listed: ${stderr.toString()}`);
  return stdout
    .toString()
    .split("\0")
    .filter((name) => name !== "" && name !== "deploy/install.sh");
}

/** The typed client, as npm packs it. */
async function clientPackage(time: Date): Promise<Uint8Array> {
  const folder = await mkdtemp(join(tmpdir(), "outreachd-client-"));
  try {
    await writeClient(await servedDocument(), version, folder);
    const parts: Uint8Array[] = [];
    for (const name of [...new Bun.Glob("*").scanSync(folder)].toSorted((a, b) => a.localeCompare(b))) {
      const bytes = await Bun.file(join(folder, name)).bytes();
      const header = tarHeader({ name: `package/${name}`, size: bytes.length }, time.getTime(), 0o644);
      parts.push(header, bytes, tarPadding(bytes.length));
    }
    return Bun.gzipSync(Buffer.concat([...parts, tarEnd]), { level: 6 });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** The manual page, as `outreachd man` of this commit prints it. */
function manual(time: Date): Uint8Array {
  const define = `buildDate=${JSON.stringify(time.toISOString().slice(0, 10))}`;
  const { exitCode, stdout, stderr } = Bun.spawnSync([process.execPath, "--define", define, "src/main.ts", "man"], {
    cwd: root,
  });
  return exitCode === 0 ? stdout : fail(`The manual page could not be created: ${stderr.toString()}`);
}

async function installScript(key: Signer | null): Promise<string> {
  const script = await Bun.file(join(root, "deploy/install.sh")).text();
  return fill(script, (name) => `@${name}@`, {
    VERSION: version,
    ...(values.from !== undefined && { FROM: values.from }),
    ...(key !== null && { PUBLIC_KEY: key.publicKey }),
  });
}

type Notes = {
  commit: string;
  date: string;
  key: Signer | null;
  files: readonly { name: string; size: number; sha256: string }[];
};

async function releaseNotes({ commit, date, key, files }: Notes): Promise<string> {
  const template = await Bun.file(join(root, ".ci/release-notes.md")).text();
  const signature =
    key === null
      ? "This release is not signed."
      : `The checksums are signed: \`minisign -Vm SHA256SUMS -P ${key.publicKey}\``;
  return fill(template, (name) => `{{${name}}}`, {
    ...{ version, commit, signature, date: date.slice(0, 10), bun: Bun.version },
    ...{ sqlite: String(schema.sqlite), postgres: String(schema.postgres) },
    changes: await changes(),
    files: files.map(({ name, size, sha256 }) => `| ${name} | ${size} | \`${sha256}\` |`).join("\n"),
  });
}

/** The section of this version in the changelog. */
async function changes(): Promise<string> {
  const sections = (await Bun.file(join(root, "CHANGELOG.md")).text()).split(/^## /m);
  const textOf = (name: string) =>
    sections
      .find((each) => each.startsWith(`[${name}]`))
      ?.replace(/^.*\n/, "")
      .trim();
  if (textOf("Unreleased"))
    console.warn(`Entries under [Unreleased] in CHANGELOG.md are not in the notes of ${version}.`);
  return textOf(version) ?? fail(`CHANGELOG.md has no section [${version}].`);
}

function fill(
  text: string,
  placeholder: (name: string) => string,
  replacements: Readonly<Record<string, string>>,
): string {
  return Object.entries(replacements).reduce(
    (filled, [name, value]) => filled.replaceAll(placeholder(name), value),
    text,
  );
}

async function readKey(): Promise<Signer | null> {
  const path = values.key ?? process.env["RELEASE_KEY_FILE"];
  if (!path) return null;
  const key = readPrivateKey(await Bun.file(path).text());
  return { publicKey: publicKeyText(key), sign: (bytes, comment) => sign(bytes, key, comment) };
}

function refuse(name: string): never {
  return fail(`Unknown target ${name}. Choose from ${targets.join(", ")}.`);
}

function fail(message: string): never {
  console.error(`Error: ${message}`);
  process.exit(1);
}
