import { useState } from "preact/hooks";
import type { AccountView, WeekView } from "../../../../../features/network/account-model.ts";
import type { UsageView } from "../../../../../features/network/forecast-model.ts";
import { api } from "../../api.ts";
import { can } from "../../session.ts";
import { memberChoices, useMembers } from "../../team.ts";
import { Button } from "../../ui/button.tsx";
import { CheckField, FormError, SelectField, TextField, useForm, type Form } from "../../ui/form.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { WeekEditor } from "../../ui/week-editor.tsx";
import { HolidayEditor } from "./holiday-editor.tsx";
import { capPath, changesOf, valuesOf, type AccountValues } from "./account-values.ts";
import {
  connectorLabels,
  meterNames,
  meterLabels,
  tierLabels,
  windowNames,
  windowLabels,
} from "../../account-labels.ts";

type AccountFormProps = {
  account: AccountView;
  path: string;
  usage: UsageView | undefined;
  onSaved: (account: AccountView) => void;
};

/** Settings of an account. Sends only changed values, so that two users can change different settings. */
export function AccountForm({ account, path, usage, onSaved }: AccountFormProps) {
  // The values when editing started: updates that arrive later must not overwrite the user's input.
  const [before, setBefore] = useState(account);
  const form = useForm<AccountValues>(valuesOf(before), async (values) => {
    const saved = await api.patch<AccountView>(path, changesOf(values, before));
    setBefore(saved);
    onSaved(saved);
    showSuccess("Saved. The queue was rescheduled.");
  });
  const { values } = form;
  const members = useMembers();
  const { hint, setting } = connectorLabels[values.connector as AccountView["connector"]];
  return (
    <form class="form account-form" onSubmit={form.onSubmit}>
      <FormError form={form} />
      <div class="card form">
        <div class="fields">
          <TextField form={form} name="name" label="Name" maxLength={200} required />
          <TimeZoneField form={form} />
          <SelectField
            form={form}
            name="tier"
            label="Network plan"
            choices={Object.entries(tierLabels).map(([value, label]) => ({ value, label }))}
          />
          <SelectField
            form={form}
            name="connector"
            label="Connector"
            hint={hint}
            choices={Object.entries(connectorLabels).map(([value, { label }]) => ({ value, label }))}
          />
          {setting && (
            <TextField
              form={form}
              name={`connectorSettings.${setting.name}`}
              label={setting.label}
              hint={setting.hint}
              required
            />
          )}
        </div>
        <CheckField
          form={form}
          name="requiresApproval"
          label="Require approval"
          hint="Each action must be approved before it is scheduled."
        />
        {members.length > 1 && (
          <>
            <div class="fields">
              <SelectField
                form={form}
                name="memberId"
                label="Member"
                hint="Whose account it is."
                choices={[{ value: "", label: "No member" }, ...memberChoices(members, values.memberId)]}
              />
            </div>
            <CheckField
              form={form}
              name="isShared"
              label="Shared with all members"
              hint="Otherwise, only its member, owners, and admins act with it."
            />
          </>
        )}
      </div>
      <div class="card form">
        <WeekEditor
          week={JSON.parse(values.workingHours) as WeekView}
          onChange={(week) => form.set("workingHours", JSON.stringify(week))}
          errors={form.errors}
        />
      </div>
      <div class="card form">
        <HolidayEditor
          holidays={JSON.parse(values.holidays) as AccountView["holidays"]}
          onChange={(holidays) => form.set("holidays", JSON.stringify(holidays))}
          errors={form.errors}
        />
      </div>
      <div class="card form">
        <Caps form={form} usage={usage} />
      </div>
      <div class="card form">
        <h2>Pace</h2>
        <Pace form={form} />
      </div>
      {can("network:schedule") && (
        <div class="buttons sticky-buttons">
          <Button kind="primary" type="submit" isBusy={form.isBusy} disabled={!form.isChanged}>
            Save
          </Button>
          <Button disabled={!form.isChanged} onClick={() => form.reset(valuesOf(before))}>
            Undo changes
          </Button>
        </div>
      )}
    </form>
  );
}

