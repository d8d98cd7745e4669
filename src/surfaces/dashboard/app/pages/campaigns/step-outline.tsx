import type { CampaignStep } from "../../../../../features/campaigns/model.ts";
import { inOrder, stepLabel } from "./labels.ts";

/** Read-only steps of a campaign that has started. */
export function StepOutline({ steps, first = 0 }: { steps: readonly CampaignStep[]; first?: number }) {
  return (
    <ol class="sequence">
      {steps.map((step, index) => {
        const number = first + inOrder(steps.slice(0, index)).length;
        return (
          <li key={index} class="sequence-step">
            <h3>
              <span class="sequence-number">{number + 1}</span>
              {stepLabel(step)}
              {step.type === "branch" && step.withinDays ? `, within ${step.withinDays} days` : ""}
            </h3>
            {step.type === "action" && step.message && <blockquote>{step.message}</blockquote>}
            {step.type === "branch" && (
              <div class="ways">
                <section>
                  <h4>Yes</h4>
                  <Way steps={step.yes} first={number + 1} />
                </section>
                <section>
                  <h4>No</h4>
                  <Way steps={step.no} first={number + 1 + inOrder(step.yes).length} />
                </section>
              </div>
            )}
          </li>
        );
      })}
    </ol>
  );
}

function Way({ steps, first }: { steps: readonly CampaignStep[]; first: number }) {
  if (steps.length === 0) return <p class="faint small">Continues with the next step.</p>;
  return <StepOutline steps={steps} first={first} />;
}
