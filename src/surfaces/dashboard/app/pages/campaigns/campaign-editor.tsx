import { useState } from "preact/hooks";
import type { CampaignSettings, CampaignStep, CampaignView } from "../../../../../features/campaigns/model.ts";
import { api, RequestError } from "../../api.ts";
import { useAccounts } from "../../network.ts";
import { can } from "../../session.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, TextField, useForm } from "../../ui/form.tsx";
import { Loaded } from "../../ui/states.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { maxDepth, StepList } from "./step-editor.tsx";

/** A common sequence, as a starting point. */
const firstSteps: CampaignStep[] = [
  { type: "action", actionType: "visitProfile" },
  { type: "wait", days: 1 },
  { type: "action", actionType: "sendConnectionRequest" },
  {
    type: "branch",
    condition: "connected",
    withinDays: 14,
    yes: [
      { type: "wait", hours: 4 },
      { type: "action", actionType: "sendMessage", message: "Thank you for connecting, {{firstName|friend}}!" },
    ],
    no: [{ type: "action", actionType: "withdrawConnectionRequest" }],
  },
];

type EditorProps = { campaign: CampaignView | null; onSaved: (campaign: CampaignView) => void };

/** Creates or edits a campaign. Steps and accounts cannot be changed once it has started. */
export function CampaignEditor({ campaign, onSaved }: EditorProps) {
  const accounts = useAccounts();
  const isDraft = campaign === null || campaign.state === "draft";
  const [sent, setSent] = useState("");
  const settings = campaign?.settings;
  const form = useForm(
    {
      name: campaign?.name ?? "",
      // As JSON, because forms hold and compare plain values.
      steps: JSON.stringify(campaign?.steps ?? firstSteps),
      accountIds: JSON.stringify(campaign?.accountIds ?? []),
      stopOnReply: settings?.stopOnReply ?? true,
      excludeOtherCampaigns: settings?.excludeOtherCampaigns ?? true,
      allowOverlap: settings?.allowOverlap ?? false,
      isExcludingContacted: typeof settings?.excludeContactedDays === "number",
      excludeContactedDays: String(settings?.excludeContactedDays ?? 30),
    },
    async (values) => {
      setSent(values.steps);
      const steps = JSON.parse(values.steps) as CampaignStep[];
      const accountIds = JSON.parse(values.accountIds) as string[];
      if (isDraft && steps.length === 0) throw new RequestError("Add at least one step.");
      const input = {
        name: values.name,
        settings: {
          stopOnReply: values.stopOnReply,
          excludeOtherCampaigns: values.excludeOtherCampaigns,
          excludeContactedDays: values.isExcludingContacted ? Number(values.excludeContactedDays) : null,
          allowOverlap: values.allowOverlap,
        } satisfies CampaignSettings,
        ...(isDraft && { steps, ...(accountIds.length > 0 && { accountIds }) }),
      };
      const saved =
        campaign === null
          ? await api.post<CampaignView>("/campaigns", input)
          : await api.patch<CampaignView>(`/campaigns/${campaign.id}`, input);
      showSuccess("Saved.");
      onSaved(saved);
    },
  );
  const chosen = JSON.parse(form.values.accountIds) as string[];
  const canWrite = can("network:schedule");
  return (
    <form class="form" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <div class="card form">
        <TextField form={form} name="name" label="Name" maxLength={200} required />
        {isDraft && (
          <fieldset class="plain-set">
            <legend>Sent from</legend>
            <Loaded resource={accounts} lines={1}>
              {({ accounts: list }) => (
                <div class="check-grid">
                  {list.map(({ id, name }) => (
                    <label key={id} class="inline-check">
                      <input
                        type="checkbox"
                        checked={chosen.includes(id)}
                        onChange={(event) =>
                          form.set(
                            "accountIds",
                            JSON.stringify(
                              event.currentTarget.checked ? [...chosen, id] : chosen.filter((one) => one !== id),
                            ),
                          )
                        }
                      />
                      {name}
                    </label>
                  ))}
                </div>
              )}
            </Loaded>
            <p class="hint">
              Leads are distributed across the selected accounts. If you select none, your first account is used.
            </p>
          </fieldset>
        )}
        <CheckField form={form} name="stopOnReply" label="Stop when a lead replies" />
        <CheckField form={form} name="excludeOtherCampaigns" label="Exclude leads in another campaign" />
        <CheckField form={form} name="allowOverlap" label="Invite people whom another account has invited" />
        <CheckField form={form} name="isExcludingContacted" label="Exclude recently contacted leads" />
        {form.values.isExcludingContacted && (
          <TextField
            form={form}
            name="excludeContactedDays"
            path="settings.excludeContactedDays"
            label="Contacted within (days)"
            type="number"
            min={1}
            max={3650}
            required
          />
        )}
      </div>
      {isDraft && (
        <section>
          <h2>Steps</h2>
          <StepList
            label="steps"
            steps={JSON.parse(form.values.steps) as CampaignStep[]}
            onChange={(steps) => form.set("steps", JSON.stringify(steps))}
            path="steps"
            // Errors apply only to the steps that were submitted.
            errors={form.values.steps === sent ? form.errors : {}}
            first={0}
            depth={maxDepth}
          />
        </section>
      )}
      {canWrite && (
        <div class="buttons sticky-buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={campaign !== null && !form.isChanged}>
            {campaign === null ? "Save draft" : "Save"}
          </Button>
          {form.error !== null || Object.keys(form.errors).length > 0 ? (
            <span class="field-error">Not saved. Fix the errors above.</span>
          ) : null}
        </div>
      )}
    </form>
  );
}
