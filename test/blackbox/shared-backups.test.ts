import { expect, setDefaultTimeout, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createDirectory, runProgram } from "../support/program.ts";

setDefaultTimeout(60_000);

/** What `--json` answers at last. */
async function answerOf<T>(args: string[], env: Record<string, string>): Promise<T> {
  const { out, err, exitCode } = await runProgram([...args, "--json"], { env });
  expect({ err, exitCode }).toEqual({ err: expect.any(String), exitCode: 0 });
  return JSON.parse(out.trim().split("\n").at(-1)!) as T;
}

test("staging that is restored from production shares its place and deletes none of its backups", async () => {
  await using directory = await createDirectory();
  const [production, staging] = [join(directory.path, "production"), join(directory.path, "staging")];
  const nas = join(directory.path, "nas");
  const settings = { OUTREACHD_BACKUP_TO: nas, OUTREACHD_BACKUP_KEEP: "1" };
  const madeBy = async (dataDir: string) =>
    (await answerOf<{ name: string }>(["backup", "--data", dataDir], settings)).name;
  await runProgram(["user", "create", "ada@example.com", "--data", production]);
  const first = await madeBy(production);
  await answerOf(["restore", first, "--data", staging], settings);
  const names: string[] = [];
  for (const dataDir of [staging, staging]) names.push(await madeBy(dataDir));
  expect(readdirSync(nas).toSorted()).toEqual([first, names[1]!]);
  const second = await madeBy(production);
  expect(readdirSync(nas).toSorted()).toEqual([names[1]!, second]);
  // What comes back from a backup of another is data: whose backups are whose stays as it was.
  await answerOf(["restore", second, "--data", staging, "--replace"], settings);
  const third = await madeBy(staging);
  expect(readdirSync(nas).toSorted()).toEqual([second, third]);
});
