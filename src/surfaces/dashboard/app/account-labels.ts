import type { AccountState, ConnectorName, Window } from "../../../features/network/account-model.ts";
import type { Meter, Tier } from "../../../features/network/meter-model.ts";
import type { Tone } from "./ui/badge.tsx";

/** Connectors, which execute the actions, and the setting that each needs for an account. */
export const connectorLabels: Record<
  ConnectorName,
  { label: string; hint: string; setting?: { name: string; label: string; hint: string } }
> = {
  manual: {
    label: "A person",
    hint: "A person works through the work list. outreachd sends nothing.",
  },
  simulated: { label: "Simulated", hint: "For testing. Nothing leaves this machine." },
  worker: { label: "Worker", hint: "Your own program claims actions over HTTP and reports the outcome." },
  webhook: {
    label: "Webhook",
    hint: "Each action is posted to your URL.",
    setting: { name: "url", label: "URL", hint: "Receives a POST request for each action." },
  },
  unipile: {
    label: "Unipile",
    hint: "A third-party service. Requires an account there.",
    setting: { name: "accountId", label: "Account ID", hint: "The ID that Unipile uses for this account." },
  },
  linkedapi: {
    label: "Linked API",
    hint: "A third-party service. Requires an account there.",
    setting: {
      name: "identification",
      label: "Identification token",
      hint: "Name of the token in the server configuration, not the token itself.",
    },
  },
};

export const tierLabels: Record<Tier, string> = {
  free: "Free",
  premium: "Premium",
  salesNavigator: "Sales Navigator",
};

export const meterLabels: Record<Meter, string> = {
  all: "All actions",
  invites: "Connection requests",
  notes: "Connection requests with a note",
  messages: "Messages",
  inMails: "InMails",
  visits: "Profile visits",
  follows: "Follows",
  likes: "Reactions",
  comments: "Comments",
  endorsements: "Endorsements",
  withdrawals: "Withdrawn requests",
};
export const meterNames = Object.keys(meterLabels) as Meter[];

export const windowLabels: Record<Window, string> = { day: "24 hours", week: "7 days", month: "30 days" };
export const windowNames = Object.keys(windowLabels) as Window[];

export const accountStateLabels: Record<AccountState, { tone: Tone; label: string }> = {
  active: { tone: "good", label: "Active" },
  paused: { tone: "neutral", label: "Paused" },
  needsReconnect: { tone: "bad", label: "Needs reconnecting" },
};
