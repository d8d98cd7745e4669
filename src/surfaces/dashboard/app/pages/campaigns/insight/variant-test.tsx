import type { FunnelView } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { count } from "../../../format.ts";
import { Badge } from "../../../ui/badge.tsx";
import { Section } from "../../../ui/page.tsx";
import { Interval, scaleEnd } from "./interval.tsx";
import { percentText, stepTitle } from "./stages.ts";

type Test = FunnelView["tests"][number];
const outcomeLabels = { connected: "Connected", replied: "Replied", interested: "Interested" };

/** The variants of a step, the best first, each with its rate and how certain that is. */
export function VariantTest({ campaign, test }: { campaign: CampaignView; test: Test }) {
  const { variants, outcome, confidence } = test;
  const most = scaleEnd(variants.filter(({ sent }) => sent > 0).map(({ high }) => high));
  return (
    <Section title={`Test of texts: ${stepTitle(campaign, test.step)}`}>
      <p class="test-verdict">{verdictOf(test)}</p>
      <div class="table-frame" tabIndex={0} role="region" aria-label={`Variants of ${stepTitle(campaign, test.step)}`}>
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Variant</th>
              <th scope="col" class="right">
                Weight
              </th>
              <th scope="col" class="right">
                Sent
              </th>
              <th scope="col" class="right">
                {outcomeLabels[outcome]}
              </th>
              <th scope="col" class="right">
                Rate
              </th>
              <th scope="col" class="interval-column">
                {confidence}% confidence, 0 to {most}%
              </th>
            </tr>
          </thead>
          <tbody>
            {variants.map((variant) => (
              <tr key={variant.name}>
                <th scope="row">
                  {variant.name} {test.winner === variant.name && <Badge tone="good">Winner</Badge>}
                </th>
                <td class="right number">{variant.weight ?? <span class="faint">Removed</span>}</td>
                <td class="right number">{count(variant.sent)}</td>
                <td class="right number">{count(variant[outcome])}</td>
                <td class="right number">{variant.sent === 0 ? "–" : percentText(variant.rate)}</td>
                <td class="interval-column">
                  {variant.sent > 0 && (
                    <>
                      <Interval {...variant} most={most} />
                      <span class="small faint number">
                        {percentText(variant.low)} to {percentText(variant.high)}
                      </span>
                    </>
                  )}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}

/** What the numbers say, as a sentence. */
export function verdictOf({ variants, winner, minSent, confidence }: Test): string {
  if (winner !== null) return `Decided: all further leads get ${winner}.`;
  const [best, second] = variants.filter(({ sent }) => sent > 0);
  const rule =
    minSent === null ? "" : ` The best one is chosen automatically, from ${count(minSent)} leads for each variant.`;
  const behind = second?.behind ?? null;
  if (best === undefined || second === undefined || behind === null) return `Not enough leads yet to compare.${rule}`;
  const { points, low, high, pValue } = behind;
  const difference = `${best.name} is ahead of ${second.name} by ${pointsText(points)} points (${pointsText(low)} to ${pointsText(high)})`;
  if (pValue < 1 - confidence / 100) return `${difference}. That is unlikely to be chance.${rule}`;
  return `${difference}. That can be chance: let more leads go through.${rule}`;
}

function pointsText(points: number): string {
  return points.toFixed(1).replace("-", "−");
}
