import type { CampaignStep, Condition } from "../../../../../../features/campaigns/model.ts";
import { actionLabels, type ActionType } from "../../../network.ts";
import { commandKey } from "../../../shortcuts.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/form.tsx";
import type { IconName } from "../../../ui/icons.tsx";
import { awaitedConditions, conditionLabels, stepLabel } from "../labels.ts";
import { VoiceField } from "../voice-field.tsx";
import { groupOf } from "./flow-node.tsx";
import { LeadPicker } from "./lead-picker.tsx";
import { moveBy, type Direction, type Path, type Steps } from "./program-edit.ts";
import { kindOf, stepIcons } from "./step-kinds.ts";
import { TextFields, type StepContext } from "./text-fields.tsx";
import { textLimit } from "./texts.ts";
import { VariantFields } from "./variant-fields.tsx";

type ActionStep = Extract<CampaignStep, { type: "action" }>;
type WaitStep = Extract<CampaignStep, { type: "wait" }>;
type BranchStep = Extract<CampaignStep, { type: "branch" }>;

export type StepPanelProps = {
  steps: Steps;
  step: CampaignStep;
  path: Path;
  number: number;
  /** Of the server, by path. */
  errors: Record<string, string>;
  context: StepContext;
  isReadOnly: boolean;
  /** Edits of the same field in a row are undone together. */
  onChange: (step: CampaignStep, field: string) => void;
  onMoveBy: (direction: Direction) => void;
  onRemove: () => void;
  onDuplicate: () => void;
};

type PanelButton = { icon: IconName; label: string; keys: string; isDisabled?: boolean; onClick: () => void };

/** Edits the selected step. */
export function StepPanel(props: StepPanelProps) {
  const { steps, step, path, number, errors, context, isReadOnly, onChange, onMoveBy } = props;
  const at = `steps.${path}`;
  const mover = (direction: Direction) => ({
    isDisabled: moveBy(steps, path, direction) === null,
    onClick: () => onMoveBy(direction),
  });
  const buttons: PanelButton[] = [
    { icon: "up", label: "Move up", keys: "Alt ↑", ...mover("up") },
    { icon: "down", label: "Move down", keys: "Alt ↓", ...mover("down") },
    { icon: "copy", label: "Duplicate step", keys: `${commandKey}D`, onClick: props.onDuplicate },
    { icon: "close", label: "Remove step", keys: "Delete", onClick: props.onRemove },
  ];
  return (
    <>
      <header class={`flow-panel-head is-${groupOf(step)}`}>
        <span class="flow-icon" aria-hidden="true">
          <svg class="icon" viewBox="0 0 20 20">
            <path d={stepIcons[kindOf(step)]} />
          </svg>
        </span>
        <div>
          <h2>
            {number}. {step.type === "branch" ? "Branch" : stepLabel(step)}
          </h2>
        </div>
        {!isReadOnly && (
          <div class="buttons">
            {buttons.map(({ icon, label, keys, isDisabled = false, onClick }) => (
              <Button
                key={label}
                kind="quiet"
                icon={icon}
                aria-label={label}
                title={`${label} (${keys})`}
                disabled={isDisabled}
                onClick={onClick}
              />
            ))}
          </div>
        )}
      </header>
      <fieldset class="plain-set form" disabled={isReadOnly}>
        {step.type === "action" && (
          <ActionFields step={step} path={at} errors={errors} context={context} onChange={onChange} />
        )}
        {step.type === "wait" && <WaitFields step={step} path={at} errors={errors} onChange={onChange} />}
        {step.type === "branch" && <BranchFields step={step} path={at} errors={errors} onChange={onChange} />}
      </fieldset>
    </>
  );
}

type FieldsProps<Step> = {
  step: Step;
  path: string;
  errors: Record<string, string>;
  onChange: (step: Step, field: string) => void;
};

const details: Partial<Record<ActionType, { name: "subject" | "postUrl" | "skill"; label: string; hint: string }[]>> = {
  likePost: [{ name: "postUrl", label: "Post", hint: "URL of the post. If empty, the latest post of the lead." }],
  commentPost: [{ name: "postUrl", label: "Post", hint: "URL of the post. If empty, the latest post of the lead." }],
  endorseSkill: [{ name: "skill", label: "Skill", hint: "Name of the skill. If empty, the first one listed." }],
};

