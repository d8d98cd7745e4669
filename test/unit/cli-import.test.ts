import { expect, test } from "bun:test";
import { ada, createCommandLine, refused, success, userPage } from "../support/command-line.ts";

type Job = { status: string; progress?: number; message?: string; metadata?: Record<string, unknown> };

const done = (metadata: Record<string, unknown>): Job => ({ status: "completed", progress: 100, metadata });

type ReportRow = { row: number; outcome: string; errors: { path: string; message: string }[] };

function reportPage(rows: ReportRow[], { searchParams }: URL): Response {
  const wanted = rows.filter(({ outcome }) => outcome === searchParams.get("outcome"));
  return success({ rows: wanted.slice(0, Number(searchParams.get("limit"))), nextRow: null });
}

/** An API that takes one file and then tells these states of its job, one a look. */
function importApi(states: (Job | Response)[], rows: ReportRow[] = []) {
  const uploads: { query: string; contentType: string | null; length: string | null; body: string }[] = [];
  const left = [...states];
  const api = async (request: Request): Promise<Response> => {
    const url = new URL(request.url);
    const { pathname, search } = url;
    if (pathname === "/api/v2/users") return userPage([ada]);
    if (pathname.endsWith("/report")) return reportPage(rows, url);
    if (request.method === "GET") {
      const state = left.shift();
      if (state === undefined) throw new Error("Expected no look after the last state");
      return state instanceof Response
        ? state
        : success({ id: "j1", progress: 0, message: "", metadata: {}, ...state });
    }
    const { headers } = request;
    uploads.push({
      query: search,
      contentType: headers.get("content-type"),
      length: headers.get("content-length"),
      body: await request.text(),
    });
    return success({ id: "j1", status: "pending", progress: 0, message: "", metadata: {} }, 202);
  };
  return { api, uploads };
}

async function importFile(
  name: string,
  text: string,
  states: (Job | Response)[],
  args: string[] = [],
  rows?: ReportRow[],
) {
  const { api, uploads } = importApi(states, rows);
  await using cli = await createCommandLine({ api });
  const path = `${cli.directory}/${name}`;
  await Bun.write(path, text);
  return { ...(await cli.run("import", "leads", path, ...args)), uploads };
}

test("a file is sent as it is and the counts of its job are told", async () => {
  const metadata = { rows: 1200, created: 1100, updated: 0, skipped: 100, failed: 0 };
  const { exitCode, out, uploads } = await importFile("people.csv", "email\na@example.com\n", [done(metadata)]);
  expect(exitCode).toBe(0);
  expect(uploads).toEqual([
    { query: "?onDuplicate=skip&userId=u-ada", contentType: "text/csv", length: "20", body: "email\na@example.com\n" },
  ]);
  expect(out).toContain("1,200 rows (job j1)");
  expect(out).toContain("created  1,100");
});

test("who is there already is named with what to do, apart from the do-not-contact list, and columns are shown", async () => {
  const columns = { "E-mail": "email", Shoe: "customFields.Shoe", Id: "ignore" };
  const counts = { rows: 9, created: 0, updated: 0, skipped: 9, failed: 0 };
  const metadata = { ...counts, onDuplicate: "skip", doNotContact: 2, columns };
  const { out } = await importFile("a.csv", "x", [done(metadata)]);
  expect(out).toContain("7 skipped: the people are already among your leads and were left unchanged.");
  expect(out).toContain("import it again with --on-duplicate update.");
  expect(out).toContain("2 skipped: on the do-not-contact list.");
  expect(out).toContain('Columns:\n  E-mail  email\n  Shoe    custom field "Shoe"\n  Id      ignored\n');
  const again = await importFile("a.csv", "x", [done({ ...metadata, onDuplicate: "update", skipped: 2 })]);
  expect(again.out).not.toContain("--on-duplicate");
  const json = await importFile("a.csv", "x", [done(metadata)], ["--json"]);
  expect(JSON.parse(json.out.trim().split("\n").at(-1)!)).toMatchObject({ columns, doNotContact: 2 });
});

