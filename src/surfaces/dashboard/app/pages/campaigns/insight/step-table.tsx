import type { FunnelView } from "../../../../../../features/campaigns/funnel-model.ts";
import type { CampaignView } from "../../../../../../features/campaigns/model.ts";
import { count, counted } from "../../../format.ts";
import { Section } from "../../../ui/page.tsx";
import { stepTitle } from "./stages.ts";

type Row = {
  key: string;
  name: string;
  isSide?: boolean;
  now: number | null;
  ended: number | null;
  left: number;
  connected: number;
  replied: number;
  interested: number;
};

/** Where leads are now, and what each step and each side of a branch has achieved. */
export function StepTable({ campaign, funnel }: { campaign: CampaignView; funnel: FunnelView }) {
  const rows = funnel.steps.flatMap(({ yes, no, ...step }): Row[] => [
    {
      key: String(step.step),
      name: stepTitle(campaign, step.step),
      ...{ now: step.active, ended: step.stopped + step.failed, left: step.left },
      ...{ connected: step.connected, replied: step.replied, interested: step.interested },
    },
    ...[
      { side: "Yes", counts: yes },
      { side: "No", counts: no },
    ].flatMap(({ side, counts }): Row[] => {
      if (counts === undefined) return [];
      const { taken, ...reached } = counts;
      return [
        { key: `${step.step} ${side}`, name: side, isSide: true, now: null, ended: null, left: taken, ...reached },
      ];
    }),
  ]);
  const inPlaces = (isWanted: (place: FunnelView["places"][number]) => boolean) =>
    funnel.places.reduce((sum, place) => sum + (isWanted(place) ? place.leads : 0), 0);
  const listed = new Set(funnel.steps.map(({ step }) => step));
  const isEarlier = ({ step }: { step: number | null }) => step !== null && !listed.has(step);
  const earlier = inPlaces((place) => isEarlier(place) && place.state === "active");
  const earlierEnded = inPlaces((place) => isEarlier(place) && place.state !== "active");
  const ended = inPlaces(({ state }) => state === "stopped" || state === "failed");
  const completed = inPlaces(({ state }) => state === "completed");
  const most = Math.max(...rows.map(({ now }) => now ?? 0), 1);
  return (
    <Section title="Steps and where leads are now">
      <div class="table-frame" tabIndex={0} role="region" aria-label="Steps">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Step</th>
              <td class="place-bar" />
              {["Here now", "Ended here", "Moved on", "Connected", "Replied", "Interested"].map((label) => (
                <th key={label} scope="col" class="right">
                  {label}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {rows.map((row) => (
              <tr key={row.key}>
                <th scope="row" class={row.isSide ? "branch-side" : "step-name"}>
                  {row.name}
                </th>
                <td class="place-bar">
                  {row.now !== null && (
                    <svg aria-hidden="true" width="100%" height="12">
                      <rect class="bar level-0" width={`${(row.now / most) * 100}%`} height="12" rx="3" />
                    </svg>
                  )}
                </td>
                {[row.now, row.ended, row.left, row.connected, row.replied, row.interested].map((n, at) => (
                  <td key={at} class={`right number ${n === 0 ? "faint" : ""}`}>
                    {n === null ? "" : count(n)}
                  </td>
                ))}
              </tr>
            ))}
            {earlier + earlierEnded > 0 && <Total name="Steps before the change" now={earlier} ended={earlierEnded} />}
            <Total name="Finished" now={completed} ended={null} />
          </tbody>
          <tfoot>
            <tr>
              <th scope="row">All {counted(funnel.leads, "lead")}</th>
              <td class="place-bar" />
              <td class="right number">{count(funnel.leads - ended)}</td>
              <td class="right number">{count(ended)}</td>
              <td colSpan={4} />
            </tr>
          </tfoot>
        </table>
      </div>
    </Section>
  );
}

function Total({ name, now, ended }: { name: string; now: number; ended: number | null }) {
  return (
    <tr>
      <th scope="row" class="step-name">
        {name}
      </th>
      <td class="place-bar" />
      <td class="right number">{count(now)}</td>
      <td class="right number">{ended === null ? "" : count(ended)}</td>
      <td colSpan={4} />
    </tr>
  );
}
