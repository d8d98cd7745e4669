import { useRef } from "preact/hooks";
import type { LeadView } from "../../../../../../features/leads/model.ts";
import { messageLength } from "../../../../../../lib/message-text/message-text.ts";
import { fillForLead, variables } from "../../../lead-variables.ts";
import { MessagePreview, MessageProblems } from "../../../message-preview.tsx";
import { Field } from "../../../ui/form.tsx";
import { nameOf } from "./lead-picker.tsx";

type MessageFieldProps = {
  label: string;
  isOptional: boolean;
  path: string;
  error: string | undefined;
  value: string;
  /** The longest text of the action, for the accounts of the campaign. */
  limit: number;
  /** Names of custom fields that leads have. */
  customFields: readonly string[];
  /** Whose values the text is shown with. */
  lead: LeadView | null;
  onChange: (value: string) => void;
};

/** The server accepts no longer texts, whatever the limit of the network is. */
const maxLength = 20_000;

/** A text with variables: counts while somebody types, and shows what a lead would receive. */
export function MessageField(props: MessageFieldProps) {
  const { label, isOptional, path, error, value, limit, customFields, lead, onChange } = props;
  const area = useRef<HTMLTextAreaElement>(null);
  const { text, problems } = fillForLead(value, lead);
  const length = messageLength(text);
  const over = length - limit;

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
    <div class="message-field">
      <Field label={label} isOptional={isOptional} error={error}>
        {(control) => (
          <textarea
            {...control}
            aria-invalid={over > 0 || error !== undefined || undefined}
            ref={area}
            rows={6}
            maxLength={maxLength}
            spellcheck
            dir="auto"
            data-path={path}
            value={value}
            onInput={(event) => onChange(event.currentTarget.value)}
          />
        )}
      </Field>
      <div class="message-tools">
        <VariableSelect customFields={customFields} onInsert={insert} />
        <Counter length={length} limit={limit} />
      </div>
      <MessageProblems problems={problems} whose={lead === null ? "Some leads have" : "This lead has"} />
      {lead !== null && value.trim() !== "" && <MessagePreview name={nameOf(lead)} text={text} />}
    </div>
  );
}

/** Characters and the limit. Screen readers are told only when the text becomes too long. */
function Counter({ length, limit }: { length: number; limit: number }) {
  const over = length - limit;
  const state = over > 0 ? "over" : length > limit * 0.9 ? "near" : "";
  return (
    <span class={`counter number small ${state}`} title="Counted as the network does: most emoji count as two or more.">
      {length.toLocaleString("en")} / {limit.toLocaleString("en")}
      <span class="visually-hidden" role="status">
        {over > 0 ? `The text is too long by ${over} characters.` : ""}
      </span>
    </span>
  );
}

/** Inserts the variable that is selected. */
function VariableSelect({
  customFields,
  onInsert,
}: {
  customFields: readonly string[];
  onInsert: (variable: string) => void;
}) {
  const custom = customFields.filter((name) => /^[^{}|]+$/.test(name));
  return (
    <select
      class="variable-select"
      aria-label="Insert a variable"
      value=""
      onChange={(event) => {
        const { value } = event.currentTarget;
        event.currentTarget.value = "";
        if (value !== "") onInsert(value);
      }}
    >
      <option value="">Insert variable…</option>
      <optgroup label="Lead">
        {variables.map(([name, label, fallback]) => (
          <option key={name} value={`{{${name}|${fallback}}}`}>
            {label}
          </option>
        ))}
      </optgroup>
      {custom.length > 0 && (
        <optgroup label="Custom fields">
          {custom.map((name) => (
            <option key={name} value={`{{customFields.${name}|}}`}>
              {name}
            </option>
          ))}
        </optgroup>
      )}
    </select>
  );
}
