import { expect, setDefaultTimeout, test } from "bun:test";
import { createDirectory, runProgram } from "../support/program.ts";

// Each command starts the program, perhaps from source and on a busy machine.
setDefaultTimeout(60_000);

type Ran = { exitCode: number; out: string; err: string };

/** Runs commands on a data directory of its own. */
async function commands() {
  const directory = await createDirectory();
  const env = { OUTREACHD_DATA: `${directory.path}/data` };
  const run = async (...args: string[]): Promise<Ran> => {
    const { exitCode, out, err } = await runProgram(args, { env });
    return { exitCode, out, err };
  };
  expect(await run("user", "create", "ada@example.com")).toMatchObject({ exitCode: 0 });
  return { directory, run, [Symbol.asyncDispose]: () => directory[Symbol.asyncDispose]() };
}

test("people are put on the list, found, and taken off again", async () => {
  await using at = await commands();
  const user = ["--user", "ada@example.com"];
  const added = await at.run(
    "suppress",
    "add",
    "bob@example.org",
    "@stop.example",
    "nonsense",
    "--reason",
    "said no",
    ...user,
  );
  expect(added.exitCode).toBe(4);
  expect(added.out).toMatch(/^added +email +bob@example.org/m);
  expect(added.out).toMatch(/^invalid +nonsense +"nonsense" is not a valid entry/m);
  expect((await at.run("suppress", "add", "nonsense", ...user)).exitCode).toBe(1);

  const listed = await at.run("suppress", "list", ...user);
  expect(listed.out).toMatch(/domain +stop.example +user +said no/);
  expect(listed.out).toMatch(/email +bob@example.org +user +said no/);

  const check = await at.run("suppress", "check", "eve@stop.example", ...user);
  expect(check).toMatchObject({ exitCode: 1, out: expect.stringContaining("Do not contact eve@stop.example") });
  expect(await at.run("suppress", "check", "eve@example.com", ...user)).toMatchObject({ exitCode: 0 });

  expect(await at.run("suppress", "remove", "@stop.example", ...user)).toMatchObject({ exitCode: 0 });
  expect(await at.run("suppress", "check", "eve@stop.example", ...user)).toMatchObject({ exitCode: 0 });
  expect(await at.run("suppress", "remove", "@stop.example", ...user)).toMatchObject({
    exitCode: 1,
    err: expect.stringContaining("The workspace has no entry for"),
  });
});

test("a list goes out to a file and comes back, for the team and as hashes", async () => {
  await using at = await commands();
  const file = `${at.directory.path}/list.csv`;
  const out = `${at.directory.path}/out.csv`;
  await Bun.write(file, "email,reason\nbob@example.org,said no\nnonsense,\n");
  const imported = await at.run("suppress", "import", file, "--team", "--hash-only", "--json");
  expect(imported.exitCode).toBe(4);
  expect(JSON.parse(imported.out.trim().split("\n").at(-1) ?? "")).toMatchObject({ added: 1, invalid: 1 });
  expect((await at.run("suppress", "export", "--output", out)).exitCode).toBe(0);
  const written = await Bun.file(out).text();
  expect(written).toMatch(/^sha256:email:[0-9a-f]{32},email,team,,import,/m);
  expect((await at.run("suppress", "export")).out).toBe(written);
  expect((await at.run("suppress", "import", out)).out).toContain("Read 1 rows: 1 added, 0 already listed, 0 invalid.");
  const [id] = /[0-9a-f-]{36}$/m.exec((await at.run("suppress", "list", "--team")).out) ?? [];
  expect(await at.run("suppress", "remove", id ?? "")).toMatchObject({ exitCode: 0 });
  expect((await at.run("suppress", "list", "--team")).out).toContain("No entries found");
});
