import { join } from "node:path";
import { Client, type ClientSetup } from "./client.ts";
import { ApiDocument } from "./openapi.ts";
import { createTestDatabase, type TestDatabase } from "./postgres.ts";
import { createDirectory, startServer } from "./program.ts";
import { startS3Server } from "./s3-server.ts";

type NodeSettings = Record<string, string>;
export type ClusterNode = Awaited<ReturnType<typeof startServer>>;

/** Variables of the program for files in a bucket. */
export function filesIn(s3: ReturnType<typeof startS3Server>, prefix = "team"): NodeSettings {
  return {
    OUTREACHD_FILES: `s3://${s3.bucket}/${prefix}`,
    OUTREACHD_S3_ENDPOINT: s3.url,
    OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
    OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
}

export const noRateLimits: NodeSettings = {
  OUTREACHD_RATE_LIMIT_MINUTE: "0",
  OUTREACHD_RATE_LIMIT_HOUR: "0",
  OUTREACHD_RATE_LIMIT_DAY: "0",
};

/**
 * The real program several times, on one database and one bucket. `settings` are those of each node in turn, on top of
 * `shared`. `await using` stops the nodes and releases the database, even one that the caller made (`own`).
 */
export async function startCluster(
  settings: readonly NodeSettings[] = [{}, {}],
  shared: NodeSettings = noRateLimits,
  own: TestDatabase | null = null,
) {
  const directory = await createDirectory();
  const s3 = startS3Server();
  const database = own ?? (await createTestDatabase());
  const running: ClusterNode[] = [];

  /** Another node. Its scratch directory is its own. */
  async function add(own: NodeSettings = {}, args: readonly string[] = []): Promise<ClusterNode> {
    const env = {
      OUTREACHD_DATABASE: database.url,
      OUTREACHD_DATABASE_POOL: "4",
      ...{ ...filesIn(s3), ...shared, ...own },
    };
    const node = await startServer(join(directory.path, `node-${running.length}`), { env, args });
    running.push(node);
    return node;
  }

  async function end(): Promise<void> {
    await Promise.all(running.map((node) => node[Symbol.asyncDispose]()));
    await database.release();
    await s3.stop();
    await directory[Symbol.asyncDispose]();
  }

  try {
    for (const own of settings) await add(own);
    const [one, other] = running as [ClusterNode, ClusterNode];
    const key = one.firstRun?.key ?? "";
    const document = new ApiDocument(
      (await (await fetch(`${one.url}/openapi.json`)).json()) as Record<string, unknown>,
    );
    const hasLimits = shared["OUTREACHD_RATE_LIMIT_MINUTE"] !== "0";
    return {
      one,
      other,
      /** API key of the admin. */
      key,
      database,
      s3,
      add,
      /** A client of one node. */
      client: ({ url }: ClusterNode, secret: string | null = key) => new Client({ url, document, hasLimits }, secret),
      /** A client that sends each request to another node than the previous one. */
      alternating(secret: string | null = key): Client {
        let sent = 0;
        const setup: ClientSetup = {
          get url() {
            return running[sent++ % 2]!.url;
          },
          document,
          hasLimits,
        };
        return new Client(setup, secret);
      },
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}
