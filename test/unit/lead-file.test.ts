import { afterAll, describe, expect, test } from "bun:test";
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ImportFileError } from "../../src/platform/imports/import-file-error.ts";
import { inspectLeadFile, readLeadFile } from "../../src/features/leads/import/lead-file.ts";
import type { LeadFileBatch, LeadFileOptions } from "../../src/features/leads/import/lead-file-batch.ts";
import type { ImportRow } from "../../src/features/leads/import/packed-rows.ts";
import { runLeadFileThread, type LeadFileAnswer } from "../../src/features/leads/import/lead-file-thread.ts";
import { encoded } from "../support/encoded.ts";
import { readRows } from "../support/lead-files.ts";

const folder = mkdtempSync(join(tmpdir(), "lead-file-"));
afterAll(() => rmSync(folder, { recursive: true }));

let files = 0;

function fileOf(content: string | Uint8Array): string {
  const path = join(folder, `${++files}`);
  writeFileSync(path, content);
  return path;
}

const never = new AbortController().signal;

function optionsOf(content: string | Uint8Array, options: Partial<LeadFileOptions> = {}): LeadFileOptions {
  return {
    ...{ path: fileOf(content), owner: 1, format: "auto", delimiter: null, columns: null },
    ...{ tags: [], source: null, assignTo: [], afterRow: 0, batchRows: 200 },
    ...options,
  };
}

/** Each batch with the numbers of its rows, which it holds only until the next one. */
async function batchesOf(content: string, options: Partial<LeadFileOptions> = {}) {
  const batches: (Omit<LeadFileBatch, "rows"> & { numbers: number[] })[] = [];
  for await (const { rows, ...batch } of readLeadFile(optionsOf(content, options), never))
    batches.push({ ...batch, numbers: [...rows.numbers] });
  return batches;
}

async function rowsOf(content: string | Uint8Array, options: Partial<LeadFileOptions> = {}): Promise<ImportRow[]> {
  return await readRows(optionsOf(content, options));
}

/** The one lead of a file, without the fields that it does not tell. */
async function leadOf(
  content: string | Uint8Array,
  options: Partial<LeadFileOptions> = {},
): Promise<Record<string, unknown>> {
  const [row, ...more] = await rowsOf(content, options);
  expect(more).toEqual([]);
  if (row === undefined || "errors" in row) throw new Error(`Expected a lead, got ${JSON.stringify(row)}.`);
  const { status, tags, customFields, ...texts } = row.content;
  return {
    ...Object.fromEntries(Object.entries(texts).filter(([, text]) => text !== null)),
    ...(status !== "new" && { status }),
    ...(tags.length > 0 && { tags }),
    ...(Object.keys(customFields).length > 0 && { customFields }),
  };
}

async function errorsOf(
  content: string | Uint8Array,
  options: Partial<LeadFileOptions> = {},
): Promise<[number, string][]> {
  const rows = await rowsOf(content, options);
  return rows.flatMap((row) =>
    "errors" in row ? row.errors.map(({ path, message }): [number, string] => [row.row, `${path}: ${message}`]) : [],
  );
}

async function refusalOf(
  content: string | Uint8Array,
  options: Partial<LeadFileOptions> = {},
): Promise<ImportFileError> {
  const error: unknown = await rowsOf(content, options).catch((thrown: unknown) => thrown);
  if (!(error instanceof ImportFileError)) throw new Error(`Expected a ImportFileError, got ${String(error)}.`);
  return error;
}

const utf16 = (text: string, isBigEndian = false) =>
  isBigEndian ? Buffer.from(text, "utf16le").swap16() : Buffer.from(text, "utf16le");

