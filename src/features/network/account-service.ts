import { singleLine } from "../../platform/base/text.ts";
import { type Clock, type Ids, isoTime, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import {
  liveConnectors,
  windows,
  type AccountInput,
  type AccountUpdate,
  type AccountView,
  type Caps,
  type ConnectorName,
  type NetworkAccount,
  type WarmUp,
} from "./account-model.ts";
import { meters } from "./meter-model.ts";
import type { Connectors } from "./action-job.ts";
import { changedWeek } from "./governor/calendar.ts";
import { ceilingOf } from "./governor/limits.ts";
import { isTimeZone } from "./governor/zone.ts";
import { newAccount } from "./new-account.ts";
import type { NetworkStore } from "./store.ts";
import type { AccountChange } from "./queue-model.ts";
import { readWeek, weekView } from "./week.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

export type AccountParts = {
  store: NetworkStore;
  connectors: Connectors;
  /** Defaults for a user's first account. */
  defaults: { timeZone: string | null; connector: ConnectorName };
  /** Whether the operator has accepted the risk that the network forbids automation. */
  isRiskAccepted: boolean;
  clock: Clock;
  ids: Ids;
  /** Requests that queues be rescheduled. */
  replan: () => void;
};

/** Accounts on the professional network. */
export class AccountService {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  /** Oldest first. */
  async list(workspaceId: WorkspaceId): Promise<AccountView[]> {
    return (await this.#parts.store.accounts(workspaceId)).map(accountView);
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<AccountView> {
    return accountView(await this.choose(workspaceId, id));
  }

  /** The account with this ID, or the user's first. Throws NOT_FOUND, or CONFLICT if the user has no account. */
  async choose(workspaceId: WorkspaceId, id: string | undefined): Promise<NetworkAccount> {
    const { store } = this.#parts;
    if (id !== undefined) {
      const account = await store.account(workspaceId, id);
      if (account === null) throw notFound("network account", id);
      return account;
    }
    const [first] = await store.accounts(workspaceId);
    if (first !== undefined) return first;
    throw new ApiError("CONFLICT", {
      message: "This user has no network account. Create one with POST /api/v2/network/accounts.",
    });
  }

  /** Throws CONFLICT if the account's connector is not allowed or not configured on this server. */
  requireRunnable(account: Pick<NetworkAccount, "connector" | "connectorSettings">): void {
    const problem = this.#connectorProblem(account);
    if (problem !== null) throw new ApiError("CONFLICT", { message: problem });
  }

  /** Fills in conservative defaults. The time zone defaults to that of the user's first account. */
  async create(workspaceId: WorkspaceId, input: AccountInput): Promise<AccountView> {
    const { store, clock, ids, defaults } = this.#parts;
    const now = clock.now();
    const [first] = await store.accounts(workspaceId);
    const timeZone = first?.timeZone ?? defaults.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const defaultAccount = newAccount(ids.next(now), workspaceId, timeZone, defaults.connector, now);
    const errors: FieldError[] = [];
    const { workingHours = [], ...settings } = this.#changeOf(input, defaultAccount, now, errors);
    const account = {
      ...defaultAccount,
      ...settings,
      workingHours: changedWeek(defaultAccount.workingHours, workingHours),
    };
    if (errors.length > 0) throw invalid(errors);
    await store.insertAccount(account);
    return accountView(account);
  }

  async update(workspaceId: WorkspaceId, id: string, input: AccountUpdate): Promise<AccountView> {
    const { store, clock, replan } = this.#parts;
    const account = await this.choose(workspaceId, id);
    const now = clock.now();
    const errors: FieldError[] = [];
    const change = this.#changeOf(input, account, now, errors);
    if (input.state !== undefined)
      Object.assign(change, {
        state: input.state,
        stateReason: input.state === "paused" ? "Paused by the user" : null,
      });
    if (errors.length > 0) throw invalid(errors);
    const changed = await store.updateAccount(workspaceId, id, { ...change, updatedAt: now });
    if (changed === null) throw notFound("network account", id);
    replan();
    return accountView(changed);
  }

  /** Throws CONFLICT if the account has performed or scheduled actions. It can be paused instead to keep its history. */
  async remove(workspaceId: WorkspaceId, id: string): Promise<void> {
    const outcome = await this.#parts.store.removeAccount(workspaceId, id);
    if (outcome === "absent") throw notFound("network account", id);
    if (outcome === "inUse")
      throw new ApiError("CONFLICT", {
        message:
          "This account has actions that would be deleted with it. Pause it instead with PATCH and `state`: `paused`.",
      });
  }

  #changeOf(
    input: AccountInput | AccountUpdate,
    account: NetworkAccount,
    now: number,
    errors: FieldError[],
  ): Partial<Omit<AccountChange, "updatedAt">> {
    const { name, timeZone, workingHours, warmUp, connector, connectorSettings, caps } = input;
    const { tier, spacing, sessions, jitterPercent, requiresApproval, withdrawAfterDays } = input;
    const clean = name === undefined ? undefined : singleLine(name);
    if (clean === "") errors.push({ path: "name", message: "Must not be empty." });
    if (timeZone !== undefined && !isTimeZone(timeZone))
      errors.push({
        path: "timeZone",
        message: `"${singleLine(timeZone).slice(0, 60)}" is not an IANA time zone. Expected a name such as Europe/Berlin.`,
      });
    const week = readWeek(workingHours ?? {});
    errors.push(...week.errors, ...spacingErrors(input), ...sessionErrors(input));
    const merged = {
      tier: tier ?? account.tier,
      connector: connector ?? account.connector,
      connectorSettings: connectorSettings ?? account.connectorSettings,
    };
    if (caps !== undefined) errors.push(...capErrors(caps, merged));
    if (connector !== undefined || connectorSettings !== undefined) {
      const problem = this.#connectorProblem(merged);
      if (problem !== null) errors.push({ path: "connector", message: problem });
    }
    const newWarmUp = warmUp === undefined ? undefined : readWarmUp(warmUp, now, errors);
    const change = {
      name: clean,
      connector,
      connectorSettings,
      tier,
      timeZone,
      workingHours: workingHours && week.days,
      caps,
      warmUp: newWarmUp,
      spacing,
      sessions,
      jitterPercent,
      requiresApproval,
      withdrawAfterDays,
    };
    return Object.fromEntries(Object.entries(change).filter(([, value]) => value !== undefined));
  }

  #connectorProblem({
    connector,
    connectorSettings,
  }: Pick<NetworkAccount, "connector" | "connectorSettings">): string | null {
    if (liveConnectors.includes(connector) && !this.#parts.isRiskAccepted)
      return `The connector ${connector} automates the real network, whose terms may forbid automation. The operator of this server must first accept this risk with OUTREACHD_ACKNOWLEDGE_NETWORK_RISK=true.`;
    return this.#parts.connectors[connector].problem?.({ connectorSettings }) ?? null;
  }
}

function readWarmUp(
  input: NonNullable<AccountInput["warmUp"]> | null,
  now: number,
  errors: FieldError[],
): WarmUp | null {
  if (input === null) return null;
  const startedAt = input.startedAt === undefined ? now : parseInstant(input.startedAt);
  if (startedAt === null)
    errors.push({ path: "warmUp.startedAt", message: "Expected a date or time, such as 2030-01-31." });
  return { perDay: input.perDay, addPerDay: input.addPerDay, startedAt: startedAt ?? now };
}

function spacingErrors({ spacing }: Pick<AccountInput, "spacing">): FieldError[] {
  if (spacing === undefined || spacing.minSeconds <= spacing.medianSeconds) return [];
  const message = `Expected at least minSeconds (${spacing.minSeconds}), got ${spacing.medianSeconds}.`;
  return [{ path: "spacing.medianSeconds", message }];
}

function sessionErrors({ sessions }: Pick<AccountInput, "sessions">): FieldError[] {
  if (!sessions) return [];
  const { minMinutes, maxMinutes, minBreakMinutes, maxBreakMinutes } = sessions;
  const errors: FieldError[] = [];
  if (minMinutes > maxMinutes)
    errors.push({ path: "sessions.maxMinutes", message: `Expected at least minMinutes (${minMinutes}).` });
  if (minBreakMinutes > maxBreakMinutes)
    errors.push({
      path: "sessions.maxBreakMinutes",
      message: `Expected at least minBreakMinutes (${minBreakMinutes}).`,
    });
  return errors;
}

/** Rejects caps above the known safe maximum of the network, except for simulated accounts. */
function capErrors(caps: Caps, { tier, connector }: Pick<NetworkAccount, "tier" | "connector">): FieldError[] {
  if (connector === "simulated") return [];
  return meters.flatMap((meter) =>
    windows.flatMap((window) => {
      const cap = caps[meter]?.[window];
      const ceiling = ceilingOf(tier, meter, window);
      if (typeof cap !== "number" || ceiling === null || cap <= ceiling) return [];
      const message = `Expected at most ${ceiling}, the highest known safe value for a ${tier} account, got ${cap}.`;
      return [{ path: `caps.${meter}.${window}`, message }];
    }),
  );
}

export function accountView({
  workspaceId: _workspace,
  workingHours,
  warmUp,
  ...account
}: NetworkAccount): AccountView {
  return {
    ...account,
    workingHours: weekView(workingHours),
    warmUp: warmUp && { ...warmUp, startedAt: isoTime(warmUp.startedAt) },
    createdAt: isoTime(account.createdAt),
    updatedAt: isoTime(account.updatedAt),
  };
}
