import type { Clock } from "../../../platform/base/clock.ts";
import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { ActionOrder, Connector, ConnectorOutcome } from "../../../features/network/connector.ts";
import type { HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { newsOrNone, notSupported, outcomeOf, sent, valueOrNull } from "./ending.ts";
import { memberOf } from "./profile-address.ts";
import { UnipileApi, type UnipileAccess } from "./unipile-api.ts";
import { UnipileInbox } from "./unipile-inbox.ts";
import { sendInMail, sendMessage, voiceFile } from "./unipile-messages.ts";
import { acceptances } from "./unipile-news.ts";
import { endorse, invite, profileOf, relationOf, withdraw } from "./unipile-people.ts";
import { comment, react } from "./unipile-posts.ts";
import type { Vendor } from "./vendor.ts";

/** `url`: the URL of the subscription (its DSN) without a path; `apiKey`: null = not set. */
export type UnipileSettings = { url: string | null; apiKey: string | null };

/** Carries out orders through the Unipile API with an account that is connected there. */
export function createUnipileConnector(settings: UnipileSettings, http: HttpClient, clock: Clock): Connector {
  const vendor: Vendor = { name: "Unipile", http, clock, secrets: settings.apiKey === null ? [] : [settings.apiKey] };
  const inbox = new UnipileInbox(clock);
  const apiFor = (account: Pick<NetworkAccount, "connectorSettings">, signal: AbortSignal): UnipileApi | string => {
    const access = accessOf(settings);
    if (access === null)
      return "The operator must set OUTREACHD_UNIPILE_URL and OUTREACHD_UNIPILE_API_KEY before Unipile can be used.";
    const { accountId } = account.connectorSettings;
    if (!accountId)
      return "The unipile connector requires connectorSettings.accountId, the ID of the account at Unipile.";
    return new UnipileApi(vendor, access, accountId, signal);
  };
  return {
    problem(account) {
      const api = apiFor(account, new AbortController().signal);
      return typeof api === "string" ? api : null;
    },
    async carryOut(order, account, signal) {
      const api = apiFor(account, signal);
      if (typeof api === "string") return { kind: "signedOut", reason: api };
      return await outcomeOf(() => carryOut(api, order, account));
    },
    async watch(watched, account, signal) {
      const api = apiFor(account, signal);
      return typeof api === "string" ? [] : await newsOrNone(() => acceptances(api, watched));
    },
    async readMessages(check, account, signal) {
      const api = apiFor(account, signal);
      return typeof api === "string" ? null : await valueOrNull(() => inbox.read(api, check));
    },
  };
}

function accessOf({ url, apiKey }: UnipileSettings): UnipileAccess | null {
  // The vendor's pages show the URL with and without the version path.
  return url === null || apiKey === null ? null : { url: url.replace(/\/api\/v1$/, ""), apiKey };
}

async function carryOut(api: UnipileApi, order: ActionOrder, account: NetworkAccount): Promise<ConnectorOutcome> {
  switch (order.actionType) {
    case "sendConnectionRequest":
      return await invite(api, order);
    case "withdrawConnectionRequest":
      return await withdraw(api, order);
    case "sendMessage":
      return await sendMessage(api, order, { text: order.message ?? "" });
    case "sendVoiceMessage":
      return await sendMessage(api, order, { voice_message: voiceFile(order) });
    case "sendInMail":
      return await sendInMail(api, order, account);
    case "visitProfile":
      await api.act({ method: "GET", path: `users/${memberOf(order)}`, query: { notify: "true" } });
      return sent(null);
    case "checkConnectionStatus":
      return sent(null, relationOf(await profileOf(api, order)));
    case "likePost":
      return await react(api, order);
    case "commentPost":
      return await comment(api, order);
    case "endorseSkill":
      return await endorse(api, order);
    case "followProfile":
      return notSupported("Unipile", "follow a profile");
  }
}