describe("a CSV file of leads", () => {
  test("a connections export is read past its preamble", async () => {
    const content = [
      "Notes:",
      '"When exporting your data, some of the email addresses may be missing, because members can hide them."',
      "",
      "First Name,Last Name,URL,Email Address,Company,Position,Connected On",
      'Zoë,van Dyk,https://www.linkedin.com/in/zoe-v/,,"Acme, Inc.",Head of Ops,07 May 2024',
    ].join("\n");
    expect(await leadOf(content)).toEqual({
      ...{ firstName: "Zoë", lastName: "van Dyk", networkUrl: "https://www.linkedin.com/in/zoe-v/" },
      ...{ company: "Acme, Inc.", title: "Head of Ops", customFields: { "Connected On": "07 May 2024" } },
    });
    expect((await rowsOf(content)).map(({ row }) => row)).toEqual([5]);
  });

  test("the keys that duplicates are found by come with each lead", async () => {
    const [row] = await rowsOf("Email,LinkedIn URL\nAda@Example.com,linkedin.com/in/Ada/\n");
    expect(row).toMatchObject({
      row: 2,
      identity: { email: "ada@example.com", network: "https://linkedin.com/in/ada", name: null },
    });
  });

  test.each([
    ["UTF-8 with a byte order mark", Buffer.from("\ufeffEmail,Name\nzoe@x.com,Zoë Ōta\n")],
    ["UTF-16 with a byte order mark", utf16("\ufeffEmail,Name\nzoe@x.com,Zoë Ōta\n")],
    ["big-endian UTF-16 with a byte order mark", utf16("\ufeffEmail,Name\nzoe@x.com,Zoë Ōta\n", true)],
    ["UTF-16 without a byte order mark", utf16("Email,Name\nzoe@x.com,Zoë Ōta\n")],
    ["big-endian UTF-16 without a byte order mark", utf16("Email,Name\nzoe@x.com,Zoë Ōta\n", true)],
  ])("%s is understood", async (_, content) => {
    expect(await leadOf(content)).toEqual({ email: "zoe@x.com", firstName: "Zoë", lastName: "Ōta" });
  });

  test("what is not UTF-8 is read as Windows-1252", async () => {
    expect(await leadOf(Buffer.from("Email;Vorname\nzoe@x.com;Zo\xeb \x80\n", "latin1"))).toEqual({
      email: "zoe@x.com",
      firstName: "Zoë €",
    });
  });

  test.each([
    ["at the beginning", "b@x.com,Zo\xeb\n", "a@x.com,Zoë\n".repeat(3), 2],
    ["of a character that is cut off", "b@x.com,Zo\xc3\n", "a@x.com,Zoë\n", 2],
  ])("a byte %s that is not UTF-8 fails its row, and the others are read as UTF-8", async (_, bad, good, row) => {
    const content = Buffer.concat([Buffer.from("Email,Name\n"), Buffer.from(bad, "latin1"), Buffer.from(good)]);
    const [failed, ...others] = await rowsOf(content);
    expect(failed).toMatchObject({ row, errors: [{ message: expect.stringContaining("UTF-8") }] });
    expect(others.map((other) => "content" in other && other.content.firstName)).toEqual(
      Array<string>(others.length).fill("Zoë"),
    );
    expect(others.length).toBeGreaterThan(0);
    const preview = await inspectLeadFile(fileOf(content), { format: "auto", delimiter: null, columns: null }, never);
    expect(preview.encoding).toBe("utf-8");
    expect(preview.firstRows.slice(0, 2)).toMatchObject([
      { row, errors: [{}] },
      { row: row + 1, content: {} },
    ]);
  });

  test("the encoding is told by what is not ASCII, however far behind the beginning that comes", async () => {
    const content = Buffer.from(`Email,Name\n${"a@x.com,Ada\n".repeat(20_000)}b@x.com,Zo\xeb\n`, "latin1");
    expect((await rowsOf(content)).at(-1)).toMatchObject({ row: 20_002, content: { firstName: "Zoë" } });
  });

  test.each([
    ["ë", 1],
    ["山", 1],
    ["山", 2],
  ])("a %s that is cut in two behind byte %d by the end of a block is no mistake", async (character, cutAt) => {
    const blockBytes = 65_536;
    const beginning = `Email,Name\n${"a@x.com,Ada\n".repeat(5000)}`;
    const before = "@x.com,Zo";
    const mailbox = "b".repeat(blockBytes - cutAt - beginning.length - before.length);
    const content = `${beginning}${mailbox.slice(-50)}${before}${character}\n`;
    const filler = " ".repeat(mailbox.length - mailbox.slice(-50).length);
    const read = await rowsOf(content.replace("Ada\n", `Ada${filler}\n`));
    expect(Buffer.byteLength(content) + filler.length).toBe(blockBytes - cutAt + Buffer.byteLength(character) + 1);
    expect(read.at(-1)).toMatchObject({ content: { firstName: `Zo${character}` } });
  });

  test.each([
    ["shift_jis", "山田太郎", "株式会社ソフト表示"],
    ["gb18030", "张小雪", "北京有限公司"],
    ["windows-1251", "Юлия", "ООО Ромашка Ярославль"],
  ])("a long list in %s is read as it was written, block by block", async (encoding, firstName, company) => {
    const rows = Array.from({ length: 6000 }, (_, n) => `${"p".repeat(n % 7)}p${n}@x.com,${firstName},${company}\n`);
    const read = await rowsOf(encoded(`Email,First Name,Company\n${rows.join("")}`, encoding));
    expect(read).toHaveLength(6000);
    expect(read.every((row) => "content" in row && row.content.firstName === firstName)).toBe(true);
    expect(read.every((row) => "content" in row && row.content.company === company)).toBe(true);
  });

  test("ISO-2022-JP is told by its escapes", async () => {
    const content = "Email,First Name\na@x.com,\x1b$B;3ED\x1b(B\n";
    expect(await leadOf(content)).toEqual({ email: "a@x.com", firstName: "山田" });
  });

  test("bytes that mean nothing in another encoding fail their rows, too", async () => {
    const lines = Array.from({ length: 40 }, (_, n) => `p${n}@x.com,山田太郎,株式会社テスト\n`).join("");
    const list = encoded(`Email,First Name,Company\n${lines}`, "shift_jis");
    list[Buffer.from(list).indexOf("p20@x.com,") + "p20@x.com,".length] = 0xff;
    const failed = (await rowsOf(list)).filter((row) => "errors" in row);
    expect(failed.map(({ row }) => row)).toEqual([22]);
  });

  test("a file whose encoding can't be told is refused, and read when somebody names it", async () => {
    const content = encoded("Email,First Name\na@x.com,Łukasz Wiśniewski\n", "windows-1250");
    const refusal = rowsOf(content).catch((error: unknown) => error);
    expect(await refusal).toMatchObject({ reason: "unknownEncoding", details: { likely: ["windows-1250"] } });
    expect(await refusal).toMatchObject({
      message: expect.stringMatching(/windows-1250.*UTF-8.*`encoding`.*--encoding/),
    });
    expect(await leadOf(content, { encoding: "windows-1250" })).toMatchObject({ firstName: "Łukasz Wiśniewski" });
    // What is named wrong is read wrong, but a mark says it itself, and what is no text stays none.
    expect(await leadOf(content, { encoding: "windows-1252" })).toMatchObject({ firstName: "£ukasz Wiœniewski" });
    const marked = Buffer.from("\ufeffEmail,First Name\na@x.com,Zoë\n");
    expect(await leadOf(marked, { encoding: "windows-1252" })).toMatchObject({ firstName: "Zoë" });
    const binary = Buffer.from("Email\0\x01\0\x02", "latin1");
    expect(await rowsOf(binary, { encoding: "windows-1252" }).catch((error: unknown) => error)).toMatchObject({
      reason: "notText",
    });
  });

  test("bytes that are not UTF-8 far behind the beginning fail their rows and no others", async () => {
    const good = "a@x.com,Zoë\n".repeat(20_000);
    const content = Buffer.concat([
      Buffer.from(`Email,Name\n${good}`),
      Buffer.from("b@x.com,Zo\xeb\n", "latin1"),
      Buffer.from(good),
    ]);
    const failed = (await rowsOf(content)).filter((row) => "errors" in row);
    expect(failed.map(({ row }) => row)).toEqual([20_002]);
    expect(failed).toMatchObject([{ errors: [{ message: expect.stringContaining("UTF-8") }] }]);
  });

  test.each([";", "\t", "|"])("the separator %j is found", async (separator) => {
    const content =
      ["Email", "Name", "Notes"].join(separator) + "\n" + ["a@x.com", "Ada Lovelace", "a, b, c, d, e"].join(separator);
    expect(await leadOf(content)).toEqual({
      email: "a@x.com",
      firstName: "Ada",
      lastName: "Lovelace",
      notes: "a, b, c, d, e",
    });
  });

  test("a separator that is told in the first line or by the caller is used", async () => {
    expect(await leadOf("sep=^\r\nEmail^Name\r\na@x.com^Ada\r\n")).toEqual({ email: "a@x.com", firstName: "Ada" });
    expect(await leadOf("Email^Name\na@x.com^Ada", { delimiter: "^" })).toEqual({ email: "a@x.com", firstName: "Ada" });
  });

  test.each(["\n", "\r\n", "\r"])(
    "lines that end with %j are lines, and empty ones are left out but counted",
    async (end) => {
      const rows = await rowsOf(["Email", "a@x.com", "", '"b@x.com"', "", ""].join(end));
      expect(rows.map((row) => ("content" in row ? [row.row, row.content.email] : row))).toEqual([
        [2, "a@x.com"],
        [4, "b@x.com"],
      ]);
    },
  );

  test("a row with more cells than the header fails, unless those are empty; missing cells are empty", async () => {
    const content = "Email,Company\na@x.com,Acme,Inc\nb@x.com,Acme,,\nc@x.com\n";
    expect(await errorsOf(content)).toEqual([[2, expect.stringMatching(/3 cells.*2 columns/)]]);
    expect(await rowsOf(content)).toHaveLength(3);
  });

  test("a broken row is told with its reason and its number, and the others are read", async () => {
    const content = 'Email,Name\nnot an address,Ada\n"open@x.com,Bob\nc@x.com,Cy\n,Dan\n';
    expect(await errorsOf(content)).toEqual([
      [2, 'email: "not an address" is not an email address.'],
      [3, expect.stringContaining("quote")],
      [5, expect.stringContaining("identifier")],
    ]);
  });

  test("columns that are not understood become custom fields, also under repeated or missing names", async () => {
    expect(await leadOf("Email,Team,Team,\na@x.com,red,blue,green\n")).toEqual({
      email: "a@x.com",
      customFields: { Team: "red", "Team (2)": "blue", "column 4": "green" },
    });
  });

  test("of several columns for one field the first with a value fills it, another value is kept beside", async () => {
    const content = "Email,Work Email,Personal Email\n,a@x.com,a@home.com\n";
    expect(await leadOf(content)).toEqual({ email: "a@x.com", customFields: { "Personal Email": "a@home.com" } });
    expect(await leadOf("Email,Work Email\nb@x.com,a@x.com\n")).toEqual({
      email: "b@x.com",
      customFields: { "Work Email": "a@x.com" },
    });
  });

  test("city, state and country make up the location where there is no column for it", async () => {
    expect(await leadOf("Email,Country,City\na@x.com,France,Lyon\n")).toEqual({
      email: "a@x.com",
      location: "Lyon, France",
    });
    expect(await leadOf("Email,Location,City\na@x.com,Lyon area,Lyon\n")).toEqual({
      ...{ email: "a@x.com", location: "Lyon area", customFields: { City: "Lyon" } },
    });
  });

  test("beside a first name, a column called name is the last name", async () => {
    expect(await leadOf("Vorname;Name;Firma\nAda;King von Lovelace;Acme\n")).toEqual({
      ...{ firstName: "Ada", lastName: "King von Lovelace", company: "Acme" },
    });
  });

  test("tags and source of the import are added to each row", async () => {
    const content = "Email,Tags,Source\na@x.com,vip; berlin,fair\n";
    expect(await leadOf(content, { tags: ["june", "vip"], source: "list" })).toEqual({
      ...{ email: "a@x.com", tags: ["vip", "berlin", "june"], source: "fair" },
    });
    expect(await leadOf("Email\na@x.com\n", { source: "list" })).toEqual({ email: "a@x.com", source: "list" });
  });

  test("a status is taken when it is one of ours, else the row fails", async () => {
    expect(await leadOf("Email,Status\na@x.com,Contacted\n")).toEqual({ email: "a@x.com", status: "contacted" });
    expect(await errorsOf("Email,Status\na@x.com,hot\n")).toEqual([[2, expect.stringContaining('"hot"')]]);
  });

  test("columns can be mapped by hand", async () => {
    const columns = { adresse: "email", Status: "customFields.stage", Spalte: "ignore" };
    expect(await leadOf("Adresse,Status,Spalte\na@x.com,hot,7\n", { columns })).toEqual({
      ...{ email: "a@x.com", customFields: { stage: "hot" } },
    });
  });

  test("a mapping of a column that is not there, or to a field that does not exist, is refused", async () => {
    expect(await refusalOf("Email\na@x.com\n", { columns: { Mail2: "email", Emails: "email" } })).toMatchObject({
      reason: "badColumns",
      message: "The file has no column called Mail2, Emails. It has: Email. Did you mean Email?",
    });
    expect(await refusalOf("Email\na@x.com\n", { columns: { Email: "mail" } })).toMatchObject({
      reason: "badColumns",
      message: expect.stringContaining("fullName"),
    });
  });

  test("control characters are removed, line breaks only stay in notes", async () => {
    expect(await leadOf('Email,Company,Notes\na@x.com,"Ac\u0001me\r\nInc"," one\r\ntwo\u0007\t3 "\n')).toEqual({
      ...{ email: "a@x.com", company: "Acme Inc", notes: "one\ntwo\t3" },
    });
  });

  test("rows up to a given one are skipped", async () => {
    const rows = await rowsOf("Email\na@x.com\nb@x.com\nc@x.com\n", { afterRow: 3 });
    expect(rows.map(({ row }) => row)).toEqual([4]);
  });

  test("rows come in order and in batches that tell how far the file was read", async () => {
    const content = `Email\n${Array.from({ length: 50_000 }, (_, index) => `p${index}@x.com\n`).join("")}`;
    const batches = await batchesOf(content, { batchRows: 300 });
    expect(batches.slice(0, -1).every(({ numbers }) => numbers.length === 300)).toBe(true);
    expect(batches.flatMap(({ numbers }) => numbers)).toEqual(Array.from({ length: 50_000 }, (_, index) => index + 2));
    expect(batches.at(-1)).toMatchObject({ lastRow: 50_001, bytesRead: content.length, totalBytes: content.length });
  });

  test("a header without rows is a file without leads", async () => {
    expect(await batchesOf("Email,Name\n")).toEqual([]);
  });
});