/** A field for each action type and time window. The placeholder shows the cap in effect. */
function Caps({ form, usage }: { form: Form<AccountValues>; usage: UsageView | undefined }) {
  const inForce = (meter: string, window: string) =>
    usage?.meters.find((one) => one.meter === meter)?.windows.find((one) => one.window === window)?.limit ?? null;
  const errors = Object.entries(form.errors).filter(([path]) => path.startsWith("caps."));
  return (
    <>
      <h2>Caps</h2>
      <p class="hint" id="caps-hint">
        The maximum in any 24 hours, 7 days, and 30 days. If empty, the default shown in gray applies. 0 disables the
        action; “none” removes the cap, within the limits of the plan.
      </p>
      {errors.map(([path, message]) => (
        <p key={path} class="field-error" role="alert">
          {message}
        </p>
      ))}
      <div class="table-scroll" tabIndex={0} role="region" aria-label="Caps">
        <table class="caps">
          <thead>
            <tr>
              <td />
              {windowNames.map((window) => (
                <th key={window} scope="col">
                  {windowLabels[window]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {meterNames.map((meter) => (
              <tr key={meter}>
                <th scope="row">{meterLabels[meter]}</th>
                {windowNames.map((window) => {
                  const path = capPath(meter, window);
                  return (
                    <td key={window}>
                      <input
                        type="text"
                        inputMode="numeric"
                        pattern="\d{1,7}|none"
                        title="A whole number, “none”, or empty"
                        aria-label={`${meterLabels[meter]}, ${windowLabels[window]}`}
                        aria-describedby="caps-hint"
                        aria-invalid={form.errors[path] === undefined ? undefined : true}
                        data-path={path}
                        placeholder={String(inForce(meter, window) ?? "–")}
                        value={String(form.values[path])}
                        onInput={(event) => form.set(path, event.currentTarget.value)}
                      />
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

function Pace({ form }: { form: Form<AccountValues> }) {
  const number = (name: string, label: string, min: number, max: number, hint?: string) => (
    <TextField form={form} name={name} label={label} type="number" min={min} max={max} hint={hint} required />
  );
  return (
    <>
      <div class="fields">
        {number("spacing.medianSeconds", "Seconds between actions", 0, 86_400, "Median of a random interval.")}
        {number("spacing.minSeconds", "Minimum seconds between actions", 0, 86_400)}
        {number(
          "jitterPercent",
          "Daily variation (%)",
          0,
          50,
          "Lowers the daily caps by a random amount, up to this percentage.",
        )}
      </div>
      <CheckField
        form={form}
        name="isWarmingUp"
        label="Warm up"
        hint="Starts with a few actions of each type per day, and increases daily until the caps are reached."
      />
      {form.values.isWarmingUp && (
        <div class="fields">
          {number("warmUp.perDay", "Actions on the first day", 1, 1000)}
          {number("warmUp.addPerDay", "Daily increase", 0, 1000)}
        </div>
      )}
      <CheckField
        form={form}
        name="hasSessions"
        label="Take breaks"
        hint="Alternates work and breaks of random length, different each day."
      />
      {form.values.hasSessions && (
        <div class="fields">
          {number("sessions.minMinutes", "Min. minutes of work", 1, 1440)}
          {number("sessions.maxMinutes", "Max. minutes of work", 1, 1440)}
          {number("sessions.minBreakMinutes", "Min. minutes of break", 1, 1440)}
          {number("sessions.maxBreakMinutes", "Max. minutes of break", 1, 1440)}
        </div>
      )}
      <CheckField
        form={form}
        name="isWithdrawing"
        label="Withdraw unaccepted requests"
        hint="Many pending requests can harm your standing on the network."
      />
      {form.values.isWithdrawing && (
        <div class="fields">{number("withdrawAfterDays", "Withdraw after (days)", 7, 365)}</div>
      )}
    </>
  );
}
