import { useState } from "preact/hooks";
import type { JobView } from "../../../platform/jobs/model.ts";
import { api } from "./api.ts";
import { useResource, type Resource } from "./resource.ts";

/** Follows a job of the server until it ends. A null ID follows none. */
export function useJob(id: string | null): Resource<JobView | null> {
  const [ended, setEnded] = useState<string | null>(null);
  return useResource<JobView | null>(
    async (signal) => {
      if (id === null) return null;
      const job = await api.get<JobView>(`/users/jobs/${id}`, { signal });
      if (hasEnded(job)) setEnded(id);
      return job;
    },
    [id],
    id === null || ended === id ? {} : { pollMs: 500 },
  );
}

export function hasEnded({ status }: JobView): boolean {
  return status === "completed" || status === "failed";
}
