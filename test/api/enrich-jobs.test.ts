import { afterAll, describe, expect, test } from "bun:test";
import type { EnrichmentFailure, EnrichmentResult } from "../../src/features/enrichment/model.ts";
import type { JobView } from "../../src/platform/jobs/model.ts";
import { startService } from "../support/service.ts";
import { path, store, enrich, balanceOf, ada } from "../support/enrich-api.ts";

const service = await startService({ settings: { ENRICHMENTS_PER_HOUR: 0, DEFAULT_CREDITS: 200 } });

afterAll(() => service[Symbol.asyncDispose]());

type Results = {
  enriched: EnrichmentResult[];
  failed: EnrichmentFailure[];
  creditsUsed: number;
  nextCursor: string | null;
};

describe("a job", () => {
  test("reports its progress, and keeps what it found", async () => {
    const user = await service.user();
    for (let n = 0; n < 5; n++) await store(user, { ...ada, email: `p${n}@analytical.example` });
    const leads = Array.from({ length: 51 }, (_, n) => ({ email: `p${n}@analytical.example` }));
    const submitted = await user.post<JobView>(path, { leads }, { headers: { prefer: "respond-async" } });
    expect(submitted.status).toBe(202);
    expect(submitted.headers.get("location")).toBe(`/api/v2/users/jobs/${submitted.data.id}`);
    expect(submitted.data).toMatchObject({ type: "data_enrichment", metadata: { batchSize: 51 } });
    const job = await service.ended(user, submitted.data.id);
    expect(job).toMatchObject({
      status: "completed",
      progress: 100,
      metadata: { batchSize: 51, processed: 51, enriched: 5, failed: 46, creditsUsed: 5 },
    });
    const results = (query: object) => user.get<Results>(job.metadata["results"] as string, { query: { ...query } });
    const { data } = await results({});
    expect(data.enriched.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4]);
    expect(data).toMatchObject({ creditsUsed: 5, remainingCredits: 195, nextCursor: null });
    const first = (await results({ limit: 50 })).data;
    const second = (await results({ limit: 50, cursor: first.nextCursor ?? "" })).data;
    expect([...first.failed, ...second.failed]).toEqual(data.failed);
    expect(second.failed.map(({ index }) => index)).toEqual([50]);
  });

  test("asks anew about somebody once, however often it has them, and charges once", async () => {
    const user = await service.user();
    const leads = Array.from({ length: 51 }, (_, n) => ({ email: `p${n % 50}@analytical.example` }));
    for (const { email } of leads.slice(0, 50)) await store(user, { ...ada, email });
    await enrich(user, leads.slice(0, 1));
    const prefer = { headers: { prefer: "respond-async" } };
    const { data: job } = await user.post<JobView>(path, { leads, refresh: true }, prefer);
    expect(await service.ended(user, job.id)).toMatchObject({
      status: "completed",
      metadata: { enriched: 51, failed: 0, creditsUsed: 50 },
    });
    const { data } = await user.get<Results>(`${path}/jobs/${job.id}/results`);
    expect(data.enriched.map(({ creditsUsed }) => creditsUsed)).toEqual([...leads.slice(1).map(() => 1), 0]);
    expect(await balanceOf(user)).toBe(149);
  });

  test("is what a client gets that prefers one", async () => {
    const user = await service.user();
    await store(user, ada);
    const submitted = await user.post<JobView>(
      path,
      { leads: [{ email: ada.email }] },
      { headers: { prefer: "wait=5, respond-async" } },
    );
    expect(submitted.status).toBe(202);
    expect(submitted.headers.get("preference-applied")).toBe("respond-async");
    await service.ended(user, submitted.data.id);
    expect(await balanceOf(user)).toBe(199);
  });

  test("of somebody else, or of another kind, has no results", async () => {
    const user = await service.user();
    const other = await service.user();
    const { data } = await user.post<JobView>(
      path,
      { leads: [{ email: "a@b.co" }] },
      { headers: { prefer: "respond-async" } },
    );
    expect(await other.get(`${path}/jobs/${data.id}/results`)).toMatchObject({ status: 404 });
    expect(await user.get(`${path}/jobs/nothing/results`)).toMatchObject({ status: 404 });
    expect(await user.get(`${path}/jobs/${data.id}/results`, { query: { cursor: "nonsense" } })).toMatchObject({
      status: 400,
    });
  });
});