describe("a file that can't be read as a whole", () => {
  test.each([
    ["nothing", "", "empty", "empty"],
    ["blanks", " \n\r\n ", "empty", "empty"],
    ["a damaged Excel workbook", Buffer.from("PK\x03\x04\x14\x00\x06\x00", "latin1"), "damaged", "workbook"],
    ["an old Excel workbook", Buffer.from("d0cf11e0a1b11ae1", "hex"), "notText", ".xls"],
    ["a gzip archive", Buffer.from("1f8b0800", "hex"), "notText", "gzip"],
    ["a picture", Buffer.from("89504e470d0a1a0a0000000d49484452", "hex"), "notText", "binary"],
    ["a web page", "<!DOCTYPE html><table>", "notText", "web page"],
    ["a JSON list", '[{"email": "a@x.com"}]', "notText", "NDJSON"],
    ["no header", "1,2,3\n4,5,6\n", "noColumns", "1, 2, 3"],
    ["no column that tells who it is", "Company,Title\nAcme,CEO\n", "noColumns", "Company, Title"],
  ])("%s is refused", async (_, content, reason, message) => {
    expect(await refusalOf(content)).toMatchObject({ reason, message: expect.stringContaining(message) });
  });

  test("a file that is not there is an error of the file system", async () => {
    const options = { ...optionsOf("x"), path: join(folder, "absent") };
    await expect(Array.fromAsync(readLeadFile(options, never))).rejects.toMatchObject({ code: "ENOENT" });
  });

  test("a fault in the thread ends the reading with an error", async () => {
    const options = { ...optionsOf("x"), path: folder };
    await expect(Array.fromAsync(readLeadFile(options, never))).rejects.toThrow("EISDIR");
  });

  test("thousands of columns with one name are no trouble", async () => {
    expect(await refusalOf("a,".repeat(30_000))).toMatchObject({ reason: "noColumns" });
  });
});

