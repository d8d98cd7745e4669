import { expect, setDefaultTimeout, test } from "bun:test";
import { createDirectory, runProgram, startServer } from "../support/program.ts";

// Each command starts the program, perhaps from source and on a busy machine.
setDefaultTimeout(60_000);

test("a person is exported and erased on the command line, with a server and without", async () => {
  await using directory = await createDirectory();
  const env = { OUTREACHD_DATA: `${directory.path}/data`, OUTREACHD_LOG_LEVEL: "silent" };
  const run = (...args: string[]) => runProgram(args, { env });
  const file = `${directory.path}/leads.csv`;
  await Bun.write(file, "email,notes\nada@example.com,met in May\nbob@example.com,knows ada@example.com\n");
  expect(await run("user", "create", "me@example.com")).toMatchObject({ exitCode: 0 });
  const user = ["--user", "me@example.com"];
  expect(await run("import", "leads", file, ...user)).toMatchObject({ exitCode: 0 });

  {
    await using server = await startServer(env.OUTREACHD_DATA, { env });
    expect(server.url).not.toBe("");
    const { out } = await run("person", "export", "ada@example.com", ...user);
    const { records } = JSON.parse(out) as { records: { place: string; fields: { notes: string } }[] };
    expect(records.map(({ fields }) => fields.notes).toSorted()).toEqual(["knows ada@example.com", "met in May"]);
    const foretold = await run("person", "erase", "ada@example.com", ...user);
    expect(foretold.exitCode).toBe(0);
    expect(foretold.out).toMatch(/leads +1\n/);
    expect(foretold.out).toContain("--yes");
    const done = await run("person", "erase", "ada@example.com", "--yes", "--json", ...user);
    expect(done.exitCode).toBe(0);
    expect(JSON.parse(done.out)).toMatchObject({ status: "completed", erased: { leads: 2 } });
  }

  const output = `${directory.path}/ada.json`;
  const after = await run("person", "export", "ada@example.com", "--output", output, ...user);
  expect(after.out).toContain("Exported 1 entries");
  expect(await Bun.file(output).text()).toContain('"collection": "suppressions"');
  const elsewhere = await run("person", "erase", "ada@example.com", "--team", ...user);
  expect(elsewhere).toMatchObject({ exitCode: 0 });
});
