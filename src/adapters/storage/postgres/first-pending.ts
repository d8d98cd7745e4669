import { sql } from "drizzle-orm";
import { jobTypes } from "../../../platform/jobs/model.ts";
import { jobs } from "./tables.ts";

const names = sql.join(
  jobTypes.map((type) => sql`(${type}::text)`),
  sql`, `,
);

/** Rows with the `type.name` of pending jobs and, as `due.at`, when the first of them is due. One look-up per type. */
export const firstPending = sql`(VALUES ${names}) AS type (name) CROSS JOIN LATERAL (
  SELECT ${jobs.runAt} AS at FROM ${jobs} WHERE ${jobs.type} = type.name AND ${jobs.status} = 'pending'
  ORDER BY ${jobs.runAt} LIMIT 1) AS due`;
