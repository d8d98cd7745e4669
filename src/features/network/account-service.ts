import { singleLine } from "../../platform/base/text.ts";
import { type Clock, type Ids, isoTime, parseInstant } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import { denied } from "../../platform/auth/caller.ts";
import type { HolderLookup } from "../../platform/auth/workspace-model.ts";
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
import type { Job } from "../../platform/jobs/model.ts";
import type { NetworkAction } from "./action-model.ts";
import { defaultAccount, mayAdminister, mayUse, requireUsable, type AccountUser } from "./may-use.ts";
import type { NetworkStore } from "./store.ts";
import type { AccountChange } from "./queue-model.ts";
import { readHolidays } from "./holidays.ts";
import { readWeek, weekView } from "./week.ts";
import type { UserId, WorkspaceId } from "../../platform/base/ids.ts";

export type AccountParts = {
  store: NetworkStore;
  holders: HolderLookup;
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
    return accountView(await this.find(workspaceId, id));
  }

  /** An account to look at, whosever it is. Throws NOT_FOUND. */
  async find(workspaceId: WorkspaceId, id: string): Promise<NetworkAccount> {
    const account = await this.#parts.store.account(workspaceId, id);
    if (account === null) throw notFound("network account", id);
    return account;
  }

  /**
   * An account to act with: the one with this ID, or the user's own or else first. Throws NOT_FOUND, PERMISSION_DENIED for
   * an account that is not shared with the user, or CONFLICT if there is none.
   */
  async choose(user: AccountUser, id: string | undefined): Promise<NetworkAccount> {
    if (id !== undefined) {
      const account = await this.find(user.workspaceId, id);
      requireUsable(user, account);
      return account;
    }
    const chosen = defaultAccount(user, await this.#parts.store.accounts(user.workspaceId));
    if (chosen !== null) return chosen;
    throw new ApiError("CONFLICT", {
      message: "This user has no network account. Create one with POST /api/v2/network/accounts.",
    });
  }

  /** Throws PERMISSION_DENIED for an action whose account is not shared with the user, and NOT_FOUND. */
  async requireActionOf(user: AccountUser, jobId: string): Promise<{ action: NetworkAction; job: Job }> {
    const found = await this.#parts.store.action(user.workspaceId, jobId);
    if (found === null) throw notFound("network action", jobId);
    await this.choose(user, found.action.accountId);
    return found;
  }

  /** Throws PERMISSION_DENIED for the job of an action whose account is not shared with the user. */
  async requireJobOf(user: AccountUser, jobId: string): Promise<void> {
    const found = await this.#parts.store.action(user.workspaceId, jobId);
    if (found !== null) await this.choose(user, found.action.accountId);
  }

  /**
   * Where a worker of the user looks for actions: in one account, in all accounts (null) or, if some are not shared with
   * the user, in the others. Throws PERMISSION_DENIED for an account that is not shared.
   */
  async claimable(user: AccountUser, id: string | null): Promise<(string | null)[]> {
    const all = await this.#parts.store.accounts(user.workspaceId);
    for (const account of all) if (account.id === id) requireUsable(user, account);
    const usable = all.filter((account) => mayUse(user, account));
    return id !== null || usable.length === all.length ? [id] : usable.map((account) => account.id);
  }

  /** Throws CONFLICT if the account's connector is not allowed or not configured on this server. */
  requireRunnable(account: Pick<NetworkAccount, "connector" | "connectorSettings">): void {
    const problem = this.#connectorProblem(account);
    if (problem !== null) throw new ApiError("CONFLICT", { message: problem });
  }

  /** Fills in conservative defaults. The time zone defaults to that of the user's first account. */
  async create(user: AccountUser, input: AccountInput): Promise<AccountView> {
    const { store, clock, ids, defaults } = this.#parts;
    const { workspaceId } = user;
    const now = clock.now();
    const [first] = await store.accounts(workspaceId);
    const timeZone = first?.timeZone ?? defaults.timeZone ?? Intl.DateTimeFormat().resolvedOptions().timeZone;
    const standard = newAccount(ids.next(now), workspaceId, timeZone, defaults.connector, now, user.userId);
    const errors: FieldError[] = await this.#memberErrors(user, input, standard);
    const { workingHours = [], ...settings } = this.#changeOf(input, standard, now, errors);
    const account = {
      ...standard,
      ...settings,
      workingHours: changedWeek(standard.workingHours, workingHours),
    };
    if (errors.length > 0) throw invalid(errors);
    await store.insertAccount(account);
    return accountView(account);
  }

  /** Throws PERMISSION_DENIED for an account that is not shared with the user. */
  async update(user: AccountUser, id: string, input: AccountUpdate): Promise<AccountView> {
    const { store, clock, replan } = this.#parts;
    const { workspaceId } = user;
    const account = await this.choose(user, id);
    const now = clock.now();
    const errors = await this.#memberErrors(user, input, account);
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
  async remove(user: AccountUser, id: string): Promise<void> {
    const { workspaceId } = user;
    await this.choose(user, id);
    const outcome = await this.#parts.store.removeAccount(workspaceId, id);
    if (outcome === "absent") throw notFound("network account", id);
    if (outcome === "inUse")
      throw new ApiError("CONFLICT", {
        message:
          "This account has actions that would be deleted with it. Pause it instead with PATCH and `state`: `paused`.",
      });
  }

  /** Passes the accounts of a member on to another; null: to nobody. */
  async handOver(workspaceId: WorkspaceId, from: UserId, to: UserId | null): Promise<void> {
    const { store, clock } = this.#parts;
    for (const { id, memberId } of await store.accounts(workspaceId))
      if (memberId === from) await store.updateAccount(workspaceId, id, { memberId: to, updatedAt: clock.now() });
  }

  /** Throws PERMISSION_DENIED if the user may not decide whose account it is, and whether it is shared. */
  async #memberErrors(
    user: AccountUser,
    { memberId, isShared }: Pick<AccountInput, "memberId" | "isShared">,
    account: NetworkAccount,
  ): Promise<FieldError[]> {
    const isNew =
      (memberId !== undefined && memberId !== account.memberId) ||
      (isShared !== undefined && isShared !== account.isShared);
    if (!isNew) return [];
    if (!mayAdminister(user, account))
      throw denied(
        user,
        "*",
        "Only its member and the owners and admins of the workspace can change whose account this is and whether it is shared.",
      );
    if (typeof memberId !== "string") return [];
    if ((await this.#parts.holders.holder(user.workspaceId, memberId)) !== null) return [];
    const message = `${memberId} is not the ID of an active member of the workspace. GET /api/v2/members lists them.`;
    return [{ path: "memberId", message }];
  }

  #changeOf(
    input: AccountInput | AccountUpdate,
    account: NetworkAccount,
    now: number,
    errors: FieldError[],
  ): Partial<Omit<AccountChange, "updatedAt">> {
    const { name, timeZone, workingHours, holidays, warmUp, connector, connectorSettings, caps } = input;
    const { tier, spacing, sessions, jitterPercent, requiresApproval, withdrawAfterDays, memberId, isShared } = input;
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
      holidays: holidays && readHolidays(holidays, errors),
      caps,
      warmUp: newWarmUp,
      spacing,
      sessions,
      jitterPercent,
      requiresApproval,
      withdrawAfterDays,
      memberId,
      isShared,
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
  holidays,
  warmUp,
  ...account
}: NetworkAccount): AccountView {
  return {
    ...account,
    workingHours: weekView(workingHours),
    holidays: [...holidays],
    warmUp: warmUp && { ...warmUp, startedAt: isoTime(warmUp.startedAt) },
    createdAt: isoTime(account.createdAt),
    updatedAt: isoTime(account.updatedAt),
  };
}
