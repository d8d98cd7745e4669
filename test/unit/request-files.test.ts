import { expect, test } from "bun:test";
import { basename, join } from "node:path";

/** May only fall. */
const mostFiles = 26;

test("one POST /leads executes few files of the source, all of which the architecture document names", async () => {
  const program = join(import.meta.dir, "../support/request-files.ts");
  const child = Bun.spawn({ cmd: [process.execPath, program], stdout: "pipe", stderr: "pipe" });
  const [output, errors] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
  expect(errors).toBe("");
  const files = JSON.parse(output) as string[];
  expect(files).toContain("platform/http/pipeline.ts");
  expect(files.length, files.join("\n")).toBeLessThanOrEqual(mostFiles);
  const [, section = ""] = (await Bun.file(join(import.meta.dir, "../../ARCHITECTURE.md")).text()).split(
    /^## .* POST \/leads$/m,
  );
  const walk = section.split(/^## /m)[0]!;
  expect(files.filter((file) => !walk.includes(basename(file)))).toEqual([]);
}, 60_000);
