import { variantCounts } from "./funnel-view.ts";
import type { Campaign } from "./model.ts";
import { compile } from "./program.ts";
import type { CampaignStore } from "./store.ts";
import { winnerOf } from "./variant-results.ts";
import { ruleOf } from "./variants.ts";

const campaignsAtOnce = 100;
const everything = { fromDay: null, toDay: null, accountId: null };

/** Decides the tests of all running campaigns in which it has become certain which text is the best. */
export async function decideTests(store: CampaignStore, now: number): Promise<void> {
  let after: string | null = null;
  for (;;) {
    const campaigns: Campaign[] = await store.running(after, campaignsAtOnce);
    for (const campaign of campaigns) await decideTestsOf(store, campaign, now);
    if (campaigns.length < campaignsAtOnce) return;
    after = campaigns.at(-1)!.id;
  }
}

async function decideTestsOf(
  store: CampaignStore,
  { id, steps, firstStep, winners }: Campaign,
  now: number,
): Promise<void> {
  const open = compile(steps, firstStep).flatMap((instruction, step) => {
    if (instruction.kind !== "action" || winners[step] !== undefined) return [];
    const { action } = instruction;
    return action.variants === undefined || action.autoWinner === undefined
      ? []
      : [{ step, variants: action.variants, rule: ruleOf(action) }];
  });
  if (open.length === 0) return;
  const rows = await store.funnel([id], everything);
  for (const { step, variants, rule } of open) {
    const variant = winnerOf(variantCounts(variants, step, rows), rule);
    if (variant !== null) await store.decideWinner(id, { step, variant, ...rule }, now);
  }
}