describe("an NDJSON file of leads", () => {
  test("each line is a lead, under our names or those of headers", async () => {
    const lines = [
      {
        firstName: "Ada",
        lastName: "Lovelace",
        company: "Acme",
        tags: ["a;b"],
        customFields: { age: 36 },
        status: "qualified",
      },
      { email: "b@x.com", "Job Title": "CEO", score: 7, list: [1], phone: null, id: "x" },
    ];
    const rows = await rowsOf(lines.map((line) => JSON.stringify(line)).join("\n\n"));
    expect(rows).toMatchObject([
      { row: 1, content: { firstName: "Ada", status: "qualified", tags: ["a;b"], customFields: { age: 36 } } },
      { row: 3, content: { email: "b@x.com", title: "CEO", customFields: { score: 7, list: [1] } } },
    ]);
    expect(rows[1]).toMatchObject({ content: { phone: null } });
  });

  test("wrong types and lines that are not JSON are errors of their row", async () => {
    const content = '{"email": "a@x.com", "phone": 5, "tags": ["a", 1], "customFields": []}\n{"email": \n["a@x.com"]\n';
    expect(await errorsOf(content)).toEqual([
      [1, "phone: Expected a string, got a number."],
      [1, "tags.1: Expected a string, got a number."],
      [1, "customFields: Expected an object, got a list."],
      [2, expect.stringContaining("not JSON")],
      [3, ": Expected a JSON object on each line."],
    ]);
  });

  test("a line beyond the limit fails alone", async () => {
    const content = `{"email": "a@x.com"}\n{"email": "${"x".repeat(3_000_000)}"}\n{"email": "c@x.com"}\n`;
    expect(await errorsOf(content)).toEqual([[2, expect.stringContaining("longer")]]);
    expect(await rowsOf(content)).toHaveLength(3);
  });
});

