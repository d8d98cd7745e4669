import type { ComponentChildren } from "preact";
import { useEffect, useId, useRef, useState } from "preact/hooks";
import { RequestError } from "../api.ts";
import { Icon } from "./icons.tsx";

type Values = Record<string, string | boolean>;

export type Form<V extends Values> = {
  values: V;
  set<Name extends keyof V & string>(name: Name, value: V[Name]): void;
  /** Error messages by the path that the server reports: "email", "workingHours.monday". */
  errors: Record<string, string>;
  /** An error that belongs to no field. */
  error: string | null;
  isBusy: boolean;
  isChanged: boolean;
  onSubmit: (event: Event) => void;
  reset(values: V): void;
};

/**
 * The state of a form. `send` receives the values. Validation errors of the server are shown at their fields, other
 * errors in the `FormError`, and the first invalid field gets the focus. Input is kept after an error.
 */
export function useForm<V extends Values>(initial: V, send: (values: V) => Promise<void>): Form<V> {
  const [values, setValues] = useState(initial);
  const [saved, setSaved] = useState(initial);
  const [errors, setErrors] = useState<Record<string, string>>({});
  const [error, setError] = useState<string | null>(null);
  const [isBusy, setIsBusy] = useState(false);
  const latest = useRef(values);
  latest.current = values;

  async function submit(form: HTMLFormElement) {
    if (isBusy) return;
    const sent = latest.current;
    setIsBusy(true);
    setErrors({});
    setError(null);
    try {
      await send(sent);
      setSaved(sent);
    } catch (thrown) {
      const { fields, message } = thrown instanceof RequestError ? thrown : { fields: [], message: String(thrown) };
      const known = fields.filter(({ path }) => form.querySelector(`[data-path="${CSS.escape(path)}"]`) !== null);
      setErrors(Object.fromEntries(known.map(({ path, message }) => [path, message])));
      setError(known.length === fields.length && known.length > 0 ? null : message);
      requestAnimationFrame(() => form.querySelector<HTMLElement>("[aria-invalid=true]")?.focus());
    } finally {
      setIsBusy(false);
    }
  }

  return {
    values,
    errors,
    error,
    isBusy,
    isChanged: Object.keys(values).some((name) => values[name] !== saved[name]),
    set(name, value) {
      setValues((before) => ({ ...before, [name]: value }));
      // A field with parts, such as a list, has errors of these.
      const isOther = (path: string) => path !== name && !path.startsWith(`${name}.`);
      setErrors((before) => Object.fromEntries(Object.entries(before).filter(([path]) => isOther(path))));
    },
    onSubmit(event) {
      event.preventDefault();
      void submit(event.currentTarget as HTMLFormElement);
    },
    reset(fresh) {
      setValues(fresh);
      setSaved(fresh);
      setErrors({});
      setError(null);
    },
  };
}

/** The error of the form as a whole. */
export function FormError({ form }: { form: Pick<Form<Values>, "error"> }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (form.error !== null) place.current?.scrollIntoView({ block: "nearest" });
  }, [form.error]);
  if (form.error === null) return null;
  return (
    <div class="notice danger" role="alert" ref={place}>
      <Icon name="warning" />
      <p>{form.error}</p>
    </div>
  );
}

type FieldProps = {
  label: string;
  hint?: ComponentChildren;
  error?: string | undefined;
  /** The field may be left empty. */
  isOptional?: boolean;
  children: (control: {
    id: string;
    "aria-describedby": string | undefined;
    "aria-invalid": boolean | undefined;
  }) => ComponentChildren;
};

