import { afterAll, beforeAll, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { tarEnd, tarHeader, tarPadding } from "../../src/features/backup/tar.ts";
import { publicKeyText, sign } from "../../src/lib/minisign/minisign.ts";

/** deploy/install.sh against a release on loopback whose executable is a shell script. */

const script = join(import.meta.dir, "../../deploy/install.sh");
const key = generateKeyPairSync("ed25519").privateKey;
const publicKey = publicKeyText(key);
const archive = "outreachd-1.2.3-linux-x64.tar.gz";
const encoder = new TextEncoder();

let folder: string;
const files = new Map<string, Uint8Array>();
let server: ReturnType<typeof Bun.serve>;

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "outreachd-install-"));
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    fetch(request) {
      const bytes = files.get(new URL(request.url).pathname.replace("/v1/", ""));
      return bytes === undefined ? new Response(null, { status: 404 }) : new Response(bytes as Uint8Array<ArrayBuffer>);
    },
  });
});
afterAll(async () => {
  await server.stop(true);
  rmSync(folder, { recursive: true, force: true });
});

function publish({ isSigned = true } = {}): void {
  const program = encoder.encode("#!/bin/sh\necho 1.2.3\n");
  const page = encoder.encode('.TH OUTREACHD 1 "" "outreachd 1.2.3"\n');
  const entry = (name: string, content: Uint8Array, mode: number) => [
    tarHeader({ name, size: content.length }, 0, mode),
    content,
    tarPadding(content.length),
  ];
  const entries = [...entry("outreachd", program, 0o755), ...entry("outreachd.1", page, 0o644)];
  const bytes = Bun.gzipSync(Buffer.concat([...entries, tarEnd]));
  const sum = new Bun.CryptoHasher("sha256").update(bytes).digest("hex");
  const others = ["linux-x64-musl", "darwin-arm64"].map(
    (target) => `${"0".repeat(64)}  outreachd-1.2.3-${target}.tar.gz\n`,
  );
  const sums = encoder.encode(`${others.join("")}${sum}  ${archive}\n`);
  files.clear();
  files.set(archive, bytes).set("SHA256SUMS", sums);
  if (isSigned) files.set("SHA256SUMS.minisig", encoder.encode(sign(sums, key, "outreachd 1.2.3")));
}

/** A PATH with only these tools, so that the script uses what a machine without others has. */
function pathWith(...tools: string[]): string {
  const bin = mkdtempSync(join(folder, "bin-"));
  const needed = [
    "sh",
    "sed",
    "grep",
    "mktemp",
    "rm",
    "cp",
    "mv",
    "mkdir",
    "chmod",
    "tar",
    "gzip",
    "head",
    "tail",
    "uname",
    "env",
  ];
  for (const tool of [...needed, "sha256sum", ...tools]) {
    const path = Bun.which(tool);
    if (path !== null) symlinkSync(path, join(bin, tool));
  }
  return bin;
}

async function install(args: readonly string[] = [], path = process.env["PATH"] ?? "") {
  const to = mkdtempSync(join(folder, "to-"));
  const from = `${server.url.href}v1/`;
  const child = Bun.spawn(["sh", script, "--from", from, "--to", to, "--target", "linux-x64", ...args], {
    env: { PATH: path, HOME: folder, TMPDIR: folder },
    stdout: "pipe",
    stderr: "pipe",
  });
  const [out, err] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  return { exitCode: await child.exited, out, err, to, installed: readdirSync(to) };
}

const onUnix = test.skipIf(process.platform === "win32");

onUnix("a release is downloaded, verified, and installed", async () => {
  publish();
  const { exitCode, out, to, err } = await install(["--public-key", publicKey]);
  expect({ exitCode, err }).toEqual({ exitCode: 0, err: "" });
  expect(out).toContain("Verified the signature of SHA256SUMS.");
  expect(out).toContain(`Installed outreachd-1.2.3-linux-x64 as ${to}/outreachd.`);
  expect(Bun.spawnSync([join(to, "outreachd")]).stdout.toString()).toBe("1.2.3\n");
});

