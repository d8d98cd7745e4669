import type { AccountView, ConnectorName } from "../../../../../features/network/account-model.ts";
import { api } from "../../api.ts";
import { Button } from "../../ui/button.tsx";
import { FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";

type Offer = {
  name: ConnectorName;
  label: string;
  text: string;
  /** What the connector must know of the account. */
  setting?: { name: string; label: string; hint: string };
};

const offers: readonly Offer[] = [
  {
    name: "manual",
    label: "A person",
    text: "What is due comes into a work list, with the text ready to copy. The network sees a person, because it is one.",
  },
  {
    name: "simulated",
    label: "Simulated",
    text: "To look around: everything happens, and nothing leaves this machine.",
  },
  { name: "worker", label: "Your own program", text: "It claims what is due over HTTP and reports what came of it." },
  {
    name: "webhook",
    label: "Webhook",
    text: "What is due is posted to an address of yours.",
    setting: { name: "url", label: "Address", hint: "https://…" },
  },
  {
    name: "unipile",
    label: "Unipile",
    text: "A vendor, with your account there. The operator sets its key and accepts the risk.",
    setting: { name: "accountId", label: "Account id at Unipile", hint: "As its dashboard shows it." },
  },
  {
    name: "linkedapi",
    label: "Linked API",
    text: "A vendor, with your account there. The operator sets its token and accepts the risk.",
    setting: { name: "identification", label: "Name of the token", hint: "As it is called in the configuration." },
  },
];

const tiers = [
  { value: "free", label: "Free" },
  { value: "premium", label: "Premium" },
  { value: "salesNavigator", label: "Sales Navigator" },
];

type ConnectorFormProps = { account: AccountView; onSaved: () => void; onSkip: () => void };

/** Who carries actions out on the network. */
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
        label="What your account on the network pays for"
        hint="Decides the caps to begin with, and how long a note may be."
        choices={tiers}
      />
      <div class="buttons">
        <Button kind="primary" type="submit" isBusy={form.isBusy}>
          Go on
        </Button>
        <Button kind="quiet" onClick={onSkip}>
          Later
        </Button>
      </div>
    </form>
  );
}
