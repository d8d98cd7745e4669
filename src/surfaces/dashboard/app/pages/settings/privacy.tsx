import { useRef, useState } from "preact/hooks";
import { RequestError } from "../../api.ts";
import { may } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { ErasePersonDialog } from "../privacy/erase-person.tsx";
import { ExportPersonDialog } from "../privacy/export-person.tsx";
import type { GivenPerson } from "../privacy/person.ts";

type Asked = { what: "export" | "erase"; person: GivenPerson; name: string };

/** Answers requests of people for access to their data, or for its erasure. */
export function PrivacyTools() {
  // The pressed button. A state would be updated only after the submission.
  const what = useRef<Asked["what"]>("export");
  const [asked, setAsked] = useState<Asked | null>(null);
  const form = useForm({ email: "", networkUrl: "" }, async ({ email, networkUrl }) => {
    const given = Object.entries({ email: email.trim(), networkUrl: networkUrl.trim() }).filter(([, text]) => text);
    if (given.length === 0) throw new RequestError("Enter an email address, a profile, or both.");
    setAsked({ what: what.current, person: Object.fromEntries(given), name: email.trim() || networkUrl.trim() });
  });
  const close = () => setAsked(null);
  return (
    <>
      <div class="part-head">
        <p class="faint">
          When a person asks for their data or for its erasure. Covers all data stored about them: leads, prospects,
          actions, campaigns, reports, and events.
        </p>
      </div>
      <form class="card form" onSubmit={form.onSubmit}>
        <FormError form={form} />
        <div class="fields">
          <TextField form={form} name="email" label="Email" maxLength={254} isOptional />
          <TextField form={form} name="networkUrl" label="Profile" maxLength={500} isOptional />
        </div>
        <div class="buttons">
          {may("privacy:read") && (
            <Button type="submit" icon="download" onClick={() => (what.current = "export")}>
              Export this person…
            </Button>
          )}
          {may("privacy:write") && (
            <Button type="submit" onClick={() => (what.current = "erase")}>
              Erase this person…
            </Button>
          )}
        </div>
      </form>
      {asked?.what === "export" && <ExportPersonDialog {...asked} onClose={close} />}
      {asked?.what === "erase" && (
        <ErasePersonDialog
          {...asked}
          onClose={close}
          onErased={() => {
            close();
            form.reset({ email: "", networkUrl: "" });
          }}
        />
      )}
    </>
  );
}
