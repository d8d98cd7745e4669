import { useState } from "preact/hooks";
import type { SuppressionImport, SuppressionResults } from "../../../../../features/suppression/model.ts";
import { api, RequestError } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { showError } from "../../ui/toast.tsx";

/** Limit of the API per request. A file can contain any number. */
const maxValues = 10_000;

type Outcome = {
  added: number;
  existing: number;
  invalid: number;
  problems: { value: string; message: string }[];
};

type AddProps = { canApplyToTeam: boolean; onClose: () => void; onAdded: () => void };

/** Accepts values that are typed or pasted, one per line, or a file of any length. */
export function AddSuppressionsDialog({ canApplyToTeam, onClose, onAdded }: AddProps) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isReading, setIsReading] = useState(false);
  const form = useForm({ values: "", reason: "", isForAll: false, hashOnly: false }, async (input) => {
    const values = input.values
      .split(/[\n,;]/)
      .map((value) => value.trim())
      .filter((value) => value !== "");
    if (values.length === 0)
      throw new RequestError("Enter at least one email address, domain, profile, or phone number.");
    if (values.length > maxValues)
      throw new RequestError(`You entered more than ${maxValues} values. Save them in a file and drop it below.`);
    const answer = await api.post<SuppressionResults>("/suppressions", { values, ...optionsOf(input) });
    const problems = answer.results.flatMap(({ outcome, value, message = "" }) =>
      outcome === "invalid" || message !== "" ? [{ value, message }] : [],
    );
    setOutcome({ ...answer, problems });
    onAdded();
  });

  async function importFile(file: File | undefined) {
    if (file === undefined) return;
    setIsReading(true);
    try {
      // Windows says "excel" of CSV files, too. The server recognizes workbooks by their content.
      const type = file.type === "" || file.type.includes("excel") ? "application/octet-stream" : file.type;
      const answer = await api.post<SuppressionImport>("/suppressions/import", file, {
        query: optionsOf(form.values),
        headers: { "content-type": type },
      });
      setOutcome(answer);
      onAdded();
    } catch (error) {
      showError(error);
    } finally {
      setIsReading(false);
    }
  }

  if (outcome !== null)
    return (
      <Dialog title="Add to do-not-contact list" onClose={onClose}>
        <OutcomeList outcome={outcome} />
        <footer class="buttons">
          <Button
            onClick={() => {
              setOutcome(null);
              form.reset({ ...form.values, values: "" });
            }}
          >
            Add more
          </Button>
          <Button kind="primary" onClick={onClose}>
            Done
          </Button>
        </footer>
      </Dialog>
    );
  return (
    <Dialog title="Add to do-not-contact list" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextArea
          form={form}
          name="values"
          label="People and companies"
          rows={5}
          spellcheck={false}
          autofocus
          hint="One per line: email addresses, domains (@example.com), profile URLs, or phone numbers with + and country code."
        />
        <TextField form={form} name="reason" label="Reason" isOptional maxLength={500} />
        {canApplyToTeam && (
          <CheckField
            form={form}
            name="isForAll"
            label="Apply to all workspaces"
            hint="Otherwise, the entries apply only to you."
          />
        )}
        <CheckField
          form={form}
          name="hashOnly"
          label="Store only a hash"
          hint="The entry works the same, but its value cannot be read."
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Add to list
          </Button>
        </footer>
      </form>
      <FileDrop
        label={isReading ? "Importing…" : "Or drop a file here"}
        hint="CSV or Excel (.xlsx) with a header (email, domain, profile, phone, reason), or one value per line."
        accept=".csv,.tsv,.txt,.xlsx,text/csv,text/plain"
        onFiles={(files) => void importFile(files[0])}
      />
    </Dialog>
  );
}

function optionsOf({ reason, isForAll, hashOnly }: { reason: string; isForAll: boolean; hashOnly: boolean }) {
  return {
    ...(reason.trim() !== "" && { reason: reason.trim() }),
    ...(isForAll && { scope: "team" }),
    ...(hashOnly && { hashOnly }),
  };
}

function OutcomeList({ outcome: { added, existing, invalid, problems } }: { outcome: Outcome }) {
  const parts = [
    `${counted(added, "entry", "entries")} added`,
    existing > 0 && `${counted(existing, "value")} already on the list`,
    invalid > 0 && `${counted(invalid, "value")} invalid`,
  ];
  return (
    <>
      <p role="status">{parts.filter(Boolean).join(", ")}.</p>
      {problems.length > 0 && (
        <ul class="results" tabIndex={0} aria-label="Problems">
          {problems.map(({ value, message }, index) => (
            <li key={index} class="two-lines">
              <span>{value}</span>
              <span>{message}</span>
            </li>
          ))}
        </ul>
      )}
    </>
  );
}
