import type { Job } from "../../../platform/jobs/model.ts";
import type { JobClaim } from "../../../platform/jobs/store.ts";

/** Whether the claim still holds. A parked job is in nobody's hands. */
export function isHeld(job: Job, { attempt }: Pick<JobClaim, "attempt">): boolean {
  return job.status === "running" && job.attempt === attempt && job.leaseUntil !== null;
}