describe("a look at a file of leads", () => {
  test("shows how a CSV file would be read", async () => {
    const path = fileOf("\ufeffE-Mail;Firma;Farbe\na@x.com;Acme;rot\n");
    expect(
      await inspectLeadFile(path, { format: "auto", delimiter: null, columns: { Farbe: "notes" } }, never),
    ).toMatchObject({
      ...{ format: "csv", encoding: "utf-8", delimiter: ";", headerRow: 1 },
      columns: [
        { header: "E-Mail", target: "email" },
        { header: "Firma", target: "company" },
        { header: "Farbe", target: "notes" },
      ],
      firstRows: [{ row: 2, content: { email: "a@x.com", company: "Acme", notes: "rot" } }],
    });
  });

  test("shows the names of an NDJSON file", async () => {
    const path = fileOf('{"email": "a@x.com", "shoe": 42}\n');
    expect(await inspectLeadFile(path, { format: "auto", delimiter: null, columns: null }, never)).toMatchObject({
      ...{ format: "ndjson", delimiter: null, headerRow: null },
      columns: [
        { header: "email", target: "email" },
        { header: "shoe", target: "customFields.shoe" },
      ],
    });
  });
});

describe("the end of reading", () => {
  const long = `Email\n${"a@x.com\n".repeat(200_000)}`;

  test("an aborted signal ends it with the signal's reason", async () => {
    const controller = new AbortController();
    const read = async () => {
      for await (const _ of readLeadFile(optionsOf(long), controller.signal)) controller.abort(new Error("enough"));
    };
    await expect(read()).rejects.toThrow("enough");
    await expect(Array.fromAsync(readLeadFile(optionsOf(long), controller.signal))).rejects.toThrow("enough");
  });

  test("leaving the loop ends it", async () => {
    let batches = 0;
    for await (const _ of readLeadFile(optionsOf(long), never)) if (++batches === 3) break;
    expect(batches).toBe(3);
  });

  test("no more batches are under way than are allowed", async () => {
    const descriptor = openSync(fileOf(long), "r");
    const posted: LeadFileAnswer[] = [];
    let allowOneMore: (message: "next") => void = () => {};
    const port = {
      post: (answer: LeadFileAnswer) => posted.push(answer),
      onMessage: (listener: typeof allowOneMore) => (allowOneMore = listener),
    };
    const work = { kind: "read", options: optionsOf("", { batchRows: 1000 }), batchesInFlight: 4 } as const;
    void runLeadFileThread(port, { descriptor, totalBytes: long.length, work });
    await new Promise(setImmediate);
    expect(posted).toHaveLength(4);
    allowOneMore("next");
    await new Promise(setImmediate);
    expect(posted).toHaveLength(5);
    closeSync(descriptor);
  });
});
