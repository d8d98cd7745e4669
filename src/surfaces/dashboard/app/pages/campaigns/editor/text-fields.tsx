import type { LeadView } from "../../../../../../features/leads/model.ts";
import { Field } from "../../../ui/form.tsx";
import { MessageField } from "./message-field.tsx";
import type { Tier } from "./texts.ts";

/** What the fields need to know of the campaign. */
export type StepContext = {
  tier: Tier;
  /** Names of custom fields that leads have, the most frequent first. */
  customFields: readonly string[];
  /** Whose values texts are shown with; null: nobody's. */
  lead: LeadView | null;
  onLead: (lead: LeadView | null) => void;
};

type Texts = { message?: string; subject?: string };
export type TextFieldsProps = {
  texts: Texts;
  hasSubject: boolean;
  message: { label: string; isOptional: boolean; limit: number };
  path: string;
  errors: Record<string, string>;
  context: StepContext;
  onChange: (name: "message" | "subject", value: string) => void;
};

/** The text of a step, or of one of its variants. */
export function TextFields({ texts, hasSubject, message, path, errors, context, onChange }: TextFieldsProps) {
  return (
    <>
      {hasSubject && (
        <Field label="Subject" error={errors[`${path}.subject`]}>
          {(control) => (
            <input
              {...control}
              type="text"
              spellcheck
              dir="auto"
              maxLength={200}
              data-path={`${path}.subject`}
              value={texts.subject ?? ""}
              onInput={(event) => onChange("subject", event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <MessageField
        {...message}
        path={`${path}.message`}
        error={errors[`${path}.message`]}
        value={texts.message ?? ""}
        customFields={context.customFields}
        lead={context.lead}
        onChange={(value) => onChange("message", value)}
      />
    </>
  );
}
