import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { CampaignStore, EnrollmentFilter } from "./store.ts";

/** From the counters of the funnel, which name states and outcomes alike, unless the two are combined. */
export async function countEnrollments(
  store: Pick<CampaignStore, "countEnrollments" | "funnel">,
  workspaceId: WorkspaceId,
  campaignId: string,
  filter: EnrollmentFilter,
): Promise<number> {
  const { state, outcome } = filter;
  if (state !== undefined && outcome !== undefined)
    return await store.countEnrollments(workspaceId, campaignId, filter);
  const wanted = state ?? outcome ?? "enrolled";
  const counters = await store.funnel([campaignId], { fromDay: null, toDay: null, accountId: null });
  return counters.reduce((sum, { mark, enrollments }) => sum + (mark === wanted ? enrollments : 0), 0);
}
