import { expect, test } from "bun:test";
import { ImportCauses } from "../../src/features/leads/import/causes.ts";

const failed = (row: number, message: string, path = "email") => ({
  ...{ row, outcome: "failed" as const, leadId: null, errors: [{ path, message }] },
});

test("rows are grouped by why, whatever their values are, the most frequent first", () => {
  const causes = new ImportCauses();
  for (const row of [2, 3, 4, 5]) causes.add(failed(row, `"mistake ${row}" is not an email address.`));
  causes.add({ row: 6, outcome: "skipped", leadId: "l", errors: [] });
  causes.add(failed(7, "Expected at most 200 characters, got 512.", "title"));
  causes.add(failed(8, "Expected at most 200 characters, got 201.", "title"));
  expect(causes.all.map(({ path, message, rows }) => [path, message, rows])).toEqual([
    ["email", "… is not an email address.", 4],
    ["title", "Expected at most 200 characters, got ….", 2],
    ["", "Already a lead.", 1],
  ]);
  expect(causes.all[0]?.samples.map(({ row, detail }) => [row, detail])).toEqual([
    [2, '"mistake 2" is not an email address.'],
    [3, '"mistake 3" is not an email address.'],
    [4, '"mistake 4" is not an email address.'],
  ]);
});

test("endless kinds of reasons take bounded space, and every row still counts", () => {
  const causes = new ImportCauses();
  for (let row = 1; row <= 1000; row++) causes.add(failed(row, "Wrong.", `customFields.${row}`));
  expect(causes.all.length).toBeLessThanOrEqual(51);
  expect(causes.all.reduce((sum, { rows }) => sum + rows, 0)).toBe(1000);
});
