import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import { filesIn } from "../support/cluster.ts";
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
    const settings = { OUTREACHD_DATABASE: url, ...filesIn(s3) };
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