test("flags of the import become parameters of the request", async () => {
  const args = "--on-duplicate update --dry-run --tag a --tag b,c --source fair --delimiter tab".split(" ");
  const { uploads, out } = await importFile("people.txt", "x", [done({ dryRun: true })], args);
  expect([...new URLSearchParams(uploads[0]?.query)]).toEqual([
    ["onDuplicate", "update"],
    ["tags", "a"],
    ["tags", "b,c"],
    ["dryRun", "true"],
    ["source", "fair"],
    ["delimiter", "\t"],
    ["userId", "u-ada"],
  ]);
  expect(uploads[0]?.contentType).toBe("application/octet-stream");
  expect(out).toContain("nothing was changed");
});

test("the encoding can be named, and one that is none is refused before anything is sent", async () => {
  const { uploads } = await importFile("a.csv", "x", [done({})], ["--encoding", "CP1252"]);
  expect(new URLSearchParams(uploads[0]?.query).get("encoding")).toBe("windows-1252");
  const refused = await importFile("a.csv", "x", [], ["--encoding", "utf-9"]);
  expect([refused.exitCode, refused.uploads]).toEqual([2, []]);
  expect(refused.err).toContain("shift_jis");
});

test("an encoding other than UTF-8 is told, with what to do if it is wrong", async () => {
  const metadata = { rows: 1, created: 1, updated: 0, skipped: 0, failed: 0, encoding: "windows-1252" };
  const { out } = await importFile("a.csv", "x", [done(metadata)]);
  expect(out).toContain("Detected encoding: windows-1252. If names look wrong, set --encoding.");
  const json = await importFile("a.csv", "x", [done(metadata)], ["--json"]);
  expect(JSON.parse(json.out.trim().split("\n").at(-1)!)).toMatchObject({ encoding: "windows-1252" });
  expect((await importFile("a.csv", "x", [done({})])).out).not.toContain("Read as");
});

test("failed rows are listed with their reasons, and the exit code is 4", async () => {
  const rows = [
    { row: 3, outcome: "skipped", errors: [] },
    { row: 7, outcome: "failed", errors: [{ path: "email", message: '"x" is not an email address.' }] },
    { row: 9, outcome: "failed", errors: [{ path: "", message: "A lead needs an identifier." }] },
  ];
  const { exitCode, out } = await importFile("a.ndjson", "{}", [done({ rows: 9, created: 7, failed: 2 })], [], rows);
  expect(exitCode).toBe(4);
  expect(out).toContain('row 7  email: "x" is not an email address.\n  row 9  A lead needs an identifier.\n');
  expect(out).toContain("Full report: GET /api/v2/leads/import/j1/report");
});

test("failed rows are found behind many skipped ones", async () => {
  const skipped = Array.from({ length: 1500 }, (_, index) => ({ row: index + 2, outcome: "skipped", errors: [] }));
  const rows = [...skipped, { row: 2000, outcome: "failed", errors: [{ path: "email", message: "Bad." }] }];
  const { out } = await importFile("a.csv", "x", [done({ rows: 1501, skipped: 1500, failed: 1 })], [], rows);
  expect(out).toContain("Failed rows (1 of 1 shown):\n  row 2000  email: Bad.\n");
});

test("columns can be named by hand", async () => {
  const { uploads } = await importFile("a.csv", "x", [done({})], ["--column", "Mail=email", "--column", "A=B=ignore"]);
  expect(JSON.parse(new URLSearchParams(uploads[0]?.query).get("columns") ?? "")).toEqual({
    Mail: "email",
    "A=B": "ignore",
  });
  expect((await importFile("a.csv", "x", [], ["--column", "Mail"])).exitCode).toBe(2);
});

test("with --json each line is a document and the last one is the result", async () => {
  const states: Job[] = [
    { status: "running", progress: 40, metadata: { rows: 4, created: 4 } },
    done({ rows: 10, created: 10 }),
  ];
  const { exitCode, out, err } = await importFile("a.jsonl", "{}", states, ["--json"]);
  expect(exitCode).toBe(0);
  expect(err).toBe("");
  const lines = out
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
  expect(lines.at(0)).toEqual({ event: "progress", phase: "send", bytes: 2, totalBytes: 2 });
  expect(lines.at(1)).toMatchObject({ event: "progress", phase: "import", jobId: "j1", percent: 40, created: 4 });
  expect(lines.at(-1)).toMatchObject({ event: "finished", jobId: "j1", status: "completed", rows: 10, created: 10 });
});

test("a look that comes too early for the rate limit is repeated", async () => {
  const limited = refused(429, "RATE_LIMIT_EXCEEDED", "Too many requests.");
  limited.headers.set("retry-after", "0");
  expect((await importFile("a.csv", "x", [limited, done({ rows: 1, created: 1 })])).exitCode).toBe(0);
});

