import type { FunnelView } from "../../../../../../features/campaigns/funnel-model.ts";
import { count } from "../../../format.ts";
import { Link } from "../../../router.tsx";
import { outcomes, percentText, shareText, stageLabels, stageNames } from "./stages.ts";

type FunnelTableProps = {
  funnel: FunnelView;
  /** Where leads are listed by outcome; null if the list would show other leads than those that are counted. */
  listPath: string | null;
};

/** The stages as bars of one color, paler from stage to stage. */
export function FunnelTable({ funnel: { stages, rates }, listPath }: FunnelTableProps) {
  const most = Math.max(...stageNames.map((stage) => stages[stage]), 1);
  return (
    <div class="table-frame" tabIndex={0} role="region" aria-label="Funnel">
      <table class="table funnel">
        <thead>
          <tr>
            <th scope="col">Stage</th>
            <td class="funnel-bar" />
            <th scope="col" class="right">
              Leads
            </th>
            <th scope="col" class="right">
              Of enrolled
            </th>
            <th scope="col" class="right">
              Of contacted
            </th>
          </tr>
        </thead>
        <tbody>
          {stageNames.map((stage, n) => {
            const outcome = outcomes.find((name) => name === stage);
            const rate = outcome === undefined ? null : rates[outcome];
            return (
              <tr key={stage}>
                <th scope="row">{stageLabels[stage]}</th>
                <td class="funnel-bar">
                  <svg aria-hidden="true" height="26" width="100%">
                    <rect class="track" width="100%" height="26" rx="4" />
                    <rect class={`bar level-${n}`} width={`${(stages[stage] / most) * 100}%`} height="26" rx="4" />
                  </svg>
                </td>
                <td class="right number">
                  {outcome !== undefined && listPath !== null && stages[stage] > 0 ? (
                    <Link to={`${listPath}&outcome=${outcome}`} title="Show these leads">
                      {count(stages[stage])}
                    </Link>
                  ) : (
                    count(stages[stage])
                  )}
                </td>
                <td class="right number">{shareText(stages[stage], stages.enrolled)}</td>
                <td class="right number">
                  {rate !== null && stages.contacted > 0 && (
                    <span class="two-lines">
                      <span>{percentText(rate.rate)}</span>
                      <span title="95% confidence interval">
                        {percentText(rate.low)} to {percentText(rate.high)}
                      </span>
                    </span>
                  )}
                </td>
              </tr>
            );
          })}
        </tbody>
      </table>
    </div>
  );
}
