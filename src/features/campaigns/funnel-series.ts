import type { NetworkAccount } from "../network/account-model.ts";
import type { SeriesBy, SeriesGroup } from "./funnel-model.ts";
import { accountsOf, dateOf, stepOf, variantCounts } from "./funnel-view.ts";
import type { Campaign } from "./model.ts";
import { branchSides, compile } from "./program.ts";
import type { FunnelDayCount } from "./store.ts";

type Counts = Omit<SeriesGroup["days"][number], "date">;
type Entry = { key: Omit<SeriesGroup, "days">; counts: Counts };
type Accounts = readonly Pick<NetworkAccount, "id" | "name">[];

/** The counters of a campaign, by day, for each of its present steps, sides of branches, or variants, or by account. */
export function seriesOf(
  campaign: Pick<Campaign, "steps" | "firstStep">,
  by: SeriesBy,
  rows: readonly FunnelDayCount[],
  accounts: Accounts,
): SeriesGroup[] {
  const groups = new Map<string, SeriesGroup>();
  const byDay = [...Map.groupBy(rows, ({ day }) => day)].toSorted(([one], [other]) => one - other);
  for (const [day, ofDay] of byDay)
    for (const { key, counts } of entriesOf(campaign, by, ofDay, accounts)) {
      if (Object.values(counts).every((count) => count === 0)) continue;
      const name = JSON.stringify(key);
      const group = groups.get(name) ?? { ...key, days: [] };
      group.days.push({ date: dateOf(day), ...counts });
      groups.set(name, group);
    }
  return [...groups.values()].toSorted(
    (one, other) =>
      (one.step ?? 0) - (other.step ?? 0) ||
      (other.side ?? "").localeCompare(one.side ?? "") ||
      one.name.localeCompare(other.name),
  );
}

const noKey = { step: null, side: null, variant: null, accountId: null };

function entriesOf(
  campaign: Pick<Campaign, "steps" | "firstStep">,
  by: SeriesBy,
  rows: readonly FunnelDayCount[],
  accounts: Accounts,
): Entry[] {
  if (by === "account")
    return accountsOf(rows, accounts).map(({ accountId, name, ...counts }) => ({
      key: { ...noKey, accountId, name: name ?? accountId },
      counts,
    }));
  const sides = branchSides(campaign.steps, campaign.firstStep);
  return compile(campaign.steps, campaign.firstStep).flatMap((instruction, step): Entry[] => {
    const { type, actionType, condition, yes, no, ...view } = stepOf(instruction, step, sides.get(step), rows);
    const name = actionType ?? condition ?? type;
    if (by === "step") {
      const contacted = rows.reduce((sum, row) => sum + (isContact(row, step) ? row.enrollments : 0), 0);
      const { sent, skipped, left, connected, replied, interested } = view;
      const counts = { sent, skipped, left, contacted, connected, replied, interested };
      return [{ key: { ...noKey, step, name }, counts }];
    }
    if (by === "branch")
      return Object.entries({ yes, no }).flatMap(([side, counts]): Entry[] =>
        counts === undefined ? [] : [{ key: { ...noKey, step, side: side === "yes" ? "yes" : "no", name }, counts }],
      );
    if (instruction.kind !== "action" || instruction.action.variants === undefined) return [];
    return variantCounts(instruction.action.variants, step, rows).map(
      ({ name: variant, weight: _weight, ...counts }) => ({
        key: { ...noKey, step, variant, name: variant },
        counts,
      }),
    );
  });
}

function isContact({ mark, step }: FunnelDayCount, wanted: number): boolean {
  return mark === "contacted" && step === wanted;
}
