import { useRef, useState } from "preact/hooks";
import { RequestError } from "../../api.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { ErasePersonDialog } from "../privacy/erase-person.tsx";
import { ExportPersonDialog } from "../privacy/export-person.tsx";
import type { GivenPerson } from "../privacy/person.ts";

type OpenDialog = { what: "export" | "erase"; person: GivenPerson; name: string };

/** Answers requests of people for access to their data, or for its erasure. */
export function PrivacyTools() {
  // The pressed button. A state would be updated only after the submission.
  const what = useRef<OpenDialog["what"]>("export");
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const form = useForm({ email: "", networkUrl: "" }, async ({ email, networkUrl }) => {
    const given = Object.entries({ email: email.trim(), networkUrl: networkUrl.trim() }).filter(([, text]) => text);
    if (given.length === 0) throw new RequestError("Enter an email address, a profile, or both.");
    setOpenDialog({ what: what.current, person: Object.fromEntries(given), name: email.trim() || networkUrl.trim() });
  });
  const close = () => setOpenDialog(null);
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
          {can("privacy:read") && (
            <Button type="submit" icon="download" onClick={() => (what.current = "export")}>
              Export this person…
            </Button>
          )}
          {can("privacy:write") && (
            <Button type="submit" onClick={() => (what.current = "erase")}>
              Erase this person…
            </Button>
          )}
        </div>
      </form>
      {openDialog?.what === "export" && <ExportPersonDialog {...openDialog} onClose={close} />}
      {openDialog?.what === "erase" && (
        <ErasePersonDialog
          {...openDialog}
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
