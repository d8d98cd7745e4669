import { expect, test } from "bun:test";
import { notices, noticesPath } from "../../.ci/notices.ts";

test("the notices name everything that is bundled, with its license", async () => {
  const written = await Bun.file(noticesPath).text();
  expect(written).toBe(await notices());
  expect(written).not.toContain("(unknown)");
}, 60_000);

test("nothing that is bundled has a license that forbids to hand the program on under MIT", async () => {
  const licenses = [...(await Bun.file(noticesPath).text()).matchAll(/^## \S+ \d[\w.-]* \(([^)]+)\)$/gm)].map(
    ([, name]) => name,
  );
  expect(licenses.length).toBeGreaterThan(40);
  const free = new Set([
    "MIT",
    "MIT-0",
    "ISC",
    "Apache-2.0",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "BSD-4-Clause",
    "0BSD",
    "Unlicense",
  ]);
  // With a choice ("MIT OR Apache-2.0"), one of them is enough.
  const isFree = (license = "") => license.split(" OR ").some((choice) => free.has(choice));
  expect(licenses.filter((license) => !isFree(license))).toEqual([]);
});
