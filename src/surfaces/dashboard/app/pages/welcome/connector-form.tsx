import type { AccountView, ConnectorName } from "../../../../../features/network/account-model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";

type Offer = {
  name: ConnectorName;
  label: string;
  text: string;
  /** Account setting that the connector needs. */
  setting?: { name: string; label: string; hint: string };
};

const offers: readonly Offer[] = [
  {
    name: "manual",
    label: "A person",
    text: "Actions that are due appear in a work list, with the text ready to copy. You send them yourself.",
  },
  {
    name: "simulated",
    label: "Simulated",
    text: "For testing. Nothing leaves this machine.",
  },
  { name: "worker", label: "Your own program", text: "Your program claims actions over HTTP and reports the outcome." },
  {
    name: "webhook",
    label: "Webhook",
    text: "Each action is posted to your URL.",
    setting: { name: "url", label: "URL", hint: "https://…" },
  },
  {
    name: "unipile",
    label: "Unipile",
    text: "A third-party service. Requires an account there. The operator of the server sets the key and accepts the risk.",
    setting: { name: "accountId", label: "Unipile account ID", hint: "Shown in the Unipile dashboard." },
  },
  {
    name: "linkedapi",
    label: "Linked API",
    text: "A third-party service. Requires an account there. The operator of the server sets the token and accepts the risk.",
    setting: { name: "identification", label: "Token name", hint: "Name of the token in the server configuration." },
  },
];

const tiers = [
  { value: "free", label: "Free" },
  { value: "premium", label: "Premium" },
  { value: "salesNavigator", label: "Sales Navigator" },
];

type ConnectorFormProps = { account: AccountView; onSaved: () => void; onSkip: () => void };

/** Selects the connector, which executes actions on the network. */
export function ConnectorForm({ account, onSaved, onSkip }: ConnectorFormProps) {
  const known = offers.find(({ name }) => name === account.connector)?.setting?.name;
  const initial = {
    connector: account.connector as string,
    setting: known === undefined ? "" : (account.connectorSettings[known] ?? ""),
    tier: account.tier as string,
  };
  const form = useForm(initial, async ({ connector, setting, tier }) => {
    const needed = offers.find(({ name }) => name === connector)?.setting;
    await api.patch(`/network/accounts/${account.id}`, {
      connector,
      tier,
      ...(needed && { connectorSettings: { [needed.name]: setting.trim() } }),
    });
    onSaved();
  });
  const chosen = offers.find(({ name }) => name === form.values.connector);
  const error = form.errors["connector"];
  return (
    <form class="welcome-step form" onSubmit={form.onSubmit}>
      <h2>Who sends it?</h2>
      <FormError form={form} />
      <fieldset class="choices" aria-describedby={error === undefined ? undefined : "connector-error"}>
        <legend class="visually-hidden">Connector</legend>
        {offers.map(({ name, label, text }) => (
          <label key={name} class="choice">
            <input
              type="radio"
              name="connector"
              data-path="connector"
              value={name}
              checked={form.values.connector === name}
              onChange={() => form.set("connector", name)}
            />
            <span>
              <strong>{label}</strong>
              <span class="faint small block">{text}</span>
            </span>
          </label>
        ))}
      </fieldset>
      {error !== undefined && (
        <p id="connector-error" class="field-error" role="alert">
          {error}
        </p>
      )}
      {chosen?.setting && (
        <TextField
          form={form}
          name="setting"
          path={`connectorSettings.${chosen.setting.name}`}
          label={chosen.setting.label}
          hint={chosen.setting.hint}
          required
        />
      )}
      <SelectField
        form={form}
        name="tier"
        label="Network plan"
        hint="Sets the default caps and the maximum length of a note."
        choices={tiers}
      />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Continue
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          Skip
        </Button>
      </div>
    </form>
  );
}
