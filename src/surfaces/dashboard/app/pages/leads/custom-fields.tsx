import { Button } from "../../ui/button.tsx";
import { shownValue } from "./lead-columns.tsx";

/** `stored`: the value as it is in the lead; it is kept unless its text changes. */
export type CustomRow = { name: string; text: string; stored?: unknown };

export function customRows(fields: Record<string, unknown>): CustomRow[] {
  return Object.entries(fields).map(([name, value]) => ({ name, text: shownValue(value), stored: value }));
}

/** Values whose text did not change stay as they are; others become texts. Rows without a name are left out. */
export function customFieldsOf(rows: readonly CustomRow[]): Record<string, unknown> {
  return Object.fromEntries(
    rows
      .filter(({ name }) => name.trim() !== "")
      .map(({ name, text, stored }) => [
        name.trim(),
        stored !== undefined && shownValue(stored) === text ? stored : text,
      ]),
  );
}

/** Custom fields of a lead: names and values, which can be added and removed. */
export function CustomFields({
  fields,
  onChange,
}: {
  fields: readonly CustomRow[];
  onChange: (fields: CustomRow[]) => void;
}) {
  const change = (at: number, part: Partial<CustomRow>) =>
    onChange(fields.map((row, n) => (n === at ? { ...row, ...part } : row)));
  return (
    <fieldset class="custom-fields">
      <legend>Custom fields</legend>
      {fields.map(({ name, text }, n) => (
        // The names change while they are typed.
        <div key={n} class="custom-row">
          <input
            aria-label={`Name of field ${n + 1}`}
            placeholder="Name"
            maxLength={100}
            value={name}
            onInput={(event) => change(n, { name: event.currentTarget.value })}
          />
          <input
            aria-label={`Value of ${name || `field ${n + 1}`}`}
            placeholder="Value"
            maxLength={2000}
            value={text}
            onInput={(event) => change(n, { text: event.currentTarget.value })}
          />
          <Button
            kind="quiet"
            icon="close"
            aria-label={`Remove ${name || `field ${n + 1}`}`}
            onClick={() => onChange(fields.filter((_row, at) => at !== n))}
          />
        </div>
      ))}
      <Button icon="plus" onClick={() => onChange([...fields, { name: "", text: "" }])}>
        Add field
      </Button>
    </fieldset>
  );
}
