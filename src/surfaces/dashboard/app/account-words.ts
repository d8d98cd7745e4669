import type { AccountState, ConnectorName, Window } from "../../../features/network/account-model.ts";
import type { Meter, Tier } from "../../../features/network/meter-model.ts";
import type { Tone } from "./ui/badge.tsx";

/** What carries actions out, and what it must know of the account beside a name. */
export const connectorWords: Record<
  ConnectorName,
  { label: string; hint: string; setting?: { name: string; label: string; hint: string } }
> = {
  manual: {
    label: "By hand",
    hint: "A person goes through the work list. Nothing is sent by this program.",
  },
  simulated: { label: "Simulated", hint: "To try things out: nothing leaves this machine." },
  worker: { label: "Worker", hint: "Your own program claims actions over HTTP." },
  webhook: {
    label: "Webhook",
    hint: "Each action is posted to an address of yours.",
    setting: { name: "url", label: "Address", hint: "Where actions are posted to." },
  },
  unipile: {
    label: "Unipile",
    hint: "A vendor, with your account there.",
    setting: { name: "accountId", label: "Account ID", hint: "The vendor's id of this account." },
  },
  linkedapi: {
    label: "Linked API",
    hint: "A vendor, with your account there.",
    setting: {
      name: "identification",
      label: "Identification token",
      hint: "The name of a token in the configuration of the server, not the token itself.",
    },
  },
};

export const tierWords: Record<Tier, string> = {
  free: "Free",
  premium: "Premium",
  salesNavigator: "Sales Navigator",
};

export const meterWords: Record<Meter, string> = {
  all: "Everything together",
  invites: "Connection requests",
  notes: "Requests with a note",
  messages: "Messages",
  inMails: "InMails",
  visits: "Profile visits",
  follows: "Follows",
  likes: "Reactions",
  comments: "Comments",
  endorsements: "Endorsements",
  withdrawals: "Withdrawn requests",
};
export const meterNames = Object.keys(meterWords) as Meter[];

export const windowWords: Record<Window, string> = { day: "24 hours", week: "7 days", month: "30 days" };
export const windowNames = Object.keys(windowWords) as Window[];

export const accountStateWords: Record<AccountState, { tone: Tone; label: string }> = {
  active: { tone: "good", label: "Active" },
  paused: { tone: "neutral", label: "Paused" },
  needsReconnect: { tone: "bad", label: "Must be reconnected" },
};
