import { expect, test } from "bun:test";
import { join } from "node:path";
import { serverOptions } from "../../src/app/config/options.ts";
import { optionName, variableName } from "../../src/app/config/sources.ts";

const readme = await Bun.file(join(import.meta.dir, "../../README.md")).text();
const keys = Object.keys(serverOptions);
const variables = new Set([
  ...keys.flatMap((key) => [variableName(key), `${variableName(key)}_FILE`]),
  ...["OUTREACHD_URL", "OUTREACHD_API_KEY", "OUTREACHD_API_KEY_FILE", "OUTREACHD_CONFIG", "OUTREACHD_TEST_BINARY"],
]);

/** The text of the one block of code in that language that has this in it. */
function block(language: string, part: string): string {
  const blocks = [...readme.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\``, "gm"))].map(
    (match) => match[1]!,
  );
  const found = blocks.filter((text) => text.includes(part));
  expect(found).toHaveLength(1);
  return found[0]!;
}

test("every variable that the README names in full is one", () => {
  const named = [...readme.matchAll(/OUTREACHD_[A-Z0-9_]+(?![A-Z0-9_…*])/g)].map(([name]) => name.replace(/_$/, ""));
  expect([...new Set(named)].filter((name) => !variables.has(name))).toEqual([]);
});

test("every option about backups stands in the README", () => {
  const names = keys.map(optionName).filter((name) => name.startsWith("backup") && !name.startsWith("backup-s3-"));
  expect(names.filter((name) => !readme.includes(`\`--${name}\``))).toEqual([]);
});

test("the Compose file of the README keeps data and backups on volumes that it declares", () => {
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

test("the systemd unit of the README keeps the data where it says", () => {
  const settings = new Map(
    block("ini", "[Service]")
      .split("\n")
      .filter((line) => line.includes("="))
      .map((line) => [line.slice(0, line.indexOf("=")), line.slice(line.indexOf("=") + 1)]),
  );
  expect(settings.get("Environment")).toBe(`OUTREACHD_DATA=/var/lib/${settings.get("StateDirectory")}`);
  expect(settings.get("ExecStart")).toEndWith("/outreachd serve");
});