test("a job that fails ends the command with 1 and its message, after what was done", async () => {
  const failed: Job = { status: "failed", message: "The file ends in the middle of a row.", metadata: { created: 5 } };
  const { exitCode, out, err } = await importFile("a.csv", "x", [failed]);
  expect(exitCode).toBe(1);
  expect(out).toContain("created  5");
  expect(err).toBe("Error: The import failed: The file ends in the middle of a row.\n");
});

test("Ctrl-C while the import runs ends the watching and tells how to see the end", async () => {
  const { api } = importApi([{ status: "running" }, { status: "running" }]);
  await using cli = await createCommandLine({
    api: (request) => {
      if (request.url.includes("/jobs/")) cli.signals.send("SIGINT");
      return api(request);
    },
  });
  await Bun.write(`${cli.directory}/a.csv`, "x");
  const { exitCode, err } = await cli.run("import", "leads", `${cli.directory}/a.csv`);
  expect(exitCode).toBe(130);
  expect(err).toStartWith("The import is stored as job j1");
  expect(err).toContain("outreachd import watch j1");
  expect(cli.calls.at(-1)).toBe("stop");
});

test("an import can be watched again by its job", async () => {
  await using cli = await createCommandLine({ api: importApi([done({ rows: 2, created: 2 })]).api });
  const { exitCode, out } = await cli.run("import", "watch", "j1");
  expect(exitCode).toBe(0);
  expect(out).toContain("2 rows (job j1)");
});

test("a file that is not there is told before anything is asked", async () => {
  await using cli = await createCommandLine();
  const { exitCode, err } = await cli.run("import", "leads", "/nowhere/people.csv");
  expect(exitCode).toBe(1);
  expect(err).toBe("Error: Could not read /nowhere/people.csv: no such file or directory.\n");
  expect((await cli.run("import", "leads", cli.directory)).err).toContain("it is a directory.");
});

test("a file of prospects goes to the directory, and its report is that of the directory", async () => {
  const metadata = { rows: 2, created: 1, updated: 0, skipped: 0, failed: 1 };
  const job = { ...done(metadata), type: "prospect_import" };
  const rows = [{ row: 3, outcome: "failed", errors: [{ path: "email", message: "no" }] }];
  const { api, uploads } = importApi([job], rows);
  await using cli = await createCommandLine({ api });
  await Bun.write(`${cli.directory}/people.ndjson`, '{"email":"a@example.com"}\n');
  const args = ["--on-duplicate", "skip", "--dry-run", "--column", "Firm=company"];
  const { exitCode, out } = await cli.run("import", "prospects", `${cli.directory}/people.ndjson`, ...args);
  expect(exitCode).toBe(4);
  expect(uploads[0]).toMatchObject({ contentType: "application/x-ndjson" });
  expect(uploads[0]?.query).toContain("onDuplicate=skip");
  expect(uploads[0]?.query).toContain("dryRun=true");
  expect(uploads[0]?.query).toContain(new URLSearchParams({ columns: '{"Firm":"company"}' }).toString());
  expect(out).toContain("row 3  email: no");
  expect(out).toContain("/api/v2/prospecting/import/j1/report");
});

test("columns that were not understood are named, with what to do about them", async () => {
  const metadata = { rows: 1, created: 1, updated: 0, skipped: 0, failed: 0, ignoredColumns: ["Hat", "Pet"] };
  const { exitCode, out } = await importFile("people.csv", "email,Hat,Pet\n", [done(metadata)]);
  expect(exitCode).toBe(0);
  expect(out).toContain("Unrecognized columns, ignored: Hat, Pet\n");
  expect(out).toContain('--column "Header=field"');
  const json = await importFile("people.csv", "email,Hat,Pet\n", [done(metadata)], ["--json"]);
  expect(JSON.parse(json.out.trim().split("\n").at(-1)!)).toMatchObject({ ignoredColumns: ["Hat", "Pet"] });
});

test.each(["leads", "prospects"])("an empty file of %s is refused before anything is sent", async (what) => {
  await using cli = await createCommandLine({ api: () => userPage([ada]) });
  const path = `${cli.directory}/empty.csv`;
  await Bun.write(path, "");
  const { exitCode, out, err } = await cli.run("import", what, path);
  expect({ exitCode, out, err }).toEqual({
    exitCode: 1,
    out: "",
    err: `Error: ${path} is empty. Nothing was imported.\n`,
  });
  expect(cli.calls.filter((call) => call.startsWith("POST"))).toEqual([]);
});

