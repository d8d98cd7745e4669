import type { AccountView } from "../../../../../../features/network/account-model.ts";
import type { LeadView } from "../../../../../../features/leads/model.ts";
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

/** Variables of every lead, with a fallback for those without a value. */
export const variables = [
  ["firstName", "First name", "there"],
  ["lastName", "Last name", ""],
  ["company", "Company", "your company"],
  ["title", "Job title", "your work"],
  ["industry", "Industry", "your industry"],
  ["location", "Location", "your area"],
  ["email", "Email", ""],
  ["phone", "Phone", ""],
  ["source", "Source", ""],
  ["networkUrl", "Profile URL", ""],
] as const;
export const variableNames: readonly string[] = variables.map(([name]) => name);

/** The value of a variable for a lead: "" without one, null if there is no such variable. */
export function valueOf(lead: LeadView, name: string): string | null {
  if (name.startsWith("customFields.")) {
    const value = lead.customFields[name.slice("customFields.".length)];
    return typeof value === "string" || typeof value === "number" ? String(value).trim() : "";
  }
  if (!variableNames.includes(name)) return null;
  const value = lead[name as (typeof variables)[number][0]];
  return typeof value === "string" ? value.trim() : "";
}
