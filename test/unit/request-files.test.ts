import { expect, test } from "bun:test";
import { join } from "node:path";

/** May only fall. */
const mostFiles = 27;

test("one POST /leads executes few files of the source", async () => {
  const program = join(import.meta.dir, "../support/request-files.ts");
  const child = Bun.spawn({ cmd: [process.execPath, program], stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(errors).toBe("");
  const files = JSON.parse(output) as string[];
  expect(files).toContain("platform/http/pipeline.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(mostFiles);
}, 60_000);
