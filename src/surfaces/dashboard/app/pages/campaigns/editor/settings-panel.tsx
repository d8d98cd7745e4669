import type { CampaignSettings } from "../../../../../../features/campaigns/model.ts";
import type { AccountView } from "../../../../../../features/network/account-model.ts";
import { Field } from "../../../ui/form.tsx";

export type Details = { name: string; accountIds: readonly string[]; settings: CampaignSettings };

type SettingsPanelProps = {
  details: Details;
  accounts: readonly AccountView[];
  errors: Record<string, string>;
  isReadOnly: boolean;
  /** Accounts can be changed, not only name and settings. */
  canChangeAccounts: boolean;
  onChange: (details: Details) => void;
};

/** Name, accounts, and settings of the campaign: the start of the flow. */
export function SettingsPanel(props: SettingsPanelProps) {
  const { details, accounts, errors, isReadOnly, canChangeAccounts, onChange } = props;
  const { name, accountIds, settings } = details;
  const set = (changed: Partial<CampaignSettings>) => onChange({ ...details, settings: { ...settings, ...changed } });
  return (
    <>
      <header class="flow-panel-head">
        <h2>Campaign settings</h2>
      </header>
      <fieldset class="plain-set form" disabled={isReadOnly}>
        <Field label="Name" error={errors["name"]}>
          {(control) => (
            <input
              {...control}
              type="text"
              required
              maxLength={200}
              data-path="name"
              autocomplete="off"
              value={name}
              onInput={(event) => onChange({ ...details, name: event.currentTarget.value })}
            />
          )}
        </Field>
        <fieldset class="plain-set" disabled={!canChangeAccounts} data-path="accountIds">
          <legend>Sent from</legend>
          <div class="check-grid">
            {accounts.map(({ id, name: account }) => (
              <label key={id} class="inline-check">
                <input
                  type="checkbox"
                  checked={accountIds.includes(id)}
                  onChange={(event) =>
                    onChange({
                      ...details,
                      accountIds: event.currentTarget.checked
                        ? [...accountIds, id]
                        : accountIds.filter((one) => one !== id),
                    })
                  }
                />
                {account}
              </label>
            ))}
          </div>
          <p class="hint">
            Leads are distributed across the selected accounts. If you select none, your first account is used.
          </p>
        </fieldset>
        <fieldset class="plain-set form">
          <legend>Leads</legend>
          <Check
            label="Stop when a lead replies"
            isChecked={settings.stopOnReply}
            onChange={(stopOnReply) => set({ stopOnReply })}
          />
          <Check
            label="Exclude leads in another campaign"
            isChecked={settings.excludeOtherCampaigns}
            onChange={(excludeOtherCampaigns) => set({ excludeOtherCampaigns })}
          />
          <Check
            label="Invite people whom another account has invited"
            isChecked={settings.allowOverlap}
            onChange={(allowOverlap) => set({ allowOverlap })}
          />
          <Check
            label="Exclude recently contacted leads"
            isChecked={settings.excludeContactedDays !== null}
            onChange={(isOn) => set({ excludeContactedDays: isOn ? 30 : null })}
          />
          {settings.excludeContactedDays !== null && (
            <Field label="Contacted within (days)" error={errors["settings.excludeContactedDays"]}>
              {(control) => (
                <input
                  {...control}
                  type="number"
                  min={1}
                  max={3650}
                  required
                  data-path="settings.excludeContactedDays"
                  value={settings.excludeContactedDays ?? 30}
                  onInput={(event) => set({ excludeContactedDays: Math.round(Number(event.currentTarget.value)) })}
                />
              )}
            </Field>
          )}
        </fieldset>
      </fieldset>
    </>
  );
}

function Check({ label, isChecked, onChange }: { label: string; isChecked: boolean; onChange: (is: boolean) => void }) {
  return (
    <label class="inline-check">
      <input type="checkbox" checked={isChecked} onChange={(event) => onChange(event.currentTarget.checked)} />
      {label}
    </label>
  );
}
