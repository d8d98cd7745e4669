import { useState } from "preact/hooks";
import type { ProviderTest } from "../../../../../features/enrichment/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { fieldInWords } from "../enrichment/field-words.ts";

const words: Record<ProviderTest["outcome"], string> = {
  found: "It works: it knows the person.",
  none: "It works, but does not know this person.",
  insufficientInput: "It was not asked: this is not enough for it to look somebody up.",
  paused: "It asks for a pause.",
  exhausted: "Its account is used up, or its key is not accepted.",
  failed: "It gave no usable answer.",
  skipped: "It was not asked: it pauses, or has spent what it may in this month.",
};

/** Asks one provider about somebody, to see whether its key and the way to it work. */
export function TestProviderDialog({ name, onClose }: { name: string; onClose: () => void }) {
  const [test, setTest] = useState<ProviderTest | null>(null);
  const form = useForm({ email: "", networkUrl: "", firstName: "", lastName: "", company: "" }, async (values) => {
    setTest(null);
    const known = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
    setTest(await api.post<ProviderTest>(`/enrich/providers/${encodeURIComponent(name)}/test`, known));
  });
  return (
    <Dialog title={`Test ${name}`} onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <p class="faint">
          Name somebody it should know. You pay no credits, but the provider may charge the account that you have there.
        </p>
        <div class="fields">
          <TextField form={form} name="email" label="E-mail" isOptional autofocus />
          <TextField form={form} name="networkUrl" label="Profile" isOptional />
          <TextField form={form} name="firstName" label="First name" isOptional />
          <TextField form={form} name="lastName" label="Last name" isOptional />
          <TextField form={form} name="company" label="Company" isOptional />
        </div>
        <div role="status">
          {test !== null && (
            <div class={`notice ${test.outcome === "found" || test.outcome === "none" ? "" : "warn"}`}>
              <div>
                <p>{words[test.outcome]}</p>
                {test.reason !== null && <p>{test.reason}</p>}
                {test.fields.length > 0 && <p class="small">It knew: {test.fields.map(fieldInWords).join(" · ")}</p>}
                <p class="small">It took {test.milliseconds} ms.</p>
              </div>
            </div>
          )}
        </div>
        <footer class="buttons">
          <Button onClick={onClose}>Close</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Run test
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
