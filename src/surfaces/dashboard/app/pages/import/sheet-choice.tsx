import { Field } from "../../ui/form.tsx";

type SheetChoiceProps = { sheets: readonly string[]; sheet: string; onChoose: (sheet: string) => void };

/** Chooses one of the sheets of a workbook. */
export function SheetChoice({ sheets, sheet, onChoose }: SheetChoiceProps) {
  return (
    <Field label="Sheet">
      {(control) => (
        <select {...control} value={sheet} onChange={(event) => onChoose(event.currentTarget.value)}>
          {sheets.map((name) => (
            <option key={name} value={name}>
              {name}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}
