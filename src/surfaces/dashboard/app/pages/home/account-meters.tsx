import type { AccountView } from "../../../../../features/network/account-model.ts";
import type { UsageView } from "../../../../../features/network/forecast-model.ts";
import { meterLabels, windowLabels } from "../../account-labels.ts";
import { api } from "../../api.ts";
import { useAccounts } from "../../network.ts";
import { useResource } from "../../resource.ts";
import { Badge } from "../../ui/badge.tsx";
import { Meter } from "../../ui/meter.tsx";
import { Section } from "../../ui/page.tsx";
import { Loaded } from "../../ui/states.tsx";
import { RelativeTime } from "../../ui/time.tsx";

/** Cap usage of every network account, for each time window. */
export function AccountMeters() {
  const accounts = useAccounts();
  return (
    <Loaded resource={accounts} lines={6}>
      {({ accounts }) => (
        <>
          {accounts.map((account) => (
            <Account key={account.id} account={account} />
          ))}
        </>
      )}
    </Loaded>
  );
}

/** Shorter labels than in the settings. */
const rowLabels: Record<string, string> = { ...meterLabels, withdrawals: "Withdrawals", all: "All actions" };
/** Always shown. The others are shown only if they are in use, or on demand. */
const alwaysShown: readonly string[] = ["invites", "messages", "visits", "all"];

type MeterUsage = UsageView["meters"][number];

function Account({ account }: { account: AccountView }) {
  const usage = useResource(
    (signal) => api.get<UsageView>(`/network/accounts/${account.id}/usage`, { signal }),
    [account.id],
    { pollMs: 15_000, events: ["action.", "account."] },
  );
  return (
    <Section
      title={account.name}
      actions={
        <span class="badges">
          {account.state === "paused" && <Badge tone="warn">Paused</Badge>}
          {account.state === "needsReconnect" && <Badge tone="bad">Needs reconnecting</Badge>}
          <Badge>{connectorLabels[account.connector]}</Badge>
        </span>
      }
    >
      <div class="card">
        <Loaded resource={usage} lines={4}>
          {({ meters }) => {
            const isShown = (meter: MeterUsage) =>
              alwaysShown.includes(meter.meter) ||
              meter.coolDown !== null ||
              meter.windows.some(({ used, planned }) => used + planned > 0);
            const hidden = meters.filter((meter) => !isShown(meter));
            return (
              <>
                <MeterRows meters={meters.filter(isShown)} />
                {hidden.length > 0 && (
                  <details class="more-meters">
                    <summary>{hidden.length} more without activity</summary>
                    <MeterRows meters={hidden} />
                  </details>
                )}
              </>
            );
          }}
        </Loaded>
      </div>
    </Section>
  );
}

const connectorLabels: Record<AccountView["connector"], string> = {
  manual: "A person",
  worker: "Your worker",
  webhook: "Webhook",
  unipile: "Unipile",
  linkedapi: "Linked API",
  simulated: "Simulated",
};

function MeterRows({ meters }: { meters: readonly MeterUsage[] }) {
  return (
    <div class="meter-rows">
      {meters.map(({ meter, windows, coolDown }) => (
        <div key={meter} class="meter-row">
          <p>
            {rowLabels[meter] ?? meter}
            {windows.some(({ isWarmUp }) => isWarmUp) && <Badge tone="info">Warming up</Badge>}
            {coolDown && (
              <span class="small bad-text block">
                Paused until <RelativeTime at={coolDown.until} />: {coolDown.reason}
              </span>
            )}
          </p>
          {windows.map(({ window, used, planned, limit }) => (
            <Meter
              key={window}
              label={windowLabels[window]}
              name={`${rowLabels[meter] ?? meter} in ${windowLabels[window]}`}
              used={used}
              planned={planned}
              limit={limit}
            />
          ))}
        </div>
      ))}
    </div>
  );
}
