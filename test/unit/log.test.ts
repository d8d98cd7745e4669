import { expect, test } from "bun:test";
import { createLog, type Log } from "../../src/log.ts";

/** What is written to standard error while `run` logs. */
function written(run: (log: Log) => void): string {
  const original = process.stderr.write;
  let text = "";
  process.stderr.write = (chunk: string | Uint8Array) => {
    text += String(chunk);
    return true;
  };
  try {
    run(createLog("debug"));
  } finally {
    process.stderr.write = original;
  }
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
