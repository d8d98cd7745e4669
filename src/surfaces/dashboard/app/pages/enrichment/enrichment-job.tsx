import { useEffect } from "preact/hooks";
import type { EnrichmentFailure, EnrichmentResult } from "../../../../../features/enrichment/model.ts";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { hasEnded, useJob } from "../../job.ts";
import { useResource } from "../../resource.ts";
import { setQuery } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { Progress } from "../../ui/meter.tsx";
import { Loaded } from "../../ui/states.tsx";
import { Results } from "./results.tsx";

type ResultPage = {
  enriched: EnrichmentResult[];
  failed: EnrichmentFailure[];
  creditsUsed: number;
  remainingCredits: number;
  nextCursor: string | null;
};

/** An enrichment job: its progress, and its results page by page once it has ended. */
export function EnrichmentJob({ id }: { id: string }) {
  const job = useJob(id);
  // The job is in the URL, so that a reload does not lose results that were paid for.
  useEffect(() => setQuery({ job: id }), [id]);
  return (
    <Loaded resource={job} lines={2}>
      {(loaded) =>
        loaded === null ? null : (
          <>
            <div class="card job-card">
              <Progress label={loaded.message} percent={loaded.progress} />
            </div>
            {hasEnded(loaded) && <JobResults job={loaded} />}
          </>
        )
      }
    </Loaded>
  );
}

function JobResults({ job: { id } }: { job: JobView }) {
  const { cursor, paging } = useCursorPages("enrichment", [id]);
  const page = useResource(
    (signal) => api.get<ResultPage>(`/enrich/jobs/${id}/results`, { query: { cursor, limit: 25 }, signal }),
    [id, cursor],
  );
  return (
    <Loaded resource={page}>
      {(answer) => {
        const { hasPrevious, hasNext, toPrevious, toNext } = paging(answer.nextCursor);
        return (
          <>
            <Results answer={answer} />
            {(hasPrevious || hasNext) && (
              <nav class="pager" aria-label="Pagination">
                <Button icon="left" aria-label="Previous page" disabled={!hasPrevious} onClick={toPrevious} />
                <Button icon="right" aria-label="Next page" disabled={!hasNext} onClick={toNext} />
              </nav>
            )}
          </>
        );
      }}
    </Loaded>
  );
}
