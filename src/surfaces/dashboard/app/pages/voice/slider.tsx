import { Field, type Form } from "../../ui/form.tsx";

/** A number from 0 to 1, with a label at each end. */
export function Slider<V extends Record<string, string | boolean>>({
  form,
  name,
  label,
  low,
  high,
}: {
  form: Form<V>;
  name: keyof V & string;
  label: string;
  low: string;
  high: string;
}) {
  const value = Number(form.values[name]);
  return (
    <Field
      label={label}
      error={form.errors[name]}
      hint={
        <span class="slider-ends">
          <span>{low}</span>
          <span class="number">{value.toFixed(2)}</span>
          <span>{high}</span>
        </span>
      }
    >
      {(control) => (
        <input
          {...control}
          type="range"
          min={0}
          max={1}
          step={0.05}
          data-path={`settings.${name}`}
          value={value}
          onInput={(event) => form.set(name, event.currentTarget.value as V[typeof name])}
        />
      )}
    </Field>
  );
}
