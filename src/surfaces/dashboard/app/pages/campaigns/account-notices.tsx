import type { CampaignView } from "../../../../../features/campaigns/model.ts";
import { useAccounts } from "../../network.ts";
import { Link } from "../../router.tsx";

/** The accounts of the campaign that send nothing until a person acts. */
export function AccountNotices({ campaign: { accountIds } }: { campaign: CampaignView }) {
  const accounts = useAccounts().data?.accounts ?? [];
  return accounts
    .filter(({ id, state }) => accountIds.includes(id) && state !== "active")
    .map(({ id, name, state }) => (
      <p key={id} class={state === "paused" ? "notice warn" : "notice danger"}>
        <Link to={`/settings/accounts/${encodeURIComponent(id)}`}>{name}</Link>{" "}
        {state === "paused"
          ? "is paused. Its leads wait until the account is resumed."
          : "is signed out of the network. Its leads wait until the account is reconnected."}
      </p>
    ));
}
