import { signal } from "@preact/signals";
import { useEffect, useState } from "preact/hooks";
import type { JobView } from "../../../../../platform/jobs/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { hasEnded, useJob } from "../../job.ts";
import { Button } from "../../ui/button.tsx";
import { Progress } from "../../ui/meter.tsx";
import { showError, showProblem, showSuccess } from "../../ui/toast.tsx";
import { filterBody, type Filters } from "./lead-query.ts";

/** The job that changes leads by a filter; still known after the user has looked at another page. */
export const runningBulkJob = signal<string | null>(null);

/** Starts a job that changes all leads that match. Shows an error. */
export async function startBulkJob(filters: Filters, change: object): Promise<boolean> {
  try {
    const job = await api.post<JobView>("/leads/bulk", { filter: filterBody(filters), ...change });
    runningBulkJob.value = job.id;
    return true;
  } catch (error) {
    showError(error);
    return false;
  }
}

/** The progress of the job, with a button that cancels it. */
export function BulkJobProgress({ id, onEnded }: { id: string; onEnded: () => void }) {
  const { data: job } = useJob(id);
  const [isCanceling, setIsCanceling] = useState(false);
  useEffect(() => {
    if (!job || !hasEnded(job)) return;
    if (job.status === "completed") showSuccess(`${job.message}.`);
    else if (isCanceling || job.metadata["canceled"] === true)
      showProblem(
        `Canceled after ${counted(Number(job.metadata["processed"] ?? 0), "lead")}. What was changed stays changed.`,
      );
    else showProblem(job.message);
    runningBulkJob.value = null;
    onEnded();
  }, [job?.status]);

  async function cancel() {
    setIsCanceling(true);
    try {
      await api.post(`/users/jobs/${id}/cancel`);
    } catch (error) {
      setIsCanceling(false);
      showError(error);
    }
  }

  return (
    <div class="bulk-bar" role="status">
      <Progress label={job?.message ?? "Starting"} percent={job?.progress ?? 0} />
      <Button isBusy={isCanceling} onClick={() => void cancel()}>
        Cancel
      </Button>
    </div>
  );
}