test("an empty list of suppressions is refused in the same way", async () => {
  await using cli = await createCommandLine({ api: () => userPage([ada]) });
  const path = `${cli.directory}/empty.csv`;
  await Bun.write(path, "");
  const { exitCode, err } = await cli.run("suppress", "import", path);
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: `Error: ${path} is empty. Nothing was imported.\n` });
});

test("a file with nothing but a header is an import of no rows, and says so", async () => {
  const { exitCode, out } = await importFile("people.csv", "email\n", [done({ rows: 0 })]);
  expect(exitCode).toBe(0);
  expect(out).toContain("The file has no rows after its header.");
});

test("watching an unknown import says that it was not found, and not that it continues", async () => {
  const api = ({ url }: Request) => (url.includes("/users/jobs/") ? refused(404, "NOT_FOUND", "No.") : userPage([ada]));
  await using cli = await createCommandLine({ api });
  const { exitCode, out, err } = await cli.run("import", "watch", "nope");
  expect({ exitCode, out }).toEqual({ exitCode: 1, out: "" });
  expect(err).toStartWith("Error: Import nope not found.\nCheck the ID");
});

test("watching a job that is not an import is refused at once", async () => {
  const job = { id: "j9", type: "linkedin_action", status: "pending", progress: 0, message: "", metadata: {} };
  const api = ({ url }: Request) => (url.includes("/users/jobs/") ? success(job) : userPage([ada]));
  await using cli = await createCommandLine({ api });
  const { exitCode, err } = await cli.run("import", "watch", "j9");
  expect({ exitCode, err }).toEqual({ exitCode: 1, err: "Error: Job j9 is not an import.\n" });
});

test("a workbook is sent as such, with its sheet, which the summary shows", async () => {
  const counts = { rows: 1, created: 1, updated: 0, skipped: 0, failed: 0 };
  const states = [done({ ...counts, sheet: "People" })];
  const { exitCode, out, uploads } = await importFile("people.XLSX", "PK", states, ["--sheet", "People"]);
  expect(exitCode).toBe(0);
  expect(uploads).toMatchObject([
    {
      query: "?onDuplicate=skip&sheet=People&userId=u-ada",
      contentType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    },
  ]);
  expect(out).toContain("Sheet: People");
});

test("an import is reported later: its columns, the causes, and the failed rows as a file", async () => {
  const metadata = { rows: 9, created: 2, updated: 0, skipped: 1, failed: 6, columns: { Mail: "email" } };
  const samples = [{ row: 3, detail: '"x" is not an email address.', leadId: null, name: null }];
  const api = async (request: Request): Promise<Response> => {
    const { pathname } = new URL(request.url);
    if (pathname === "/api/v2/users") return userPage([ada]);
    if (pathname.includes("gone")) return refused(404, "NOT_FOUND", "Job gone not found.");
    if (pathname.endsWith("/causes"))
      return success({
        causes: [{ outcome: "failed", path: "email", message: "… is not an email address.", rows: 6, samples }],
      });
    if (pathname.endsWith("/failed-rows")) return new Response("Mail,Import problem\r\nx,no\r\n");
    return success({ id: "j1", progress: 100, message: "", ...done(metadata) });
  };
  await using cli = await createCommandLine({ api });
  const report = await cli.run("import", "report", "j1");
  expect(report.exitCode).toBe(0);
  for (const part of [
    "9 rows (job j1)",
    "Mail  email",
    "6 failed: email: … is not an email address.",
    'row 3  "x" is not',
    "and 5 more",
  ])
    expect(report.out).toContain(part);
  const path = `${cli.directory}/fix.csv`;
  expect((await cli.run("import", "failed", "j1", "--output", path)).exitCode).toBe(0);
  expect(await Bun.file(path).text()).toBe("Mail,Import problem\r\nx,no\r\n");
  expect((await cli.run("import", "failed", "j1")).out).toBe("Mail,Import problem\r\nx,no\r\n");
  const gone = await cli.run("import", "failed", "gone");
  expect(gone.exitCode).not.toBe(0);
  expect(gone.err).toContain("Import gone not found.");
});
