import type { FunnelView } from "../../../../../../features/campaigns/funnel-model.ts";
import { count } from "../../../format.ts";
import { Section } from "../../../ui/page.tsx";
import { shareText, stageLabels, stageNames } from "./stages.ts";

/** The funnel of each account that sends. */
export function AccountTable({ accounts }: { accounts: FunnelView["accounts"] }) {
  return (
    <Section title="Accounts">
      <div class="table-frame" tabIndex={0} role="region" aria-label="Accounts">
        <table class="table">
          <thead>
            <tr>
              <th scope="col">Account</th>
              {stageNames.map((stage) => (
                <th key={stage} scope="col" class="right">
                  {stageLabels[stage]}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {accounts.map((account) => (
              <tr key={account.accountId}>
                <th scope="row">{account.name ?? "Removed account"}</th>
                {stageNames.map((stage) => (
                  <td key={stage} class="right number">
                    {count(account[stage])}
                    {stage !== "enrolled" && stage !== "contacted" && (
                      <span class="share faint"> {shareText(account[stage], account.contacted)}</span>
                    )}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </Section>
  );
}
