import { useRef } from "preact/hooks";
import type { CampaignStep, Condition } from "../../../../../features/campaigns/model.ts";
import { actionLabels } from "../../network.ts";
import { Button } from "../../ui/button.tsx";
import { Field } from "../../ui/form.tsx";
import { VoiceField } from "./voice-field.tsx";
import { awaitedConditions, conditionLabels, inOrder, stepLabel } from "./labels.ts";

type ActionStep = Extract<CampaignStep, { type: "action" }>;
type ActionType = ActionStep["actionType"];
type WaitStep = Extract<CampaignStep, { type: "wait" }>;
type BranchStep = Extract<CampaignStep, { type: "branch" }>;

type StepListProps = {
  /** Label for screen readers. */
  label: string;
  steps: readonly CampaignStep[];
  onChange: (steps: CampaignStep[]) => void;
  /** Path of the list in server errors: "steps", "steps.3.yes". */
  path: string;
  errors: Record<string, string>;
  /** Number of the first step, in reading order. */
  first: number;
  /** How many levels of branches can still be nested. */
  depth: number;
};

/** Maximum nesting of branches in the API schema. */
export const maxDepth = 5;

/** Edits a sequence: add, move, change, and remove steps. A branch contains two more sequences. */
export function StepList({ label, steps, onChange, path, errors, first, depth }: StepListProps) {
  const list = useRef<HTMLOListElement>(null);
  const numbers = steps.map((_, index) => first + inOrder(steps.slice(0, index)).length);

  function move(from: number, to: number) {
    const step = steps[from];
    if (step === undefined) return;
    onChange(steps.toSpliced(from, 1).toSpliced(to, 0, step));
    // The focus follows, so that the keyboard can move a step repeatedly.
    const direction = to < from ? "up" : "down";
    requestAnimationFrame(() =>
      list.current?.querySelector<HTMLElement>(`:scope > li:nth-child(${to + 1}) [data-move=${direction}]`)?.focus(),
    );
  }

  return (
    <>
      <ol class="sequence" ref={list} aria-label={label}>
        {steps.map((step, index) => {
          const at = `${path}.${index}`;
          const name = `step ${(numbers[index] ?? 0) + 1}`;
          const change = (changed: CampaignStep) => onChange(steps.with(index, changed));
          return (
            <li key={index} class="sequence-step">
              <header>
                <h3>
                  <span class="sequence-number">{(numbers[index] ?? 0) + 1}</span>
                  {stepLabel(step)}
                </h3>
                <div class="buttons">
                  <Button
                    kind="quiet"
                    icon="up"
                    aria-label={`Move ${name} up`}
                    data-move="up"
                    disabled={index === 0}
                    onClick={() => move(index, index - 1)}
                  />
                  <Button
                    kind="quiet"
                    icon="down"
                    aria-label={`Move ${name} down`}
                    data-move="down"
                    disabled={index === steps.length - 1}
                    onClick={() => move(index, index + 1)}
                  />
                  <Button
                    kind="quiet"
                    icon="close"
                    aria-label={`Remove ${name}`}
                    onClick={() => onChange(steps.toSpliced(index, 1))}
                  />
                </div>
              </header>
              {step.type === "action" && <ActionFields step={step} onChange={change} path={at} errors={errors} />}
              {step.type === "wait" && <WaitFields step={step} onChange={change} path={at} errors={errors} />}
              {step.type === "branch" && (
                <BranchFields
                  step={step}
                  onChange={change}
                  path={at}
                  errors={errors}
                  first={(numbers[index] ?? 0) + 1}
                  depth={depth - 1}
                />
              )}
            </li>
          );
        })}
      </ol>
      <div class="buttons add-steps" role="group" aria-label={`Add to ${label}`}>
        <Button
          icon="plus"
          onClick={() => onChange([...steps, { type: "action", actionType: "sendMessage", message: "" }])}
        >
          Action
        </Button>
        <Button icon="plus" onClick={() => onChange([...steps, { type: "wait", days: 2 }])}>
          Wait
        </Button>
        {depth > 0 && (
          <Button
            icon="plus"
            onClick={() =>
              onChange([...steps, { type: "branch", condition: "connected", withinDays: 14, yes: [], no: [] }])
            }
          >
            Branch
          </Button>
        )}
      </div>
    </>
  );
}

type FieldsProps<Step> = {
  step: Step;
  onChange: (step: Step) => void;
  path: string;
  errors: Record<string, string>;
};

const details: Partial<Record<ActionType, { name: "subject" | "postUrl" | "skill"; label: string; hint: string }[]>> = {
  sendInMail: [{ name: "subject", label: "Subject", hint: "Required for an InMail." }],
  likePost: [{ name: "postUrl", label: "Post", hint: "URL of the post. If empty, the latest post of the lead." }],
  commentPost: [{ name: "postUrl", label: "Post", hint: "URL of the post. If empty, the latest post of the lead." }],
  endorseSkill: [{ name: "skill", label: "Skill", hint: "Name of the skill. If empty, the first one listed." }],
};

