import { useState } from "preact/hooks";
import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { memberChoices, useMembers } from "../../team.ts";
import { Field, type Choice } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { valuesOf, type FilterField } from "./filter-fields.ts";
import { setFilter, type Filters } from "./lead-query.ts";
import { ValuePicker } from "./value-picker.tsx";

type PanelProps<Kind extends FilterField["kind"] = FilterField["kind"]> = {
  field: Extract<FilterField, { kind: Kind }>;
  filters: Filters;
  onDone: () => void;
};

/** The controls of one filter. Each change applies at once. */
export function FilterPanel({ field, ...rest }: PanelProps) {
  switch (field.kind) {
    case "values":
      return <ValuesPanel field={field} {...rest} />;
    case "choices":
      return <ChoicesPanel field={field} {...rest} />;
    case "campaign":
      return <CampaignPanel field={field} {...rest} />;
    case "owner":
      return <OwnerPanel field={field} {...rest} />;
    case "customField":
      return <CustomFieldPanel field={field} {...rest} />;
    case "date":
      return <DatePanel field={field} {...rest} />;
  }
}

function ValuesPanel({ field, filters, onDone }: PanelProps<"values">) {
  const { name, label, isPart, isList } = field;
  const chosen = valuesOf(field, filters);
  function choose(value: string) {
    setFilter(name, isList ? [...chosen, value] : value);
    if (!isList) onDone();
  }
  return (
    <>
      <Chosen field={field} filters={filters} />
      <ValuePicker label={label} field={field.field} isPart={isPart} chosen={chosen} onChoose={choose} />
      {name === "tags" && chosen.length > 1 && <TagMatch filters={filters} />}
    </>
  );
}

function TagMatch({ filters }: { filters: Filters }) {
  return (
    <fieldset class="inline-choices">
      <legend class="visually-hidden">Which of the tags</legend>
      {(["all", "any"] as const).map((match) => (
        <label key={match} class="inline-check">
          <input
            type="radio"
            name="tagMatch"
            checked={(filters["tagMatch"] ?? "all") === match}
            onChange={() => setFilter("tagMatch", match === "all" ? "" : match)}
          />
          {match === "all" ? "All of them" : "Any of them"}
        </label>
      ))}
    </fieldset>
  );
}

/** The values that are set, each with a button that removes it. */
function Chosen({ field, filters }: Pick<PanelProps, "field" | "filters">) {
  const chosen = valuesOf(field, filters);
  if (chosen.length === 0) return null;
  return (
    <ul class="chosen-values">
      {chosen.map((value) => (
        <li key={value} class="tag">
          {value}
          <button
            type="button"
            class="remove"
            aria-label={`Remove ${value}`}
            onClick={() =>
              setFilter(
                field.name,
                chosen.filter((each) => each !== value),
              )
            }
          >
            ×
          </button>
        </li>
      ))}
    </ul>
  );
}

function ChoicesPanel({ field, filters, onDone }: PanelProps<"choices">) {
  const { name, label, choices, isList } = field;
  const chosen = valuesOf(field, filters);
  function change(value: string, isChosen: boolean) {
    if (isList)
      return setFilter(name, (isChosen ? [...chosen, value] : chosen.filter((each) => each !== value)).join());
    setFilter(name, value);
    onDone();
  }
  return (
    <fieldset class="choices">
      <legend class="visually-hidden">{label}</legend>
      {Object.entries(choices).map(([value, words], n) => (
        <label key={value} class="inline-check">
          <input
            type={isList ? "checkbox" : "radio"}
            name={name}
            checked={chosen.includes(value)}
            autofocus={n === 0}
            onChange={(event) => change(value, event.currentTarget.checked)}
          />
          {words}
        </label>
      ))}
    </fieldset>
  );
}

function CampaignPanel({ field, filters, onDone }: PanelProps<"campaign">) {
  const campaigns = useResource(
    async (signal) => ({ all: await getAll<CampaignView>("/campaigns", "campaigns", { signal }) }),
    [],
  );
  return (
    <Loaded resource={campaigns} lines={1}>
      {({ all }) => (
        <Select
          {...{ field, filters, onDone }}
          choices={[{ value: "", label: "Select…" }, ...all.map(({ id, name }) => ({ value: id, label: name }))]}
        />
      )}
    </Loaded>
  );
}

function OwnerPanel({ field, filters, onDone }: PanelProps<"owner">) {
  const members = useMembers();
  const choices = [
    { value: "", label: "Any owner" },
    { value: "me", label: "Me" },
    { value: "none", label: "No owner" },
    ...memberChoices(members),
  ];
  return <Select {...{ field, filters, onDone, choices }} />;
}

function Select({ field, filters, onDone, choices }: PanelProps & { choices: readonly Choice[] }) {
  return (
    <Field label={field.label}>
      {(control) => (
        <select
          {...control}
          autofocus
          value={valuesOf(field, filters)[0] ?? ""}
          onChange={(event) => {
            setFilter(field.name, event.currentTarget.value);
            onDone();
          }}
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

function CustomFieldPanel({ field, filters }: PanelProps<"customField">) {
  const [name, setName] = useState<string | null>(null);
  const chosen = valuesOf(field, filters);
  const add = (value: string) => {
    setFilter(field.name, [...chosen, value]);
    setName(null);
  };
  return (
    <>
      <Chosen field={field} filters={filters} />
      {name === null ? (
        <ValuePicker label="Name of the field" field="customField" isPart={false} chosen={[]} onChoose={setName} />
      ) : (
        <>
          <p class="small">
            <strong>{name}</strong>{" "}
            <button type="button" class="link" onClick={() => add(name)}>
              Has any value
            </button>
          </p>
          <ValuePicker
            label={`Value of ${name}`}
            field="customField"
            name={name}
            isPart
            chosen={[]}
            onChoose={(value) => add(`${name}:${value}`)}
          />
        </>
      )}
    </>
  );
}

function DatePanel({ field, filters }: PanelProps<"date">) {
  return (
    <Field label={field.label}>
      {(control) => (
        <input
          {...control}
          type="date"
          autofocus
          value={(valuesOf(field, filters)[0] ?? "").slice(0, 10)}
          onChange={(event) => setFilter(field.name, event.currentTarget.value)}
        />
      )}
    </Field>
  );
}
