import { expect, test } from "bun:test";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { prospectCsvHeader, prospectCsvRow } from "../bench/prospect-people.ts";
import { openLiveDatabase } from "../support/live-database.ts";
import { createDirectory, startServer } from "../support/program.ts";
import { eventually } from "../support/service.ts";

const noLimits = { OUTREACHD_RATE_LIMIT_MINUTE: "0" };
const people = 4000;
/** Each person once, and every tenth again at the end. */
const file = [
  prospectCsvHeader,
  ...Array.from({ length: people }, (_, n) => prospectCsvRow(1, n)),
  ...Array.from({ length: people / 10 }, (_, n) => prospectCsvRow(1, n * 10)),
].join("");
/** Pages of a run that no directory knows: what a kill in the middle of a flush leaves. */
const strayRun = 900;

test("an import of prospects that is killed goes on, stores everybody once and leaves nothing behind", async () => {
  await using directory = await createDirectory();
  let key = "";
  let jobId = "";
  const ask = async <T>(api: string, path: string, body?: string, type = "application/json"): Promise<T> => {
    const method = body === undefined ? "GET" : "POST";
    const headers = { "x-api-key": key, "content-type": type };
    const answer = await fetch(api + path, { method, headers, ...(body !== undefined && { body }) });
    return ((await answer.json()) as { data: T }).data;
  };
  const job = (api: string) => ask<JobView & { metadata: Record<string, number> }>(api, `/users/jobs/${jobId}`);
  {
    await using server = await startServer(directory.path, { env: noLimits });
    key = server.firstRun?.key ?? "";
    jobId = (await ask<JobView>(server.api, "/prospecting/import", file, "text/csv")).id;
    const rows = await eventually("the first rows", async () => (await job(server.api)).metadata["rows"] || null);
    await server.stop("SIGKILL");
    expect(rows).toBeLessThan(people);
  }
  {
    using database = openLiveDatabase(directory.path);
    database.run("INSERT INTO prospect_key_pages (place, entries) VALUES (?, zeroblob(12))", [strayRun * 65_536]);
  }
  await using server = await startServer(directory.path, { env: noLimits });
  const ended = await eventually("the import to end", async () => {
    const found = await job(server.api);
    return found.status === "completed" || found.status === "failed" ? found : null;
  });
  expect(ended).toMatchObject({
    status: "completed",
    metadata: { rows: people * 1.1, created: people, updated: 0, skipped: people / 10, failed: 0 },
  });
  const dry = JSON.stringify({ filters: {}, dryRun: true });
  expect(await ask(server.api, "/prospecting/search", dry)).toMatchObject({ total: people });
  const { facets } = await ask<{ facets: { values: { count: number }[] }[] }>(
    server.api,
    "/prospecting/facets?facet=size",
  );
  expect(facets[0]!.values.reduce((sum, { count }) => sum + count, 0)).toBe(people);
  using database = openLiveDatabase(directory.path, { readonly: true });
  await eventually("the stray pages to go", async () => {
    const stray = database.query(`SELECT 1 FROM prospect_key_pages WHERE place = ${strayRun * 65_536}`).get();
    return stray === null || null;
  });
}, 30_000);
