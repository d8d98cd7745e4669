import type { AccountUpdate, AccountView, Caps, WeekView } from "../../../../../features/network/account-model.ts";
import { connectorLabels, meterNames, windowNames } from "../../account-labels.ts";

/** Values of the form, named by the paths that the server reports in errors. */
export type AccountValues = {
  name: string;
  connector: string;
  tier: string;
  timeZone: string;
  /** As JSON. */
  workingHours: string;
  /** As JSON. */
  holidays: string;
  requiresApproval: boolean;
  /** "" for nobody. */
  memberId: string;
  isShared: boolean;
  isWithdrawing: boolean;
  withdrawAfterDays: string;
  isWarmingUp: boolean;
  hasSessions: boolean;
} & Record<string, string | boolean>;

const settingNames = Object.values(connectorLabels).flatMap(({ setting }) => (setting ? [setting.name] : []));
const sessionFields = ["minMinutes", "maxMinutes", "minBreakMinutes", "maxBreakMinutes"] as const;
const usualSessions = { minMinutes: 45, maxMinutes: 60, minBreakMinutes: 10, maxBreakMinutes: 20 };

/** Value of a cap field that removes the cap. */
export const noCap = "none";

export function capPath(meter: string, window: string): string {
  return `caps.${meter}.${window}`;
}

export function valuesOf(account: AccountView): AccountValues {
  const { sessions, warmUp, spacing } = account;
  return {
    name: account.name,
    connector: account.connector,
    tier: account.tier,
    timeZone: account.timeZone,
    workingHours: JSON.stringify(account.workingHours),
    holidays: JSON.stringify(account.holidays),
    requiresApproval: account.requiresApproval,
    memberId: account.memberId ?? "",
    isShared: account.isShared,
    isWithdrawing: account.withdrawAfterDays !== null,
    withdrawAfterDays: String(account.withdrawAfterDays ?? 21),
    jitterPercent: String(account.jitterPercent),
    "spacing.medianSeconds": String(spacing.medianSeconds),
    "spacing.minSeconds": String(spacing.minSeconds),
    isWarmingUp: warmUp !== null,
    "warmUp.perDay": String(warmUp?.perDay ?? 5),
    "warmUp.addPerDay": String(warmUp?.addPerDay ?? 3),
    hasSessions: sessions !== null,
    ...Object.fromEntries(
      sessionFields.map((field) => [`sessions.${field}`, String((sessions ?? usualSessions)[field])]),
    ),
    ...Object.fromEntries(
      settingNames.map((name) => [`connectorSettings.${name}`, account.connectorSettings[name] ?? ""]),
    ),
    ...Object.fromEntries(
      meterNames.flatMap((meter) =>
        windowNames.map((window) => {
          const cap = account.caps[meter]?.[window];
          return [capPath(meter, window), cap === undefined ? "" : cap === null ? noCap : String(cap)];
        }),
      ),
    ),
  };
}

/** The changes to the account. Nested objects are sent as a whole. */
export function changesOf(values: AccountValues, before: AccountView): AccountUpdate {
  const was = valuesOf(before);
  const isChanged = (prefix: string) =>
    Object.keys(values).some((name) => name.startsWith(prefix) && values[name] !== was[name]);
  const number = (name: string) => Number(values[name]);
  return {
    ...(isChanged("name") && { name: values.name }),
    ...((isChanged("connector") || isChanged("connectorSettings.")) && {
      connector: values.connector as AccountView["connector"],
      connectorSettings: settingsOf(values, before),
    }),
    ...(isChanged("tier") && { tier: values.tier as AccountView["tier"] }),
    ...(isChanged("timeZone") && { timeZone: values.timeZone }),
    ...(isChanged("workingHours") && { workingHours: JSON.parse(values.workingHours) as WeekView }),
    ...(isChanged("holidays") && { holidays: JSON.parse(values.holidays) as AccountView["holidays"] }),
    ...(isChanged("memberId") && { memberId: values.memberId || null }),
    ...(isChanged("isShared") && { isShared: values.isShared }),
    ...(isChanged("requiresApproval") && { requiresApproval: values.requiresApproval }),
    ...((isChanged("isWithdrawing") || isChanged("withdrawAfterDays")) && {
      withdrawAfterDays: values.isWithdrawing ? number("withdrawAfterDays") : null,
    }),
    ...(isChanged("jitterPercent") && { jitterPercent: number("jitterPercent") }),
    ...(isChanged("spacing.") && {
      spacing: { medianSeconds: number("spacing.medianSeconds"), minSeconds: number("spacing.minSeconds") },
    }),
    ...((isChanged("isWarmingUp") || isChanged("warmUp.")) && { warmUp: warmUpOf(values, before) }),
    ...((isChanged("hasSessions") || isChanged("sessions.")) && {
      sessions: values.hasSessions
        ? (Object.fromEntries(
            sessionFields.map((field) => [field, number(`sessions.${field}`)]),
          ) as typeof usualSessions)
        : null,
    }),
    ...(isChanged("caps.") && { caps: capsOf(values) }),
  };
}

function settingsOf(values: AccountValues, before: AccountView): Record<string, string> {
  const wanted = connectorLabels[values.connector as AccountView["connector"]].setting;
  if (wanted === undefined) return {};
  return { ...before.connectorSettings, [wanted.name]: String(values[`connectorSettings.${wanted.name}`]).trim() };
}

/** Keeps the start date, so that a changed number does not restart the warm-up. */
function warmUpOf(values: AccountValues, { warmUp }: AccountView): AccountUpdate["warmUp"] {
  if (!values.isWarmingUp) return null;
  const perDay = Number(values["warmUp.perDay"]);
  const addPerDay = Number(values["warmUp.addPerDay"]);
  return { perDay, addPerDay, ...(warmUp && { startedAt: warmUp.startedAt }) };
}

function capsOf(values: AccountValues): Caps {
  const caps: Caps = {};
  for (const meter of meterNames)
    for (const window of windowNames) {
      const text = String(values[capPath(meter, window)]).trim();
      if (text !== "") caps[meter] = { ...caps[meter], [window]: text === noCap ? null : Number(text) };
    }
  return caps;
}
