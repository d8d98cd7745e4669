import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig } from "../../src/app/config/config.ts";
import { createApp } from "../../src/surfaces/app.ts";
import type { App, Overrides } from "../../src/app/app.ts";
import { createTestDatabase } from "./postgres.ts";
import { startS3Server } from "./s3-server.ts";

export type AppNode = App & {
  /** Sends a request with the key of the admin. */
  get(path: string): Promise<Response>;
  /** `data` of a successful response; a POST if there is a body. */
  data<T>(path: string, body?: object): Promise<T>;
};

/** Nodes in this process, on a database and a bucket of their own. Hold it with `await using`, which stops them all. */
export async function createAppNodes() {
  const database = await createTestDatabase();
  const s3 = startS3Server();
  const root = await mkdtemp(join(tmpdir(), "outreachd-nodes-"));
  const nodes: AppNode[] = [];
  let adminKey = "";

  async function start(settings: Record<string, string> = {}, overrides: Overrides = {}): Promise<AppNode> {
    const env = {
      OUTREACHD_DATABASE: database.url,
      OUTREACHD_DATABASE_POOL: "4",
      OUTREACHD_FILES: `s3://${s3.bucket}/files`,
      OUTREACHD_S3_ENDPOINT: s3.url,
      OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
      OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
      OUTREACHD_LISTEN: "127.0.0.1:0",
      OUTREACHD_LOG_LEVEL: "silent",
      OUTREACHD_TIME_ZONE: "UTC",
      OUTREACHD_RATE_LIMIT_MINUTE: "0",
      OUTREACHD_RATE_LIMIT_HOUR: "0",
      OUTREACHD_RATE_LIMIT_DAY: "0",
      ...settings,
    };
    const app = await createApp(loadConfig({ flags: { data: join(root, `node-${nodes.length}`) }, env }), overrides);
    await app.start();
    adminKey ||= app.firstRun?.key ?? "";
    const { url } = app;
    const send = (path: string, init: { method?: string; body?: string } = {}) =>
      fetch(url + path, { ...init, headers: { "x-api-key": adminKey, "content-type": "application/json" } });
    const node: AppNode = {
      ...app,
      url,
      get: (path) => send(path),
      async data<T>(path: string, body?: object): Promise<T> {
        const response = await send(path, body && { method: "POST", body: JSON.stringify(body) });
        if (!response.ok) throw new Error(`${path} responded with ${response.status}: ${await response.text()}`);
        return ((await response.json()) as { data: T }).data;
      },
    };
    nodes.push(node);
    return node;
  }

  return {
    database,
    s3,
    start,
    async [Symbol.asyncDispose]() {
      await Promise.all(nodes.map((node) => node.stop()));
      await database.release();
      await s3.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
}
