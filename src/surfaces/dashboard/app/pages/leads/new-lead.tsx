import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";
import { nameOf } from "../../person.ts";
import { navigate } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, TextField, useForm } from "../../ui/form.tsx";
import { showSuccess } from "../../ui/toast.tsx";

const empty = { firstName: "", lastName: "", email: "", company: "", title: "", networkUrl: "" };

type NewLeadProps = {
  /** What is known about the person. */
  known?: Partial<typeof empty>;
  onClose: () => void;
  /** Without it, the page of the new lead opens. */
  onAdded?: (lead: LeadView) => void;
};

export function NewLeadDialog({ known, onClose, onAdded }: NewLeadProps) {
  const form = useForm({ ...empty, ...known }, async (values) => {
    const filled = Object.fromEntries(Object.entries(values).filter(([, value]) => value.trim() !== ""));
    const lead = await api.post<LeadView>("/leads", filled, { query: { onDuplicate: "error" } });
    showSuccess(`${nameOf(lead)} was added.`);
    if (onAdded === undefined) navigate(`/leads/${lead.id}`);
    else onAdded(lead);
  });
  return (
    <Dialog title="New lead" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <div class="fields">
          <TextField form={form} name="firstName" label="First name" autofocus />
          <TextField form={form} name="lastName" label="Last name" />
          <TextField form={form} name="email" label="Email" type="email" />
          <TextField form={form} name="company" label="Company" />
          <TextField form={form} name="title" label="Job title" isOptional />
          <TextField
            form={form}
            name="networkUrl"
            label="Profile"
            type="url"
            hint="URL of the profile on the network."
          />
        </div>
        <p class="hint">Enter an email address, a profile, or a name and company. Duplicates are rejected.</p>
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Add lead
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}
