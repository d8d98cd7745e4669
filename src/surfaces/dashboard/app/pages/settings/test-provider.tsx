import { useState } from "preact/hooks";
import type { ProviderTest } from "../../../../../features/enrichment/model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { fieldLabel } from "../enrichment/field-labels.ts";

const words: Record<ProviderTest["outcome"], string> = {
  found: "The provider works and found the person.",
  none: "The provider works, but did not find the person.",
  insufficientInput: "Not queried: the provider needs more information to look up a person.",
  paused: "The provider is rate limiting requests.",
  exhausted: "The provider account has no credits left, or the key was rejected.",
  failed: "The provider returned an invalid response.",
  skipped: "Not queried: the provider is paused or has reached its monthly cap.",
};

/** Queries one provider about a person, to test its key and connection. */
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
          Enter a person that the provider should know. The test uses none of your credits, but the provider may charge
          your account there.
        </p>
        <div class="fields">
          <TextField form={form} name="email" label="Email" isOptional autofocus />
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
                {test.fields.length > 0 && <p class="small">Fields found: {test.fields.map(fieldLabel).join(" · ")}</p>}
                <p class="small">Took {test.milliseconds} ms.</p>
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