/** A label, a control, a hint, and an error, associated for screen readers. */
export function Field({ label, hint, error, isOptional = false, children }: FieldProps) {
  const id = useId();
  const described = [hint !== undefined && `${id}-hint`, error !== undefined && `${id}-error`]
    .filter(Boolean)
    .join(" ");
  return (
    <div class={`field ${error === undefined ? "" : "wrong"}`}>
      <label for={id}>
        {label}
        {isOptional && <span class="faint"> (optional)</span>}
      </label>
      {children({
        id,
        "aria-describedby": described || undefined,
        "aria-invalid": error === undefined ? undefined : true,
      })}
      {error !== undefined && (
        <p id={`${id}-error`} class="field-error" role="alert">
          {error}
        </p>
      )}
      {hint !== undefined && (
        <p id={`${id}-hint`} class="hint">
          {hint}
        </p>
      )}
    </div>
  );
}

type Named<V extends Values> = {
  form: Form<V>;
  name: keyof V & string;
  label: string;
  hint?: ComponentChildren;
  isOptional?: boolean;
  /** Path that the server reports, if it differs from the name. */
  path?: string;
};

/** The input attributes that the forms need. */
type InputSettings = {
  type?: "text" | "email" | "password" | "url" | "search" | "number" | "date" | "time" | "datetime-local";
  autocomplete?: string;
  placeholder?: string;
  spellcheck?: boolean;
  autofocus?: boolean;
  required?: boolean;
  disabled?: boolean;
  maxLength?: number;
  min?: string | number;
  max?: string | number;
  step?: string | number;
  /** Id of a datalist with suggestions. */
  list?: string;
};

export function TextField<V extends Values>({
  form,
  name,
  label,
  hint,
  isOptional,
  path = name,
  type = "text",
  ...rest
}: Named<V> & InputSettings) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional ?? false} error={form.errors[path]}>
      {(control) => (
        <input
          {...attributes({ autocomplete: "off", ...rest, type })}
          {...control}
          data-path={path}
          value={String(form.values[name])}
          onInput={(event) => form.set(name, event.currentTarget.value as V[typeof name])}
        />
      )}
    </Field>
  );
}

/** Preact types the attributes of each input type separately; these apply to all. */
function attributes(settings: InputSettings): { type?: "text" } {
  return settings as { type?: "text" };
}

export function TextArea<V extends Values>({
  form,
  name,
  label,
  hint,
  isOptional,
  path = name,
  ...rest
}: Named<V> & Omit<InputSettings, "type"> & { rows?: number }) {
  return (
    <Field label={label} hint={hint} isOptional={isOptional ?? false} error={form.errors[path]}>
      {(control) => (
        <textarea
          rows={4}
          {...rest}
          {...control}
          data-path={path}
          value={String(form.values[name])}
          onInput={(event) => form.set(name, event.currentTarget.value as V[typeof name])}
        />
      )}
    </Field>
  );
}

export type Choice = { value: string; label: string };

export function SelectField<V extends Values>({
  form,
  name,
  label,
  hint,
  path = name,
  choices,
}: Named<V> & { choices: readonly Choice[] }) {
  return (
    <Field label={label} hint={hint} error={form.errors[path]}>
      {(control) => (
        <select
          {...control}
          data-path={path}
          value={String(form.values[name])}
          onChange={(event) => form.set(name, event.currentTarget.value as V[typeof name])}
        >
          {choices.map(({ value, label }) => (
            <option key={value} value={value}>
              {label}
            </option>
          ))}
        </select>
      )}
    </Field>
  );
}

export function CheckField<V extends Values>({ form, name, label, hint, path = name }: Named<V>) {
  const id = useId();
  const error = form.errors[path];
  return (
    <div class="field check">
      <input
        type="checkbox"
        id={id}
        data-path={path}
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
        aria-invalid={error === undefined ? undefined : true}
        checked={form.values[name] === true}
        onChange={(event) => form.set(name, event.currentTarget.checked as V[typeof name])}
      />
      <div>
        <label for={id}>{label}</label>
        {hint !== undefined && (
          <p id={`${id}-hint`} class="hint">
            {hint}
          </p>
        )}
        {error !== undefined && (
          <p class="field-error" role="alert">
            {error}
          </p>
        )}
      </div>
    </div>
  );
}
