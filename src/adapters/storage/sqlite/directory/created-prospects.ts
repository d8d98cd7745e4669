import { stretchesOf } from "../../../../features/prospecting/stretches.ts";
import type { Engine } from "../engine.ts";
import { seqOf } from "../../prospect-seq.ts";
import { prepared } from "../prepared.ts";
import type { WorkspaceId } from "../../../../platform/base/ids.ts";

/** One row for each that still exists. */
export const createdOfJob = `SELECT 1 FROM prospect_import_created AS c CROSS JOIN prospects
  ON prospects.seq >= c.prospect AND prospects.seq < c.prospect + c.prospects WHERE c.job_id = ?1`;

/** Which rows of an import created which prospects. */
export function createCreatedProspects({ database }: Pick<Engine, "database">) {
  const insert = prepared(
    database,
    "INSERT OR REPLACE INTO prospect_import_created (job_id, row, prospect, prospects) VALUES (?, ?, ?, ?)",
  );
  // Starts at the range that contains the row before the page, in the order of both keys, so that nothing is sorted.
  const page = prepared<{ row: number; number: number }, [Record<string, string | number>]>(
    database,
    `SELECT c.row + prospects.seq - c.prospect AS row, prospects.seq & 0xffffffff AS number FROM jobs
     CROSS JOIN prospect_import_created AS c ON c.job_id = jobs.id AND c.row >= coalesce(
       (SELECT max(row) FROM prospect_import_created WHERE job_id = $jobId AND row <= $afterRow), 0)
     CROSS JOIN prospects ON prospects.seq >= c.prospect AND prospects.seq < c.prospect + c.prospects
     WHERE jobs.id = $jobId AND jobs.workspace_id = $workspaceId AND c.row + prospects.seq - c.prospect > $afterRow
     ORDER BY c.row, prospects.seq LIMIT $limit`,
  );

  return {
    /** Called inside a write unit with the rows of a batch and their numbers, in order. */
    note(jobId: string, owner: number, created: readonly { row: number; number: number }[]): void {
      for (const { row, number, prospects } of stretchesOf(created))
        insert.run(jobId, row, seqOf(owner, number), prospects);
    },
    /** The prospects that still exist. */
    page(request: { workspaceId: WorkspaceId; jobId: string; afterRow: number; limit: number }) {
      const { workspaceId, jobId, afterRow, limit } = request;
      return page.all({ workspaceId, jobId, afterRow, limit });
    },
  };
}