function ActionFields({ step, onChange, path, errors }: FieldsProps<ActionStep>) {
  const { text, textLabel = "Text" } = actionLabels[step.actionType];
  return (
    <div class="form">
      <Field label="Action" error={errors[`${path}.actionType`]}>
        {(control) => (
          <select
            {...control}
            data-path={`${path}.actionType`}
            value={step.actionType}
            onChange={(event) => onChange(withType(step, event.currentTarget.value as ActionType))}
          >
            {Object.entries(actionLabels).map(([name, { label }]) => (
              <option key={name} value={name}>
                {label}
              </option>
            ))}
          </select>
        )}
      </Field>
      {(details[step.actionType] ?? []).map(({ name, label, hint }) => (
        <Field key={name} label={label} hint={hint} error={errors[`${path}.${name}`]}>
          {(control) => (
            <input
              {...control}
              type="text"
              data-path={`${path}.${name}`}
              value={step[name] ?? ""}
              onInput={(event) => onChange(withDetail(step, name, event.currentTarget.value))}
            />
          )}
        </Field>
      ))}
      {step.actionType === "sendVoiceMessage" && (
        <VoiceField
          voiceId={step.voiceId ?? ""}
          path={`${path}.voiceId`}
          error={errors[`${path}.voiceId`]}
          onChange={(voiceId) => onChange(withDetail(step, "voiceId", voiceId))}
        />
      )}
      {text !== "none" && (
        <MessageField
          label={textLabel}
          isOptional={text === "optional"}
          path={`${path}.message`}
          error={errors[`${path}.message`]}
          value={step.message ?? ""}
          onChange={(message) => onChange(withDetail(step, "message", message))}
        />
      )}
    </div>
  );
}

/** Common variables, with the fallback for leads without a value. */
const variables = [
  ["First name", "{{firstName|there}}"],
  ["Company", "{{company|your company}}"],
  ["Job title", "{{title|your work}}"],
  ["Location", "{{location|your area}}"],
] as const;

function MessageField({
  label,
  isOptional,
  path,
  error,
  value,
  onChange,
}: {
  label: string;
  isOptional: boolean;
  path: string;
  error: string | undefined;
  value: string;
  onChange: (value: string) => void;
}) {
  const area = useRef<HTMLTextAreaElement>(null);
  function insert(variable: string) {
    const start = area.current?.selectionStart ?? value.length;
    const end = area.current?.selectionEnd ?? start;
    onChange(value.slice(0, start) + variable + value.slice(end));
    requestAnimationFrame(() => {
      area.current?.focus();
      area.current?.setSelectionRange(start + variable.length, start + variable.length);
    });
  }
  return (
    <div>
      <Field label={label} isOptional={isOptional} error={error}>
        {(control) => (
          <textarea
            {...control}
            ref={area}
            rows={3}
            maxLength={20_000}
            data-path={path}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Field>
      <p class="hint variables">
        Insert:{" "}
        {variables.map(([name, variable]) => (
          <button key={name} type="button" class="link" title={variable} onClick={() => insert(variable)}>
            {name}
          </button>
        ))}
      </p>
    </div>
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
          onInput={(event) => onChange({ ...step, [name]: Math.round(Number(event.currentTarget.value)) })}
        />
      )}
    </Field>
  );
  return (
    <div class="fields" data-path={path}>
      {number("days", "Days", 365)}
      {number("hours", "Hours", 8760)}
      {errors[path] !== undefined && (
        <p class="field-error" role="alert">
          {errors[path]}
        </p>
      )}
    </div>
  );
}

function BranchFields({
  step,
  onChange,
  path,
  errors,
  first,
  depth,
}: FieldsProps<BranchStep> & { first: number; depth: number }) {
  return (
    <div class="form">
      <div class="fields">
        <Field label="If the lead" error={errors[`${path}.condition`]}>
          {(control) => (
            <select
              {...control}
              data-path={`${path}.condition`}
              value={step.condition}
              onChange={(event) => onChange({ ...step, condition: event.currentTarget.value as Condition })}
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
          <Field label="Within (days)" hint="0 checks immediately." error={errors[`${path}.withinDays`]}>
            {(control) => (
              <input
                {...control}
                type="number"
                min={0}
                max={365}
                data-path={`${path}.withinDays`}
                value={step.withinDays ?? 0}
                onInput={(event) => onChange({ ...step, withinDays: Math.round(Number(event.currentTarget.value)) })}
              />
            )}
          </Field>
        )}
      </div>
      <div class="ways">
        <section>
          <h4>Yes</h4>
          <StepList
            label={`steps if yes, step ${first}`}
            steps={step.yes}
            onChange={(yes) => onChange({ ...step, yes })}
            path={`${path}.yes`}
            errors={errors}
            first={first}
            depth={depth}
          />
        </section>
        <section>
          <h4>No</h4>
          <StepList
            label={`steps if no, step ${first}`}
            steps={step.no}
            onChange={(no) => onChange({ ...step, no })}
            path={`${path}.no`}
            errors={errors}
            first={first + inOrder(step.yes).length}
            depth={depth}
          />
        </section>
      </div>
    </div>
  );
}

/** Drops the details that the new action type does not use; keeps the message if it has one. */
function withType({ message }: ActionStep, actionType: ActionType): ActionStep {
  const { text } = actionLabels[actionType];
  return { type: "action", actionType, ...(text !== "none" && message !== undefined && { message }) };
}

function withDetail(
  step: ActionStep,
  name: "message" | "subject" | "postUrl" | "skill" | "voiceId",
  text: string,
): ActionStep {
  const { [name]: _before, ...rest } = step;
  return text === "" ? rest : { ...rest, [name]: text };
}
