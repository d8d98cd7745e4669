import { latestMigration } from "./schema.macro.ts" with { type: "macro" };

/** The version of this program, for `--version`, the health report, and the OpenAPI document. Inlined by the build. */
export { version } from "../../../package.json" with { type: "json" };

/** Defined by the build. */
declare const buildCommit: string | null | undefined;
declare const buildDate: string | null | undefined;

/** The commit that this program was built from, with `+changes` if files had been changed; null if that is unknown. */
export const commit: string | null = typeof buildCommit === "undefined" ? null : (buildCommit ?? null);

/** The day of that commit, such as 2026-01-31; null if that is unknown. */
export const commitDate: string | null = typeof buildDate === "undefined" ? null : (buildDate ?? null);

/** Numbers of the newest migrations: a database with a higher number was written by a newer program. */
export const schema: Readonly<Record<"sqlite" | "postgres", number>> = {
  sqlite: latestMigration("sqlite"),
  postgres: latestMigration("postgres"),
};

/** The number for the engine in use. */
export function schemaInUse({ database }: { database: object | null }): number {
  return database === null ? schema.sqlite : schema.postgres;
}
