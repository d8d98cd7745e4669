import { csvHeader, csvRow } from "./people.ts";
import type { Home, Server } from "./server.ts";

/** Calls the API of a server, and follows its jobs. */
export class LeadApi {
  readonly #url: string;
  readonly #key: string;

  constructor({ port }: Pick<Server, "port">, { key }: Pick<Home, "key">) {
    this.#url = `http://127.0.0.1:${port}/api/v2`;
    this.#key = key;
  }

  async get<T>(path: string): Promise<T> {
    return await dataOf<T>(fetch(this.#url + path, { headers: { "x-api-key": this.#key } }));
  }

  /** Resolves when the job has completed. */
  async run(path: string, body: string, contentType = "application/json"): Promise<BenchJob> {
    const headers = { "x-api-key": this.#key, "content-type": contentType };
    let job = await dataOf<BenchJob>(fetch(this.#url + path, { method: "POST", headers, body }));
    while (job.status === "pending" || job.status === "running") {
      await Bun.sleep(50);
      job = await this.get<BenchJob>(`/users/jobs/${job.id}`);
    }
    if (job.status !== "completed") throw new Error(`The job failed: ${job.message}`);
    return job;
  }

  /** Imports made-up people as leads. */
  async fill(count: number): Promise<void> {
    const rows = Array.from({ length: count }, (_, n) => csvRow(1, n));
    await this.run("/leads/import?onDuplicate=create", csvHeader + rows.join(""), "text/csv");
  }
}

export type BenchJob = { id: string; status: string; message: string; metadata: Record<string, unknown> };

async function dataOf<T>(answer: Promise<Response>): Promise<T> {
  const response = await answer;
  if (!response.ok)
    throw new Error(`Expected a success of ${response.url}, got ${response.status}: ${await response.text()}`);
  return ((await response.json()) as { data: T }).data;
}
