import { expect, test } from "bun:test";
import { join } from "node:path";
import { createLineLog, createLog, type Log } from "../../src/platform/base/log.ts";

/** What is written while `run` logs. */
function written(run: (log: Log) => void): string {
  let text = "";
  run(createLog("debug", { write: (line) => void (text += line) }));
  return text;
}

test.each([
  [{ key: "hush" }],
  [{ apiKey: "hush" }],
  [{ token: "hush" }],
  [{ secret: "hush" }],
  [{ password: "hush" }],
  [{ authorization: "Bearer hush" }],
  [{ "x-api-key": "hush" }],
  [{ headers: { "x-api-key": "hush", authorization: "hush" } }],
  [{ request: { headers: { authorization: "hush" } } }],
  [{ account: { token: "hush" } }],
])("a secret in %j is not written", (fields) => {
  const text = written((log) => log.warn(fields, "looked at"));
  expect(text).not.toContain("hush");
  expect(JSON.parse(text)).toMatchObject({ level: "warn", msg: "looked at" });
  expect(text).toContain("[secret]");
});

test("the id of a key is written, which is no secret", () => {
  const text = written((log) => log.info({ keyId: "0198", jobId: "0199" }, "done"));
  expect(JSON.parse(text)).toMatchObject({ keyId: "0198", jobId: "0199" });
});

test("frequent lines have the fields of their log too", () => {
  let text = "";
  const destination = { write: (line: string) => void (text += line) };
  const log = createLog("info", destination).child({ node: "n-1" });
  createLineLog(log, destination).write("info", { requestId: "r-1" }, "request served");
  expect(JSON.parse(text)).toMatchObject({ level: "info", node: "n-1", requestId: "r-1", msg: "request served" });
});

test("lines of a turn are written together, in order, and also when the process exits at once", async () => {
  const script = `
    import { createLineLog, createLog } from ${JSON.stringify(join(import.meta.dir, "../../src/platform/base/log.ts"))};
    const log = createLog("info");
    log.info("one"); createLineLog(log).write("info", {}, "two"); log.info("three");
    setImmediate(() => { log.info("x".repeat(100_000)); log.warn("last"); process.exit(3); });
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stderr: "pipe" });
  const lines = (await new Response(child.stderr).text()).trimEnd().split("\n");
  expect(lines.map((line) => (JSON.parse(line) as { msg: string }).msg.slice(0, 5))).toEqual([
    "one",
    "two",
    "three",
    "xxxxx",
    "last",
  ]);
  expect(await child.exited).toBe(3);
});

test("plain lines are written without anything after them, soon or when they are many", async () => {
  const script = `
    import { createLineLog, createLog } from ${JSON.stringify(join(import.meta.dir, "../../src/platform/base/log.ts"))};
    const lines = createLineLog(createLog("info"));
    const later = setInterval(() => {}, 1000);
    process.stdin.once("data", () => {
      for (let n = 0; n < 2000; n++) lines.write("info", { n }, "many");
      process.kill(process.pid, "SIGKILL");
    });
    lines.write("info", {}, "one");
  `;
  const child = Bun.spawn([process.execPath, "-e", script], { stdin: "pipe", stderr: "pipe" });
  let text = "";
  for await (const bytes of child.stderr) {
    if (text === "") await child.stdin.write("go\n");
    text += new TextDecoder().decode(bytes);
  }
  const [first, ...others] = text.split("\n").filter((line) => line.endsWith("}"));
  expect(first).toContain('"one"');
  expect(others.length).toBeGreaterThan(500);
  expect(others.length).toBeLessThan(2000);
});

test("a line of plain fields is like every other line, and keeps to the level", () => {
  const fields = { requestId: "0198", path: '/a"\nb', status: 200, keyId: null };
  let [line, other] = ["", ""];
  const plain = createLineLog(createLog("info"), { write: (text) => void (line += text) });
  createLog("info", { write: (text) => void (other += text) }).info(fields, "request served");
  plain.write("info", fields, "request served");
  const { time, ...rest } = JSON.parse(line) as Record<string, unknown>;
  expect(time).toMatch(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
  expect(Object.keys(JSON.parse(line) as object)).toEqual(Object.keys(JSON.parse(other) as object));
  expect(rest).toEqual({ level: "info", ...fields, msg: "request served" });
  expect(line).toEndWith("}\n");
  expect((["debug", "info"] as const).map((level) => plain.writes(level))).toEqual([false, true]);
  expect(createLineLog(createLog("silent")).writes("info")).toBe(false);
});
