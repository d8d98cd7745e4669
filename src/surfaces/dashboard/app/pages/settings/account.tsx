import { useState } from "preact/hooks";
import type { AccountView } from "../../../../../features/network/account-model.ts";
import type { UsageView } from "../../../../../features/network/forecast-model.ts";
import type { PageProps } from "../../page-props.ts";
import { api } from "../../api.ts";
import { useResource } from "../../resource.ts";
import { navigate } from "../../router.tsx";
import { can } from "../../session.ts";
import { StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Meter } from "../../ui/meter.tsx";
import { PageFrame, Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { AccountForm } from "./account-form.tsx";
import { accountStateLabels, meterLabels, windowLabels } from "../../account-labels.ts";

/** An account: its state, its settings, and its usage. */
export function AccountPage({ params }: PageProps) {
  const path = `/network/accounts/${encodeURIComponent(params["id"] ?? "")}`;
  const account = useResource((signal) => api.get<AccountView>(path, { signal }), [path], { events: ["account."] });
  const usage = useResource((signal) => api.get<UsageView>(`${path}/usage`, { signal }), [path], {
    pollMs: 20_000,
    events: ["account.", "action."],
  });
  const { data } = account;
  return (
    <PageFrame
      title={data?.name ?? "Account"}
      back={{ to: "/settings?part=accounts", label: "Accounts" }}
      lead={data && <StateLine account={data} />}
      actions={
        data && can("network:schedule") && <AccountActions account={data} path={path} onChanged={account.replace} />
      }
    >
      <Loaded resource={account} lines={8}>
        {(loaded) => (
          <AccountForm
            key={loaded.id}
            account={loaded}
            path={path}
            usage={usage.data}
            onSaved={(saved) => {
              account.replace(saved);
              usage.reload();
            }}
          />
        )}
      </Loaded>
      <Section title="Usage">
        <Loaded resource={usage}>{(loaded) => <Usage usage={loaded} />}</Loaded>
      </Section>
    </PageFrame>
  );
}

function StateLine({ account: { state, stateReason } }: { account: AccountView }) {
  return (
    <>
      <StateBadge words={accountStateLabels} state={state} /> {stateReason}
    </>
  );
}

function AccountActions({
  account,
  path,
  onChanged,
}: {
  account: AccountView;
  path: string;
  onChanged: (account: AccountView) => void;
}) {
  const [isBusy, setIsBusy] = useState(false);
  const [isRemoving, setIsRemoving] = useState(false);
  const isActive = account.state === "active";
  async function turn() {
    setIsBusy(true);
    try {
      const state = isActive ? "paused" : "active";
      onChanged(await api.patch<AccountView>(path, { state }));
      showSuccess(isActive ? "Paused. Nothing is sent from this account." : "Resumed. Its queue was rescheduled.");
    } catch (error) {
      showError(error);
    } finally {
      setIsBusy(false);
    }
  }
  return (
    <>
      <Button kind={isActive ? "plain" : "primary"} isBusy={isBusy} onClick={() => void turn()}>
        {isActive ? "Pause" : account.state === "paused" ? "Resume" : "Mark as reconnected"}
      </Button>
      <Button onClick={() => setIsRemoving(true)}>Remove…</Button>
      {isRemoving && (
        <ConfirmDialog
          title={`Remove ${account.name}?`}
          confirm="Remove account"
          onClose={() => setIsRemoving(false)}
          onConfirm={async () => {
            await api.delete(path);
            showSuccess(`${account.name} was removed.`);
            navigate("/settings?part=accounts");
          }}
        >
          <p>
            You can remove an account only if it has never executed an action. Pause it instead to keep its history.
          </p>
        </ConfirmDialog>
      )}
    </>
  );
}

/** Usage of each action type, in each time window. */
function Usage({ usage }: { usage: UsageView }) {
  return (
    <ul class="cards">
      {usage.meters.map(({ meter, windows, coolDown }) => (
        <li key={meter} class="card usage-card">
          <h3>{meterLabels[meter]}</h3>
          {coolDown && (
            <p class="small notice warn">
              Paused until <RelativeTime at={coolDown.until} />: {coolDown.reason}
            </p>
          )}
          {windows.map(({ window, used, planned, limit, isWarmUp }) => (
            <Meter
              key={window}
              label={`${windowLabels[window]}${isWarmUp ? " (warm-up)" : ""}`}
              used={used}
              planned={planned}
              limit={limit}
            />
          ))}
        </li>
      ))}
    </ul>
  );
}
