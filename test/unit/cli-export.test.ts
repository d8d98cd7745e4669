import { expect, test } from "bun:test";
import { readdir } from "node:fs/promises";
import { ada, createCommandLine, refused, success, userPage } from "../support/command-line.ts";

const csv = 'email,notes\na@example.com,"two\nlines, and a ""quote"""\nb@example.com,\n';

/** An API whose export is these chunks; an `Error` breaks it off. */
function exportApi(chunks: (string | Error)[] = [csv]) {
  const queries: string[] = [];
  const api = (request: Request): Response => {
    const { pathname, searchParams } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    if (pathname === "/api/v2/leads") return success({ total: 2 });
    queries.push(searchParams.toString());
    const left = [...chunks];
    const body = new ReadableStream<Uint8Array>({
      pull(controller) {
        const chunk = left.shift();
        if (chunk === undefined) controller.close();
        else if (chunk instanceof Error) controller.error(chunk);
        else controller.enqueue(new TextEncoder().encode(chunk));
      },
    });
    return new Response(body);
  };
  return { api, queries };
}

test("leads go to standard output byte for byte", async () => {
  await using cli = await createCommandLine({ api: exportApi().api });
  expect(await cli.run("export", "leads")).toEqual({ exitCode: 0, out: csv, err: "" });
});

test("filters become parameters; a time is sent in full", async () => {
  const { api, queries } = exportApi();
  await using cli = await createCommandLine({ api });
  await cli.run(
    ..."export leads --format ndjson --status active --tag vip --q ada --updated-after 2026-01-31".split(" "),
  );
  expect([...new URLSearchParams(queries[0])]).toEqual([
    ["status", "active"],
    ["tag", "vip"],
    ["q", "ada"],
    ["updatedAfter", "2026-01-31T00:00:00.000Z"],
    ["userId", "u-ada"],
    ["format", "ndjson"],
  ]);
});

test("a file gets its name when it is complete, and its leads are counted", async () => {
  await using cli = await createCommandLine({ api: exportApi([csv.slice(0, 30), csv.slice(30)]).api });
  const file = `${cli.directory}/leads.csv`;
  const { exitCode, out } = await cli.run("export", "leads", "--output", file);
  expect(exitCode).toBe(0);
  expect(out).toBe(`Exported 2 leads to ${file}.\n`);
  expect(await Bun.file(file).text()).toBe(csv);
  expect((await readdir(cli.directory)).toSorted()).toEqual(["leads.csv", "outreachd.db"]);
});

test("an export that breaks off leaves the old file and no other", async () => {
  await using cli = await createCommandLine({ api: exportApi([csv, new Error("gone")]).api });
  const file = `${cli.directory}/leads.csv`;
  await Bun.write(file, "old");
  const { exitCode, err } = await cli.run("export", "leads", "--output", file);
  expect(exitCode).toBe(1);
  expect(err).toBe("Error: The export was interrupted: gone\n");
  expect(await Bun.file(file).text()).toBe("old");
  expect((await readdir(cli.directory)).toSorted()).toEqual(["leads.csv", "outreachd.db"]);
});

test("a refused export makes no file", async () => {
  const api = (request: Request) =>
    request.url.includes("/users") ? userPage([ada]) : refused(403, "PERMISSION_DENIED", "You may not.");
  await using cli = await createCommandLine({ api });
  expect((await cli.run("export", "leads", "--output", `${cli.directory}/leads.csv`)).exitCode).toBe(1);
  expect(await readdir(cli.directory)).toEqual(["outreachd.db"]);
});

test("a file that can't be written is told", async () => {
  await using cli = await createCommandLine({ api: exportApi().api });
  const { exitCode, err } = await cli.run("export", "leads", "--output", "/nowhere/leads.csv");
  expect(exitCode).toBe(1);
  expect(err).toBe("Error: Could not write /nowhere/leads.csv: no such file or directory.\n");
});

test("a device or a directory is not replaced by a file", async () => {
  await using cli = await createCommandLine({ api: exportApi().api });
  for (const path of ["/dev/null", cli.directory]) {
    const { exitCode, err } = await cli.run("export", "leads", "--output", path);
    expect(exitCode).toBe(2);
    expect(err).toContain(`${path} is not a regular file.`);
  }
});

test("on a terminal a bar shows how many of all leads are done, and is gone at the end", async () => {
  await using cli = await createCommandLine({ api: exportApi().api, isInteractive: true });
  const { err } = await cli.run("export", "leads", "--output", `${cli.directory}/leads.csv`);
  expect(err).toContain("100%  Exporting: 2 of 2 leads");
  expect(err).toEndWith("\r\x1b[2K");
});

test("with --json the result takes standard output, so the leads need a file", async () => {
  await using cli = await createCommandLine({ api: exportApi().api });
  expect((await cli.run("export", "leads", "--json")).exitCode).toBe(2);
  const file = `${cli.directory}/leads.csv`;
  const { out } = await cli.run("export", "leads", "--json", "--output", file);
  expect(JSON.parse(out.trimEnd().split("\n").at(-1) ?? "")).toEqual({ event: "finished", leads: 2, file });
});

test("a workbook is written by the extension of its file, and its leads are counted beforehand", async () => {
  const { api, queries } = exportApi(["PK\u0003\u0004", "the rest"]);
  await using cli = await createCommandLine({ api });
  const file = `${cli.directory}/leads.xlsx`;
  expect(await cli.run("export", "leads", "--output", file)).toMatchObject({
    exitCode: 0,
    out: `Exported 2 leads to ${file}.\n`,
  });
  expect(queries).toEqual(["userId=u-ada&format=xlsx"]);
  expect(await Bun.file(file).text()).toBe("PK\u0003\u0004the rest");
});

test("a workbook is not shown in a terminal", async () => {
  await using cli = await createCommandLine({ api: exportApi().api, showsOutput: true });
  const { exitCode, err } = await cli.run("export", "leads", "--format", "xlsx");
  expect(exitCode).toBe(2);
  expect(err).toContain("--output FILE");
});
