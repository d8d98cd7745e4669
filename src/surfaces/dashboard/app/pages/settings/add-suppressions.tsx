import { useState } from "preact/hooks";
import type { SuppressionImport, SuppressionResults } from "../../../../../features/suppression/model.ts";
import { api, RequestError } from "../../api.ts";
import { counted } from "../../format.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FileDrop } from "../../ui/file-drop.tsx";
import { CheckField, FormError, TextArea, TextField, useForm } from "../../ui/form.tsx";
import { tellError } from "../../ui/toast.tsx";

/** As many as the server takes in one call; a file may have any number. */
const maxValues = 10_000;

type Outcome = {
  added: number;
  existing: number;
  invalid: number;
  problems: { value: string; message: string }[];
};

type AddProps = { mayForAll: boolean; onClose: () => void; onAdded: () => void };

/** Takes values that are typed or pasted, one a line, or a file of any length. */
export function AddSuppressionsDialog({ mayForAll, onClose, onAdded }: AddProps) {
  const [outcome, setOutcome] = useState<Outcome | null>(null);
  const [isReading, setIsReading] = useState(false);
  const form = useForm({ values: "", reason: "", isForAll: false, hashOnly: false }, async (input) => {
    const values = input.values
      .split(/[\n,;]/)
      .map((value) => value.trim())
      .filter((value) => value !== "");
    if (values.length === 0) throw new RequestError("Name at least one address, domain, profile or phone number.");
    if (values.length > maxValues)
      throw new RequestError(`These are more than ${maxValues} values. Store them in a file, and drop that below.`);
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
      const type = file.type === "" || file.type.includes("excel") ? "text/csv" : file.type;
      const answer = await api.post<SuppressionImport>("/suppressions/import", file, {
        query: optionsOf(form.values),
        headers: { "content-type": type },
      });
      setOutcome(answer);
      onAdded();
    } catch (error) {
      tellError(error);
    } finally {
      setIsReading(false);
    }
  }

  if (outcome !== null)
    return (
      <Dialog title="Do not contact" onClose={onClose}>
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
    <Dialog title="Do not contact" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextArea
          form={form}
          name="values"
          label="Whom"
          rows={5}
          spellcheck={false}
          autofocus
          hint="One a line: e-mail addresses, domains (@example.com), addresses of profiles, phone numbers with + and country code."
        />
        <TextField form={form} name="reason" label="Reason" isOptional maxLength={500} />
        {mayForAll && (
          <CheckField
            form={form}
            name="isForAll"
            label="For everybody of the team"
            hint="Else it holds only for you."
          />
        )}
        <CheckField
          form={form}
          name="hashOnly"
          label="Keep only a hash"
          hint="It holds all the same, but nobody can read who it was."
        />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Put on the list
          </Button>
        </footer>
      </form>
      <FileDrop
        label={isReading ? "Reading the file…" : "Or drop a list here"}
        hint="CSV with a header (email, domain, profile, phone, reason), or one value a line."
        accept=".csv,.tsv,.txt,text/csv,text/plain"
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
    existing > 0 && `${counted(existing, "value")} on the list before`,
    invalid > 0 && `${counted(invalid, "value")} not understood`,
  ];
  return (
    <>
      <p role="status">{parts.filter(Boolean).join(", ")}.</p>
      {problems.length > 0 && (
        <ul class="results" tabIndex={0} aria-label="What was found">
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
