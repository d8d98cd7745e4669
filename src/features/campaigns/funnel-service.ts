import { invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import { isoTimeOrNull, parseInstant } from "../../platform/base/clock.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { NetworkStore } from "../network/store.ts";
import { dayMs } from "./funnel-marks.ts";
import type {
  ComparisonQuery,
  ComparisonView,
  FunnelQuery,
  FunnelView,
  SeriesQuery,
  SeriesView,
} from "./funnel-model.ts";
import { seriesOf } from "./funnel-series.ts";
import { daysOf, funnelParts, ratesOf, stagesOf } from "./funnel-view.ts";
import type { Campaign } from "./model.ts";
import type { CampaignStore, FunnelFilter } from "./store.ts";

/** By their IDs. */
const maxCompared = 20;

/** Results of campaigns, from counters that are kept as enrollments change. */
export class FunnelService {
  readonly #store: CampaignStore;
  readonly #network: NetworkStore;

  constructor(store: CampaignStore, network: NetworkStore) {
    this.#store = store;
    this.#network = network;
  }

  /** Throws NOT_FOUND for an unknown campaign. */
  async funnel(workspaceId: WorkspaceId, campaignId: string, query: FunnelQuery): Promise<FunnelView> {
    const filter = filterOf(query);
    const campaign = await this.#require(workspaceId, campaignId);
    const [rows, accounts] = await Promise.all([
      this.#store.funnel([campaignId], filter),
      this.#network.accounts(workspaceId),
    ]);
    return { campaignId, ...shown(query), ...funnelParts(campaign, rows, accounts) };
  }

  /** Throws NOT_FOUND for an unknown campaign. */
  async series(workspaceId: WorkspaceId, campaignId: string, query: SeriesQuery): Promise<SeriesView> {
    const { by } = query;
    const filter = filterOf(query);
    const campaign = await this.#require(workspaceId, campaignId);
    const total = { campaignId, ...shown(query), days: daysOf(await this.#store.funnelDays(campaignId, filter)) };
    if (by === undefined) return total;
    const [rows, accounts] = await Promise.all([
      this.#store.funnelSeries(campaignId, filter, by === "branch" ? "step" : by),
      this.#network.accounts(workspaceId),
    ]);
    return { ...total, by, series: seriesOf(campaign, by, rows, accounts) };
  }

  /**
   * The campaigns with these IDs, in their order, or at most `limit` of all, newest first, starting after `after`. Throws
   * NOT_FOUND for an unknown campaign.
   */
  async toCompare(
    workspaceId: WorkspaceId,
    ids: string | undefined,
    limit: number,
    after: TimePlace | null,
  ): Promise<{ found: Campaign[]; total: number }> {
    if (ids === undefined) {
      const [found, total] = await Promise.all([
        this.#store.list(workspaceId, limit, after),
        this.#store.countCampaigns(workspaceId),
      ]);
      return { found, total };
    }
    if (after !== null)
      throw invalid([{ path: "cursor", message: "Campaigns that are chosen by ids are on one page. Omit cursor." }]);
    const found = await Promise.all(idsIn(ids).map((id) => this.#require(workspaceId, id)));
    return { found, total: found.length };
  }

  /** The results of campaigns, in the same order. */
  async compare(campaigns: readonly Campaign[], query: ComparisonQuery): Promise<ComparisonView> {
    const found = await this.#store.funnel(
      campaigns.map(({ id }) => id),
      filterOf(query),
    );
    const byCampaign = Map.groupBy(found, ({ campaignId }) => campaignId);
    const { from, to } = shown(query);
    return {
      from,
      to,
      campaigns: campaigns.map(({ id: campaignId, name, state, startedAt }) => {
        const stages = stagesOf(byCampaign.get(campaignId) ?? []);
        return { campaignId, name, state, startedAt: isoTimeOrNull(startedAt), ...stages, rates: ratesOf(stages) };
      }),
    };
  }

  async #require(workspaceId: WorkspaceId, id: string): Promise<Campaign> {
    const campaign = await this.#store.get(workspaceId, id);
    if (campaign === null) throw notFound("campaign", id);
    return campaign;
  }
}

function filterOf({ from, to, accountId }: { from?: string; to?: string; accountId?: string }): FunnelFilter {
  const errors: FieldError[] = [];
  const fromDay = dayIn(from, "from", errors);
  const toDay = dayIn(to, "to", errors);
  if (fromDay !== null && toDay !== null && toDay < fromDay)
    errors.push({ path: "to", message: `Expected ${from} or a later day, got ${to}.` });
  if (errors.length > 0) throw invalid(errors);
  return { fromDay, toDay, accountId: accountId ?? null };
}

/** Counters of places have day 0, so the first day that can be asked for is the next one. */
function dayIn(date: string | undefined, path: string, errors: FieldError[]): number | null {
  if (date === undefined) return null;
  const at = parseInstant(`${date}T00:00:00Z`);
  if (at === null) errors.push({ path, message: `Expected a day such as 2030-01-31, got "${date.slice(0, 20)}".` });
  return at === null ? null : Math.max(1, Math.floor(at / dayMs));
}

function idsIn(list: string): string[] {
  const ids = [...new Set(list.split(",").map((id) => id.trim()))].filter((id) => id !== "");
  if (ids.length === 0) throw invalid([{ path: "ids", message: "Expected at least one campaign ID." }]);
  if (ids.length <= maxCompared) return ids;
  throw invalid([{ path: "ids", message: `Expected at most ${maxCompared} campaigns, got ${ids.length}.` }]);
}

function shown({
  from = null,
  to = null,
  accountId = null,
}: {
  from?: string | null;
  to?: string | null;
  accountId?: string | null;
}) {
  return { from, to, accountId };
}
