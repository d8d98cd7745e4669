import { useState } from "preact/hooks";
import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import { api, getAll } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { Link, navigate } from "../../router.tsx";
import { can, timeZone } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { Initials } from "../../ui/initials.tsx";
import { Badge, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { FormError, SelectField, TextField, useForm } from "../../ui/form.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { TimeZoneField } from "../../ui/time-zone-field.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { formatWeek } from "../../ui/week-editor.tsx";
import { accountStateLabels, connectorLabels, tierLabels } from "../../account-labels.ts";

/** The network accounts, each with its connector and working hours. */
export function AccountList() {
  const [isNew, setIsNew] = useState(false);
  const accounts = useResource(
    async (signal) => ({ accounts: await getAll<AccountView>("/network/accounts", "accounts", { signal }) }),
    [],
    {
      pollMs: 30_000,
      events: ["account."],
    },
  );
  const members = useMembers();
  return (
    <>
      <div class="part-head">
        <p class="faint">Each account sends at its own pace, within its caps and working hours.</p>
        {can("network:schedule") && (
          <Button kind="primary" icon="plus" onClick={() => setIsNew(true)}>
            Add account
          </Button>
        )}
      </div>
      <Loaded resource={accounts}>
        {({ accounts: list }) =>
          list.length === 0 ? (
            <EmptyState icon="leads" title="No accounts yet">
              <p>Add the account that you use on the network. Without one, nothing can be sent.</p>
            </EmptyState>
          ) : (
            <ul class="cards">
              {list.map((account) => (
                <AccountCard key={account.id} account={account} members={members} />
              ))}
            </ul>
          )
        }
      </Loaded>
      {isNew && <NewAccountDialog onClose={() => setIsNew(false)} />}
    </>
  );
}

function AccountCard({ account, members }: { account: AccountView; members: readonly MemberView[] }) {
  const { id, name, state, stateReason, connector, tier, timeZone: zone, workingHours } = account;
  const { memberId, isShared } = account;
  return (
    <li class="card account-card">
      <h2>
        <Link to={`/settings/accounts/${id}`}>{name}</Link>
      </h2>
      <p>
        <span class="badges">
          {members.length > 1 && memberId !== null && <Initials name={nameOfMember(members, memberId)} />}
          <StateBadge words={accountStateLabels} state={state} />
          {!isShared && <Badge>Not shared</Badge>}
        </span>
      </p>
      {stateReason !== null && <p class="small">{stateReason}</p>}
      <p class="faint small">
        {connectorLabels[connector].label} · {tierLabels[tier]}
        <br />
        {formatWeek(workingHours)}
        <br />
        {zone}
      </p>
    </li>
  );
}

function NewAccountDialog({ onClose }: { onClose: () => void }) {
  const form = useForm(
    { name: "", connector: "manual", setting: "", tier: "free", timeZone: timeZone() },
    async ({ setting, ...values }) => {
      const wanted = wordsOf(values.connector)?.setting;
      const account = await api.post<AccountView>("/network/accounts", {
        ...values,
        ...(wanted && { connectorSettings: { [wanted.name]: setting.trim() } }),
      });
      showSuccess(`${account.name} was added.`);
      navigate(`/settings/accounts/${account.id}`);
    },
  );
  const words = wordsOf(form.values.connector);
  return (
    <Dialog title="Add account" onClose={onClose}>
      <form onSubmit={form.onSubmit}>
        <FormError form={form} />
        <TextField
          form={form}
          name="name"
          label="Name"
          hint="Owner of the account."
          maxLength={200}
          autofocus
          required
        />
        <SelectField
          form={form}
          name="connector"
          label="Connector"
          hint={words?.hint}
          choices={Object.entries(connectorLabels).map(([value, { label }]) => ({ value, label }))}
        />
        {words?.setting && (
          <TextField
            form={form}
            name="setting"
            path={`connectorSettings.${words.setting.name}`}
            label={words.setting.label}
            hint={words.setting.hint}
            required
          />
        )}
        <SelectField
          form={form}
          name="tier"
          label="Network plan"
          hint="Sets the default caps and the maximum length of a note."
          choices={Object.entries(tierLabels).map(([value, label]) => ({ value, label }))}
        />
        <TimeZoneField form={form} />
        <footer class="buttons">
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="primary" type="submit" isBusy={form.isBusy}>
            Add account
          </Button>
        </footer>
      </form>
    </Dialog>
  );
}

function wordsOf(connector: string) {
  return Object.entries(connectorLabels).find(([name]) => name === connector)?.[1];
}
