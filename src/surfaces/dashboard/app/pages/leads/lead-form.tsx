import { useState } from "preact/hooks";
import type { LeadUpdate, LeadView } from "../../../../../features/leads/model.ts";
import { api, RequestError } from "../../api.ts";
import { CustomFields, customFieldsOf, customRows } from "./custom-fields.tsx";
import { memberChoices, useMembers } from "../../team.ts";
import { leadStatusLabels } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { FormError, SelectField, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess } from "../../ui/toast.tsx";

/** A lead with its version, so that changes by other users are not overwritten unnoticed. */
export type ReadLead = { lead: LeadView; etag: string | null };

const textFields = [
  ["firstName", "First name", 200],
  ["lastName", "Last name", 200],
  ["email", "Email", 254],
  ["phone", "Phone", 50],
  ["company", "Company", 300],
  ["title", "Job title", 300],
  ["industry", "Industry", 200],
  ["location", "Location", 300],
  ["networkUrl", "Profile", 500],
  ["source", "Source", 200],
] as const;

type LeadFormProps = {
  lead: LeadView;
  etag: string | null;
  onSaved: (saved: ReadLead) => void;
  onClose: () => void;
};

/** Sends only the changes. If another user has changed the lead in the meantime, asks before overwriting. */
export function LeadForm({ lead, etag, onSaved, onClose }: LeadFormProps) {
  // The values when editing started: updates that arrive later must not overwrite the user's input.
  const [{ before, version }, setBefore] = useState({ before: valuesOf(lead), version: etag });
  const [isStale, setIsStale] = useState(false);
  const [customBefore] = useState(() => customRows(lead.customFields));
  const [custom, setCustom] = useState(customBefore);
  const isCustomChanged = JSON.stringify(custom) !== JSON.stringify(customBefore);

  const form = useForm(before, async (values) => {
    try {
      const answer = await api.answer("PUT", `/leads/${lead.id}`, {
        body: { ...changesOf(values, before), ...(isCustomChanged && { customFields: customFieldsOf(custom) }) },
        ...(version !== null && !isStale && { headers: { "if-match": version } }),
      });
      const { data } = (await answer.json()) as { data: LeadView };
      showSuccess("Saved.");
      onSaved({ lead: data, etag: answer.headers.get("etag") });
    } catch (error) {
      if (!(error instanceof RequestError) || error.status !== 412) throw error;
      setIsStale(true);
      throw new RequestError(
        "Another user changed this lead while you were editing. Save again to overwrite the fields that you changed. All other fields keep their changes.",
      );
    }
  });

  const members = useMembers();
  const { values } = form;
  return (
    <form class="form card" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <div class="fields">
        {textFields.map(([name, label, maxLength]) => (
          <TextField key={name} form={form} name={name} label={label} maxLength={maxLength} />
        ))}
        <SelectField
          form={form}
          name="status"
          label="Status"
          choices={Object.entries(leadStatusLabels).map(([value, { label }]) => ({ value, label }))}
        />
        <SelectField
          form={form}
          name="assignedTo"
          label="Owner"
          choices={[{ value: "", label: "Unassigned" }, ...memberChoices(members, values.assignedTo)]}
        />
        <TextField form={form} name="tags" label="Tags" hint="Separate tags with commas." />
      </div>
      <CustomFields fields={custom} onChange={setCustom} />
      <TextArea form={form} name="notes" label="Notes" rows={6} maxLength={10_000} />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged && !isCustomChanged}>
          {isStale ? "Overwrite" : "Save"}
        </Button>
        <Button
          onClick={() => {
            setBefore({ before: valuesOf(lead), version: etag });
            onClose();
          }}
        >
          Cancel
        </Button>
      </div>
    </form>
  );
}

type FormValues = Record<(typeof textFields)[number][0] | "status" | "assignedTo" | "tags" | "notes", string>;

function valuesOf(lead: LeadView): FormValues {
  const texts = Object.fromEntries(textFields.map(([name]) => [name, lead[name] ?? ""]));
  const { status, assignedTo, tags, notes } = lead;
  return { ...texts, status, assignedTo: assignedTo ?? "", tags: tags.join(", "), notes: notes ?? "" } as FormValues;
}

function changesOf(values: FormValues, before: FormValues): LeadUpdate {
  const changed = (Object.keys(values) as (keyof FormValues)[]).filter((name) => values[name] !== before[name]);
  return Object.fromEntries(
    changed.map((name) => {
      if (name === "tags") return [name, tagsIn(values.tags)];
      return [name, values[name].trim() === "" ? null : values[name]];
    }),
  );
}

function tagsIn(text: string): string[] {
  return text
    .split(",")
    .map((tag) => tag.trim())
    .filter((tag) => tag !== "");
}
