import type { Job } from "./model.ts";
import { jobView, statisticsOf } from "./service.ts";
import type { WorkspaceId } from "../base/ids.ts";

/** Streams a list of jobs as JSON, page by page. The statistics count exactly the jobs in the list. */
export async function* jobListPieces(
  userId: WorkspaceId,
  pages: AsyncIterable<Job[]>,
): AsyncGenerator<Uint8Array, void, void> {
  const counts = { pending: 0, running: 0, completed: 0, failed: 0 };
  let text = `{"userId":${JSON.stringify(userId)},"success":true,"data":{"jobs":[`;
  let separator = "";
  for await (const jobs of pages) {
    for (const job of jobs) {
      counts[job.status]++;
      text += separator + JSON.stringify(jobView(job));
      separator = ",";
    }
    yield Buffer.from(text);
    text = "";
  }
  const statistics = statisticsOf(counts);
  const rest = `"statistics":${JSON.stringify(statistics)},"total":${statistics.total},"nextCursor":null`;
  yield Buffer.from(`${text}],${rest}}}`);
}
