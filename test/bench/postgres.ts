import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { createTestDatabase } from "../support/postgres.ts";
import { startS3Server } from "../support/s3-server.ts";
import { createHome, withDirectory, type Home } from "./server.ts";

/** An empty database, with the settings of a server that uses it. */
export type PostgresHome = Home & { url: string; settings: Record<string, string> };

/**
 * Runs `work` with a database on a server that survives a power cut, on the project's own disk. Its tables are there, with
 * an admin.
 */
export function withPostgres<T>(work: (home: PostgresHome) => Promise<T>): Promise<T> {
  return withDirectory(async (directory) => {
    // The first database starts the server.
    process.env["OUTREACHD_TEST_POSTGRES"] = "durable";
    process.env["TMPDIR"] ??= join(directory, "..");
    const { url, drop } = await createTestDatabase();
    const s3 = startS3Server();
    const settings = {
      OUTREACHD_DATABASE: url,
      OUTREACHD_FILES: `s3://${s3.bucket}/bench`,
      OUTREACHD_S3_ENDPOINT: s3.url,
      OUTREACHD_S3_ACCESS_KEY_ID: s3.accessKeyId,
      OUTREACHD_S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
    };
    try {
      await mkdir(join(directory, "home"));
      const home = await createHome(join(directory, "home"), settings);
      return await work({ ...home, url, settings });
    } finally {
      await drop();
      await s3.stop();
    }
  });
}
