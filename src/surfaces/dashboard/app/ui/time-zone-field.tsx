import { useId } from "preact/hooks";
import { TextField, type Form } from "./form.tsx";

const zones = Intl.supportedValuesOf("timeZone");

/** The `timeZone` field of a form, which suggests names while typing. */
export function TimeZoneField<V extends { timeZone: string } & Record<string, string | boolean>>({
  form,
  hint,
}: {
  form: Form<V>;
  hint?: string;
}) {
  const id = useId();
  return (
    <>
      <TextField form={form} name="timeZone" label="Time zone" list={id} spellcheck={false} hint={hint} required />
      <datalist id={id}>
        {zones.map((zone) => (
          <option key={zone} value={zone} />
        ))}
      </datalist>
    </>
  );
}
