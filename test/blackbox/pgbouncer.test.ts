import { expect, setDefaultTimeout, test } from "bun:test";
import { startCluster } from "../support/cluster.ts";
import { openStream } from "../support/event-stream.ts";
import { hasPgbouncer, startPgbouncer } from "../support/pgbouncer.ts";
import { createTestDatabase } from "../support/postgres.ts";
import { eventually, succeeded } from "../support/service.ts";

setDefaultTimeout(120_000);

const leadsPath = "/api/v2/leads";
const title = "two nodes behind pgbouncer in transaction mode serve requests, streams, and jobs";

test.skipIf(!hasPgbouncer)(hasPgbouncer ? title : `${title} (pgbouncer is not installed)`, async () => {
  const database = await createTestDatabase();
  await using pooler = await startPgbouncer(database.url);
  await using cluster = await startCluster(
    [{ OUTREACHD_LOG_LEVEL: "warn" }, {}],
    {
      ...{
        OUTREACHD_RATE_LIMIT_MINUTE: "100000",
        OUTREACHD_RATE_LIMIT_HOUR: "100000",
        OUTREACHD_RATE_LIMIT_DAY: "100000",
      },
      ...{ OUTREACHD_DATABASE_PREPARE: "false", OUTREACHD_DATABASE_POOL: "10" },
    },
    { ...database, url: pooler.url },
  );
  const client = cluster.alternating();
  await using stream = await openStream(`${cluster.other.url}/api/v2/events/stream?type=lead.created`, cluster.key);
  const emails = Array.from({ length: 200 }, (_, n) => `p${n}@example.com`);
  const made = await Promise.all(
    emails.map((email, n) =>
      client.post<{ id: string }>(leadsPath, { email }, { headers: { "idempotency-key": `key-${n}` } }),
    ),
  );
  const ids = made.map((answer) => succeeded(answer).data.id);
  const seen = (await stream.take(200)).map(({ data }) => (data as { leadId: string }).leadId);
  expect(seen.toSorted()).toEqual(ids.toSorted());
  const csv = `email\n${Array.from({ length: 500 }, (_, n) => `q${n}@example.com`).join("\n")}\n`;
  const job = await client.post<{ id: string }>(`${leadsPath}/import`, csv, {
    headers: { "content-type": "text/csv" },
  });
  await eventually("the import", async () => {
    const { data } = await client.get<{ status: string }>(`/api/v2/users/jobs/${succeeded(job).data.id}`);
    return data.status === "completed" ? true : null;
  });
  const list = await client.get<{ total: number }>(leadsPath, { query: { limit: 1 } });
  expect(succeeded(list).data.total).toBe(700);
  const { log } = await cluster.one.stop();
  const problems = log.split("\n").filter((line) => line !== "" && !line.includes("ALTER ROLE"));
  expect(problems).toEqual([]);
});
