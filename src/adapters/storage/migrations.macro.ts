import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export type Migration = { number: number; name: string; hash: string; sql: string };

/** Runs while the bundle is made (a Bun macro): the folder's files become part of the program. */
export function embedMigrations(dialect: string): Migration[] {
  const folder = join(import.meta.dir, "../../../migrations", dialect);
  return readdirSync(folder)
    .filter((file) => file.endsWith(".sql"))
    .sort()
    .map((file) => {
      const sql = readFileSync(join(folder, file), "utf8");
      const hash = new Bun.CryptoHasher("sha256").update(sql).digest("hex");
      return { number: Number.parseInt(file, 10), name: file, hash, sql };
    });
}