function ActionFields({ step, path, errors, context, onChange }: FieldsProps<ActionStep> & { context: StepContext }) {
  const { actionType } = step;
  const { text, textLabel = "Text" } = actionLabels[actionType];
  return (
    <>
      <Field label="Action" error={errors[`${path}.actionType`]}>
        {(control) => (
          <select
            {...control}
            data-path={`${path}.actionType`}
            value={actionType}
            onChange={(event) => onChange(withType(step, event.currentTarget.value as ActionType), "actionType")}
          >
            {Object.entries(actionLabels).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(details[actionType] ?? []).map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint} isOptional error={errors[`${path}.${name}`]}>
          {(control) => (
            <input
              {...control}
              type="text"
              data-path={`${path}.${name}`}
              value={step[name] ?? ""}
              onInput={(event) => onChange(withDetail(step, name, event.currentTarget.value), name)}
            />
          )}
        </Field>
      ))}
      {actionType === "sendVoiceMessage" && (
        <VoiceField
          voiceId={step.voiceId ?? ""}
          path={`${path}.voiceId`}
          error={errors[`${path}.voiceId`]}
          onChange={(voiceId) => onChange(withDetail(step, "voiceId", voiceId), "voiceId")}
        />
      )}
      {text !== "none" && (
        <>
          <LeadPicker lead={context.lead} onLead={context.onLead} />
          {step.variants === undefined ? (
            <TextFields
              texts={step}
              hasSubject={actionType === "sendInMail"}
              message={{
                label: textLabel,
                isOptional: text === "optional",
                limit: textLimit(actionType, context.tier),
              }}
              path={path}
              errors={errors}
              context={context}
              onChange={(name, value) => onChange(withDetail(step, name, value), name)}
            />
          ) : null}
          <VariantFields step={step} path={path} errors={errors} context={context} onChange={onChange} />
        </>
      )}
    </>
  );
}

function WaitFields({ step, onChange, path, errors }: FieldsProps<WaitStep>) {
  const number = (name: "days" | "hours", label: string, max: number) => (
    <Field label={label} error={errors[`${path}.${name}`]}>
      {(control) => (
        <input
          {...control}
          type="number"
          min={0}
          max={max}
          data-path={`${path}.${name}`}
          value={step[name] ?? 0}
          onInput={(event) => onChange({ ...step, [name]: Math.round(Number(event.currentTarget.value)) }, name)}
        />
      )}
    </Field>
  );
  return (
    <>
      <div class="fields" data-path={path}>
        {number("days", "Days", 365)}
        {number("hours", "Hours", 8760)}
      </div>
      {errors[path] !== undefined && (
        <p class="field-error" role="alert">
          {errors[path]}
        </p>
      )}
      <p class="hint">The next action is then sent at the next free time within the working hours of its account.</p>
    </>
  );
}

function BranchFields({ step, onChange, path, errors }: FieldsProps<BranchStep>) {
  return (
    <>
      <Field label="If the lead" error={errors[`${path}.condition`]}>
        {(control) => (
          <select
            {...control}
            data-path={`${path}.condition`}
            value={step.condition}
            onChange={(event) => onChange({ ...step, condition: event.currentTarget.value as Condition }, "condition")}
          >
            {Object.entries(conditionLabels).map(([name, words]) => (
              <option key={name} value={name}>
                {words}
              </option>
            ))}
          </select>
        )}
      </Field>
      {awaitedConditions.includes(step.condition) && (
        <Field
          label="Within (days)"
          hint="The lead takes “Yes” as soon as the condition is met, and “No” after this time. 0 checks immediately."
          error={errors[`${path}.withinDays`]}
        >
          {(control) => (
            <input
              {...control}
              type="number"
              min={0}
              max={365}
              data-path={`${path}.withinDays`}
              value={step.withinDays ?? 0}
              onInput={(event) =>
                onChange({ ...step, withinDays: Math.round(Number(event.currentTarget.value)) }, "withinDays")
              }
            />
          )}
        </Field>
      )}
    </>
  );
}

/** Drops the details that the new action type does not use; keeps the texts if it has one. */
function withType({ message, variants }: ActionStep, actionType: ActionType): ActionStep {
  const { text } = actionLabels[actionType];
  if (text === "none") return { type: "action", actionType };
  return {
    ...{ type: "action", actionType },
    ...(message !== undefined && { message }),
    ...(variants !== undefined && { variants }),
  };
}

function withDetail(
  step: ActionStep,
  name: "message" | "subject" | "postUrl" | "skill" | "voiceId",
  text: string,
): ActionStep {
  const { [name]: _before, ...rest } = step;
  return text === "" ? rest : { ...rest, [name]: text };
}
