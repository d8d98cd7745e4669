import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import { Field } from "../../../ui/form.tsx";

type ActionStep = Extract<CampaignStep, { type: "action" }>;
type AutoWinner = NonNullable<ActionStep["autoWinner"]>;

type WinnerFieldsProps = {
  step: ActionStep;
  path: string;
  errors: Record<string, string>;
  onChange: (step: ActionStep, field: string) => void;
};

type Outcome = NonNullable<AutoWinner["outcome"]>;
const outcomeLabels: Record<Outcome, string> = {
  connected: "Accepted requests",
  replied: "Replies",
  interested: "Interested replies",
};

/** What the server assumes if a rule leaves it out. */
export const usualRule = { minSent: 100, confidence: 95 };

/** Whether a test of texts ends by itself, and when. */
export function WinnerFields({ step, path, errors, onChange }: WinnerFieldsProps) {
  const { autoWinner, ...rest } = step;
  const at = `${path}.autoWinner`;
  const isInvite = step.actionType === "sendConnectionRequest";
  const change = (changed: AutoWinner) =>
    onChange({ ...rest, autoWinner: { ...autoWinner, ...changed } }, "autoWinner");
  const number = (name: "minSent" | "confidence", label: string, range: { min: number; max: number; step: number }) => (
    <Field label={label} error={errors[`${at}.${name}`]}>
      {(control) => (
        <input
          {...control}
          {...range}
          type="number"
          data-path={`${at}.${name}`}
          value={autoWinner?.[name] ?? usualRule[name]}
          onInput={(event) => change({ [name]: Number(event.currentTarget.value) })}
        />
      )}
    </Field>
  );
  return (
    <div class="winner-rule">
      <label class="inline-check">
        <input
          type="checkbox"
          data-path={at}
          checked={autoWinner !== undefined}
          onChange={(event) => (event.currentTarget.checked ? change({}) : onChange(rest, "autoWinner"))}
        />{" "}
        Choose the winner automatically
      </label>
      {errors[at] !== undefined && (
        <p class="field-error" role="alert">
          {errors[at]}
        </p>
      )}
      {autoWinner !== undefined && (
        <>
          <Field label="Best by" error={errors[`${at}.outcome`]}>
            {(control) => (
              <select
                {...control}
                data-path={`${at}.outcome`}
                value={autoWinner.outcome ?? (isInvite ? "connected" : "replied")}
                onChange={(event) => change({ outcome: event.currentTarget.value as Outcome })}
              >
                {(Object.keys(outcomeLabels) as Outcome[])
                  .filter((outcome) => isInvite || outcome !== "connected")
                  .map((outcome) => (
                    <option key={outcome} value={outcome}>
                      {outcomeLabels[outcome]}
                    </option>
                  ))}
              </select>
            )}
          </Field>
          <div class="winner-numbers">
            {number("minSent", "Leads per variant", { min: 20, max: 100_000, step: 1 })}
            {number("confidence", "Confidence (%)", { min: 80, max: 99.9, step: 0.1 })}
          </div>
          <p class="faint small">
            As soon as every variant has reached this many leads and the best one is better with this confidence, all
            further leads get it.
          </p>
        </>
      )}
    </div>
  );
}
