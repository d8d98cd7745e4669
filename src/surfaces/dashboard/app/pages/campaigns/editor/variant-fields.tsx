import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import { actionLabels } from "../../../network.ts";
import { Button } from "../../../ui/button.tsx";
import { Field } from "../../../ui/form.tsx";
import { TextFields, type StepContext } from "./text-fields.tsx";
import { textLimit } from "./texts.ts";
import { WinnerFields } from "./winner-fields.tsx";

type ActionStep = Extract<CampaignStep, { type: "action" }>;
type Variant = NonNullable<ActionStep["variants"]>[number];

type VariantFieldsProps = {
  step: ActionStep;
  path: string;
  errors: Record<string, string>;
  context: StepContext;
  onChange: (step: ActionStep, field: string) => void;
};

const maxVariants = 10;

/** Several texts to compare: each lead gets one of them, by weight. */
export function VariantFields({ step, path, errors, context, onChange }: VariantFieldsProps) {
  const { variants = [], actionType } = step;
  const { text, textLabel = "Text" } = actionLabels[actionType];
  const total = variants.reduce((sum, { weight }) => sum + weight, 0);
  const change = (index: number, changed: Partial<Variant>, field: string) =>
    onChange(
      { ...step, variants: variants.map((variant, at) => (at === index ? { ...variant, ...changed } : variant)) },
      `variants.${index}.${field}`,
    );
  return (
    <div class="variants">
      {variants.map((variant, index) => {
        const at = `${path}.variants.${index}`;
        return (
          <section key={index} class="variant" aria-label={`Variant ${variant.name}`}>
            <header>
              <Field label="Name" error={errors[`${at}.name`]}>
                {(control) => (
                  <input
                    {...control}
                    type="text"
                    maxLength={40}
                    data-path={`${at}.name`}
                    value={variant.name}
                    onInput={(event) => change(index, { name: event.currentTarget.value }, "name")}
                  />
                )}
              </Field>
              <Field label="Weight" error={errors[`${at}.weight`]}>
                {(control) => (
                  <input
                    {...control}
                    type="number"
                    min={0}
                    max={1000}
                    data-path={`${at}.weight`}
                    value={variant.weight}
                    onInput={(event) =>
                      change(index, { weight: Math.max(0, Math.round(Number(event.currentTarget.value))) }, "weight")
                    }
                  />
                )}
              </Field>
              <span class="variant-share faint small number">
                {total === 0 ? "–" : `${Math.round((variant.weight / total) * 100)} %`}
              </span>
              <Button
                kind="quiet"
                icon="close"
                aria-label={`Remove variant ${variant.name}`}
                onClick={() => onChange(without(step, index), "variants")}
              />
            </header>
            <TextFields
              texts={variant}
              hasSubject={actionType === "sendInMail"}
              message={{
                label: textLabel,
                isOptional: text === "optional",
                limit: textLimit(actionType, context.tier),
              }}
              path={at}
              errors={errors}
              context={context}
              onChange={(name, value) => change(index, { [name]: value }, name)}
            />
          </section>
        );
      })}
      {errors[`${path}.variants`] !== undefined && (
        <p class="field-error" role="alert">
          {errors[`${path}.variants`]}
        </p>
      )}
      {variants.length > 1 && <WinnerFields step={step} path={path} errors={errors} onChange={onChange} />}
      {variants.length < maxVariants && (
        <div>
          <Button icon="plus" onClick={() => onChange(withVariant(step), "variants")}>
            {variants.length === 0 ? "Compare with another text (A/B)" : "Add variant"}
          </Button>
        </div>
      )}
    </div>
  );
}

/** With another variant. The first time, the text of the step becomes the first one. */
export function withVariant(step: ActionStep): ActionStep {
  const { message, subject, variants, ...rest } = step;
  const texts = { message: message ?? "", ...(subject !== undefined && { subject }) };
  const before = variants ?? [{ name: "A", weight: 1, ...texts }];
  const letters = Array.from("ABCDEFGHIJKLMNOP").filter((letter) => !before.some(({ name }) => name === letter));
  return { ...rest, variants: [...before, { ...before.at(-1), name: letters[0] ?? "New", weight: 1 }] };
}

/** Without a variant. If a single one is left, its text is that of the step. */
export function without(step: ActionStep, index: number): ActionStep {
  const { variants = [], autoWinner, ...rest } = step;
  const left = variants.toSpliced(index, 1);
  const [only] = left;
  // One text has no winner: the server would reject the rule.
  if (left.length > 1) return { ...rest, variants: left, ...(autoWinner !== undefined && { autoWinner }) };
  if (only === undefined) return rest;
  const { name: _name, weight: _weight, ...texts } = only;
  return { ...rest, ...texts };
}
