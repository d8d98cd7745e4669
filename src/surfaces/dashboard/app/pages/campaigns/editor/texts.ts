import type { AccountView } from "../../../../../../features/network/account-model.ts";
import type { ActionType } from "../../../network.ts";

export type Tier = AccountView["tier"];

/** As on the server (a test compares them): the longest text of each action, by tier of the account. */
export const textLimits: Partial<Record<ActionType, Record<Tier, number>>> = {
  sendConnectionRequest: { free: 200, premium: 300, salesNavigator: 300 },
  sendMessage: { free: 8000, premium: 8000, salesNavigator: 8000 },
  sendInMail: { free: 1900, premium: 1900, salesNavigator: 1900 },
  sendVoiceMessage: { free: 1000, premium: 1000, salesNavigator: 1000 },
  commentPost: { free: 1250, premium: 1250, salesNavigator: 1250 },
};

export function textLimit(type: ActionType, tier: Tier): number {
  return textLimits[type]?.[tier] ?? 0;
}
