import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { serverOptions } from "../../src/app/config/options.ts";
import { createCommandLine } from "../support/command-line.ts";
import { documentation, documents } from "../support/documents.ts";
import { optionName, variableName } from "../../src/app/config/sources.ts";

const keys = Object.keys(serverOptions);
const variables = new Set([
  ...keys.flatMap((key) => [variableName(key), `${variableName(key)}_FILE`]),
  ...["OUTREACHD_URL", "OUTREACHD_API_KEY", "OUTREACHD_API_KEY_FILE", "OUTREACHD_CONFIG", "OUTREACHD_TEST_BINARY"],
]);

/** The text of the one block of code in that language that has this in it. */
function block(language: string, part: string): string {
  const blocks = [...documentation.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(
    (match) => match[1]!,
  );
  const found = blocks.filter((text) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]!;
}

test("every variable that the documents name in full is one", () => {
  const named = [...documentation.matchAll(/OUTREACHD_[A-Z0-9_]+(?![A-Z0-9_…*])/g)].map(([name]) =>
    name.replace(/_$/, ""),
  );
  expect([...new Set(named)].filter((name) => !variables.has(name))).toEqual([]);
});

test("every option about backups stands in the documents", () => {
  const names = keys.map(optionName).filter((name) => name.startsWith("backup") && !name.startsWith("backup-s3-"));
  expect(names.filter((name) => !documentation.includes(`\`--${name} `))).toEqual([]);
});

test("the documented Compose file keeps data and backups on volumes that it declares", () => {
  type Compose = {
    services: { outreachd: { environment: Record<string, string>; volumes: string[] } };
    volumes: Record<string, null>;
  };
  const { services, volumes } = Bun.YAML.parse(block("yaml", "services:")) as Compose;
  const { environment, volumes: mounts } = services.outreachd;
  expect(mounts.map((mount) => mount.split(":")[0]!)).toEqual(Object.keys(volumes));
  expect(mounts.map((mount) => mount.split(":")[1])).toContain(environment["OUTREACHD_BACKUP_TO"]);
  expect(Object.keys(environment).filter((name) => !variables.has(name))).toEqual([]);
});

test("the documented systemd unit keeps the data where it says", () => {
  const settings = new Map(
    readFileSync(join(import.meta.dir, "../../deploy/systemd/outreachd.service"), "utf8")
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  expect(settings.get("Environment")).toBe(`OUTREACHD_DATA=/var/lib/${settings.get("StateDirectory")}`);
  expect(settings.get("ExecStart")).toEndWith("/outreachd serve");
});

/** As GitHub makes the anchor of a heading. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
    .replaceAll(" ", "-");
}

const links = [...documents].flatMap(([path, text]) =>
  [...text.replaceAll(/^```[^]*?^```/gm, "").matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = ""]) => ({ path, target }))
    .filter(({ target }) => !/^[a-z]+:/.test(target)),
);

test.each(links)("$path links to $target, which is there", ({ path, target }) => {
  const [file = "", anchor] = target.split("#");
  const linked = file === "" ? path : normalize(join(dirname(path), file));
  expect(existsSync(join(import.meta.dir, "../..", linked))).toBe(true);
  if (anchor === undefined) return;
  const headings = [...documents.get(linked)!.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading));
  expect(headings).toContain(anchor);
});

test("the front page is a page", () => {
  expect(documents.get("README.md")!.split("\n").length).toBeLessThanOrEqual(150);
});

test("the test files and benchmarks that documents name exist", () => {
  const root = join(import.meta.dir, "../..");
  const bench = readFileSync(join(root, "test/bench/main.ts"), "utf8");
  const isFile = (word: string) => !new Bun.Glob(word).scanSync({ cwd: root, onlyFiles: false }).next().done;
  const isBench = (word: string) => new RegExp(`^  "?${word}"?[:,]`, "m").test(bench);
  const missing = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/^bun (test|run bench) +([^#\n]*)/gm)].flatMap(([, command, words]) =>
      (words!.match(/\S+/g) ?? [])
        .filter((word) => !word.startsWith("--") && !(command === "test" ? isFile(word) : isBench(word)))
        .map((word) => `${path}: ${word}`),
    ),
  );
  expect(missing).toEqual([]);
});

/** The ends of the path of each file, "slot.ts" and "governor/slot.ts", and the names of folders: "governor/". */
const pathEnds = new Set(
  [...new Bun.Glob("{src,test,migrations,docs,.ci}/**/*").scanSync({ cwd: join(import.meta.dir, "../.."), dot: true })]
    .map((path) => path.replaceAll("\\", "/").split("/"))
    .flatMap((parts) =>
      parts.flatMap((_, from) =>
        parts.slice(from).map((_part, length) => {
          const end = parts.slice(from, from + length + 1).join("/");
          return from + length + 1 === parts.length ? end : `${end}/`;
        }),
      ),
    ),
);

test("the files and folders that the documents about the code name exist", () => {
  const named = ["ARCHITECTURE.md", "CONTRIBUTING.md"].flatMap((path) =>
    [...documents.get(path)!.matchAll(/`([^`\n]+)`/g)]
      .map(([, word = ""]) => ({ path, word }))
      .filter(({ word }) => /^[\w./-]+(\.tsx?|\/)$/.test(word)),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ word }) => !pathEnds.has(word))).toEqual([]);
});

test("the scripts that documents run exist", () => {
  type Package = { scripts: Record<string, string> };
  const { scripts } = JSON.parse(readFileSync(join(import.meta.dir, "../../package.json"), "utf8")) as Package;
  const runs = [...documents].flatMap(([path, text]) =>
    [...text.matchAll(/\bbun(?:@[\d.]+)? run ([\w:-]+)/g)].map(([, script = ""]) => ({ path, script })),
  );
  expect(runs.length).toBeGreaterThan(10);
  expect(runs.filter(({ script }) => !Object.hasOwn(scripts, script))).toEqual([]);
});

/** Documented command lines of outreachd, in blocks of code and in text, without comments. */
const commandLines = [
  ...documentation.matchAll(/^(outreachd [a-z][^#\n]*)/gm),
  ...documentation.matchAll(/`(outreachd [a-z][^`\n]*)`/g),
].map(([, line = ""]) => line.trim());

test("the commands and flags in the documents exist", async () => {
  await using cli = await createCommandLine();
  const lines = [...new Set(commandLines)];
  expect(lines.length).toBeGreaterThan(40);
  const wrong: string[] = [];
  for (const line of lines) {
    const words = line
      .replaceAll(/"[^"]*"/g, "TEXT")
      .split(/\s+/)
      .slice(1);
    const first = words.findIndex((word) => !/^[a-z]+$/.test(word));
    const { exitCode, out } = await cli.run(...words.slice(0, first === -1 ? words.length : first), "--help");
    const flags = words.filter((word) => word.startsWith("--"));
    if (exitCode !== 0 || flags.some((flag) => !new RegExp(`${flag}(?![\\w-])`).test(out))) wrong.push(line);
  }
  expect(wrong).toEqual([]);
});
