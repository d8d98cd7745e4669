import { isoTime, type Clock } from "../../../platform/base/clock.ts";
import type { NetworkAccount } from "../../../features/network/account-model.ts";
import type { ActionOrder, Connector } from "../../../features/network/connector.ts";
import { signedHeaders } from "../../../features/webhooks/signature.ts";
import type { HttpClient } from "../../../lib/guarded-http/http-client.ts";
import { problemOfUrl } from "../../../lib/guarded-http/outside-url.ts";
import { outcomeOf } from "./ending.ts";
import { ask, type Vendor } from "./vendor.ts";
import { outcomeOfReceiver } from "./webhook-answer.ts";

export type WebhookConnectorSettings = {
  /** `whsec_` and base64, as defined by Standard Webhooks; null = not set. */
  secret: string | null;
  /** The operator's own hosts, which may be called without TLS. */
  privateHosts: readonly string[];
};

const names = {
  url: "connectorSettings.url",
  example: "https://worker.example.com/actions",
  privateHostsOption: "OUTREACHD_NETWORK_PRIVATE_HOSTS",
};

/**
 * Posts every order to the user's URL, signed according to Standard Webhooks (standardwebhooks.com). The message ID is
 * the ID of the action, so that a receiver can detect repeats. `outcomeOfReceiver` interprets the response.
 */
export function createWebhookConnector(settings: WebhookConnectorSettings, http: HttpClient, clock: Clock): Connector {
  const { secret, privateHosts } = settings;
  const problem = ({ connectorSettings: { url } }: Pick<NetworkAccount, "connectorSettings">): string | null => {
    if (secret === null)
      return "The operator must set OUTREACHD_NETWORK_WEBHOOK_SECRET before the webhook connector can sign.";
    if (!url) return "The webhook connector requires connectorSettings.url, the URL that actions are posted to.";
    return problemOfUrl(url, privateHosts, names);
  };
  return {
    problem,
    carryOut: (order, account, signal) =>
      outcomeOf(async () => {
        const reason = problem(account);
        const { url } = account.connectorSettings;
        if (reason !== null || secret === null || url === undefined)
          return { kind: "signedOut", reason: reason ?? "The webhook connector is not set up." };
        const vendor: Vendor = {
          name: "The receiver of the webhook",
          http,
          clock,
          secrets: [secret, url],
        };
        const sentAt = clock.now();
        const content = JSON.stringify({
          type: "action.due",
          timestamp: isoTime(sentAt),
          data: dataOf(order, account),
        });
        const answer = await ask(vendor, "acts", {
          method: "POST",
          url,
          headers: signedHeaders(order.jobId, sentAt, content, [secret]),
          body: { bytes: content, type: "application/json" },
          signal,
        });
        return outcomeOfReceiver(answer, order, vendor);
      }),
  };
}

/** The audio is in the JSON, so that the signature covers it. A minute of it takes about half a megabyte. */
function dataOf(order: ActionOrder, { id, name }: NetworkAccount) {
  const { jobId, actionType, profileUrl, profileKey, message, details, audio } = order;
  return {
    jobId,
    actionType,
    profileUrl,
    profileKey,
    message,
    details,
    account: { id, name },
    audio: audio && {
      mediaType: audio.mediaType,
      seconds: audio.seconds,
      base64: Buffer.from(audio.bytes).toString("base64"),
    },
  };
}