onUnix.each(["curl", "wget"])("%s is enough to download, and OpenSSL to verify", async (tool) => {
  if (Bun.which(tool) === null) return;
  publish();
  const path = pathWith(tool, "openssl");
  expect((await install(["--public-key", publicKey], path)).err).toBe("");
  const other = publicKeyText(generateKeyPairSync("ed25519").privateKey);
  const refused = await install(["--public-key", other], path);
  expect(refused).toMatchObject({ exitCode: 1, installed: [] });
  expect(refused.err).toContain("The signature of SHA256SUMS is wrong. Nothing was installed.");
});

onUnix("an archive with another checksum is not installed", async () => {
  publish();
  files.get(archive)![40]! ^= 1;
  const { exitCode, err, installed } = await install();
  expect({ exitCode, installed }).toEqual({ exitCode: 1, installed: [] });
  expect(err).toContain(`The checksum of ${archive} is wrong.`);
});

onUnix("checksums without a signature, or changed after it, are not used", async () => {
  publish({ isSigned: false });
  const unsigned = await install(["--public-key", publicKey]);
  expect(unsigned).toMatchObject({ exitCode: 1, installed: [] });
  expect(unsigned.err).toContain("The release is not signed");
  publish();
  const sums = files.get("SHA256SUMS")!;
  files.set("SHA256SUMS", encoder.encode(new TextDecoder().decode(sums).replace("0000", "1111")));
  const changed = await install(["--public-key", publicKey]);
  expect(changed).toMatchObject({ exitCode: 1, installed: [] });
  expect(changed.err).toContain("The signature of SHA256SUMS is wrong.");
});

onUnix("without a tool that verifies signatures, nothing is installed", async () => {
  publish();
  const { exitCode, err, installed } = await install(["--public-key", publicKey], pathWith("curl"));
  expect({ exitCode, installed }).toEqual({ exitCode: 1, installed: [] });
  expect(err).toContain("minisign or OpenSSL 3 is needed");
});

onUnix("a missing release, an unknown target, and a missing place are explained", async () => {
  files.clear();
  expect((await install()).err).toContain("Could not get");
  publish();
  const unknown = await install(["--target", "linux-riscv64"]);
  expect(unknown.err).toContain("The release has no archive for linux-riscv64.");
  const child = Bun.spawnSync(["sh", script]);
  expect(child.stderr.toString()).toContain("Say where the files of the release are");
  expect(Bun.spawnSync(["sh", script, "--help"]).stdout.toString()).toContain("--public-key  Requires");
});

onUnix("a folder is a place, too, and an existing executable is replaced", async () => {
  publish();
  const release = join(folder, "release");
  mkdirSync(release);
  for (const [name, bytes] of files) writeFileSync(join(release, name), bytes);
  const to = join(folder, "bin", "new");
  for (const _ of [1, 2]) {
    const child = Bun.spawnSync(["sh", script, "--from", release, "--to", to, "--target", "linux-x64"]);
    expect(child.stderr.toString()).toBe("");
  }
  expect(readdirSync(to)).toEqual(["outreachd"]);
  expect(readFileSync(join(to, "outreachd"), "utf8")).toContain("1.2.3");
  expect(existsSync(join(folder, "tmp"))).toBe(false);
});

onUnix("the manual page goes beside a folder named bin, and nowhere for any other folder", async () => {
  publish();
  const prefix = mkdtempSync(join(folder, "prefix-"));
  const { out } = await install(["--to", join(prefix, "bin")]);
  expect(out).toContain("Installed the manual page: man outreachd");
  expect(readFileSync(join(prefix, "share/man/man1/outreachd.1"), "utf8")).toStartWith(".TH OUTREACHD 1");
  expect((await install()).installed).toEqual(["outreachd"]);
});
