import type { Clock, Ids } from "../../platform/base/clock.ts";
import { ApiError, invalid, notFound, type FieldError } from "../../platform/base/errors.ts";
import { currentLead } from "../leads/current-lead.ts";
import type { LeadStore } from "../leads/store.ts";
import { defaultAccount, requireUsable, type AccountUser } from "../network/may-use.ts";
import type { NetworkAccount } from "../network/account-model.ts";
import type { ProfileHosts } from "../network/action-input.ts";
import type { NetworkStore } from "../network/store.ts";
import type { TimePlace } from "../../platform/base/time-place.ts";
import type { CampaignRunner } from "./campaign-runner.ts";
import {
  defaultSettings,
  type Campaign,
  type CampaignInput,
  type CampaignSettings,
  type CampaignState,
  type CampaignStatistics,
  type CampaignUpdate,
  type CampaignView,
  type DuplicateInput,
  type EnrollAnswer,
  type EnrollInput,
  type Enrollment,
  type EnrollmentView,
  type PreviewInput,
  type PreviewView,
} from "./model.ts";
import { editedMeanwhile, mustPauseFirst, nameOf, nameOfCopy } from "./editing.ts";
import { enrollmentProblem, newEnrollment } from "./new-enrollment.ts";
import { previewOf } from "./preview.ts";
import { compile } from "./program.ts";
import { stepErrors } from "./step-check.ts";
import { statisticsOf } from "./statistics.ts";
import type { CampaignStore, EnrollmentFilter } from "./store.ts";
import { campaignView, enrollmentView } from "./views.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** Leads enrolled per transaction (docs/api.md, "Repeating a request"). */
const enrollBatchSize = 500;
/** Maximum number of leads processed per request. */
const maxLeadsPerRequest = 10_000;
/** Far more than any person should be in. */
const maxCampaignsOfLead = 1000;
const withdrawBatchSize = 100;

export type CampaignParts = {
  store: CampaignStore;
  network: NetworkStore;
  leads: LeadStore;
  runner: CampaignRunner;
  clock: Clock;
  ids: Ids;
  profileHosts: ProfileHosts;
};

/** Manages campaigns and their enrollments. */
export class CampaignService {
  readonly #parts: CampaignParts;

  constructor(parts: CampaignParts) {
    this.#parts = parts;
  }

  async create(user: AccountUser, input: CampaignInput): Promise<CampaignView> {
    const { workspaceId } = user;
    const { store, clock, ids } = this.#parts;
    const now = clock.now();
    const accounts = await this.#accountsOf(user, input.accountIds);
    const errors: FieldError[] = [];
    const name = nameOf(input.name, errors);
    errors.push(...stepErrors(input.steps, accounts, this.#parts.profileHosts));
    if (errors.length > 0) throw invalid(errors);
    const campaign: Campaign = {
      id: ids.next(now),
      workspaceId,
      name,
      state: "draft",
      steps: input.steps,
      accountIds: accounts.map(({ id }) => id),
      settings: { ...defaultSettings, ...input.settings },
      winners: {},
      version: 1,
      firstStep: 0,
      startedAt: null,
      createdAt: now,
      updatedAt: now,
    };
    await store.insert(campaign);
    return campaignView(campaign);
  }

  /** Newest first, at most `limit`, starting after `after`. */
  list(workspaceId: WorkspaceId, limit: number, after: TimePlace | null): Promise<Campaign[]> {
    return this.#parts.store.list(workspaceId, limit, after);
  }

  count(workspaceId: WorkspaceId): Promise<number> {
    return this.#parts.store.countCampaigns(workspaceId);
  }

  async get(workspaceId: WorkspaceId, id: string): Promise<CampaignView> {
    return campaignView(await this.#require(workspaceId, id));
  }

  /** Creates a draft with the steps, settings, and accounts of a campaign, without its leads. */
  async duplicate(user: AccountUser, id: string, { name: sent }: DuplicateInput): Promise<CampaignView> {
    const { store, clock, ids, network } = this.#parts;
    const { workspaceId } = user;
    const original = await this.#requireOwn(user, id);
    const errors: FieldError[] = [];
    const name = sent === undefined ? nameOfCopy(original.name) : nameOf(sent, errors);
    if (errors.length > 0) throw invalid(errors);
    const known = new Set((await network.accounts(workspaceId)).map((account) => account.id));
    const accountIds = original.accountIds.filter((accountId) => known.has(accountId));
    const now = clock.now();
    const copy: Campaign = {
      ...original,
      ...{ id: ids.next(now), name, state: "draft", winners: {}, version: 1, firstStep: 0, startedAt: null },
      accountIds: accountIds.length > 0 ? accountIds : (await this.#accountsOf(user, undefined)).map((each) => each.id),
      ...{ createdAt: now, updatedAt: now },
    };
    await store.insert(copy);
    return campaignView(copy);
  }

  /**
   * Steps and accounts can change in a draft and while the campaign is paused. Leads that have begun finish the steps
   * and keep the account that they began with.
   */
  async update(user: AccountUser, id: string, input: CampaignUpdate): Promise<CampaignView> {
    const campaign = await this.#requireOwn(user, id);
    if (input.version !== undefined && input.version !== campaign.version)
      throw editedMeanwhile(campaign, input.version);
    const errors: FieldError[] = [];
    const accounts = await this.#accountsOf(user, input.accountIds ?? campaign.accountIds);
    if (input.steps !== undefined || input.accountIds !== undefined)
      errors.push(...stepErrors(input.steps ?? campaign.steps, accounts, this.#parts.profileHosts));
    const name = input.name === undefined ? undefined : nameOf(input.name, errors);
    if (errors.length > 0) throw invalid(errors);
    const settings = input.settings && ({ ...campaign.settings, ...input.settings } satisfies CampaignSettings);
    const changesProgram = input.steps !== undefined || input.accountIds !== undefined;
    if (changesProgram && campaign.state === "running") throw mustPauseFirst();
    const change = {
      ...(name !== undefined && { name }),
      ...(settings !== undefined && { settings }),
      ...(input.steps !== undefined && { steps: input.steps }),
      ...(input.accountIds !== undefined && { accountIds: accounts.map((account) => account.id) }),
    };
    const states: CampaignState[] = changesProgram ? ["draft", "paused"] : ["draft", "running", "paused"];
    return this.#change(user, id, states, change, input.version);
  }

  async remove(user: AccountUser, id: string): Promise<void> {
    const { workspaceId } = user;
    const campaign = await this.#requireOwn(user, id);
    if (await this.#parts.store.remove(workspaceId, id)) return;
    throw new ApiError("CONFLICT", {
      message: `Only draft campaigns can be deleted; this one is ${campaign.state}. Cancel it to stop it and keep its history.`,
    });
  }

  /** Starts a draft or resumes a paused campaign. */
  async start(user: AccountUser, id: string): Promise<CampaignView> {
    const { startedAt } = await this.#requireOwn(user, id);
    const view = await this.#change(user, id, ["draft", "paused"], {
      state: "running",
      startedAt: startedAt ?? this.#parts.clock.now(),
    });
    this.#parts.runner.wake();
    return view;
  }

  /** Leaves leads at their current step. Pending actions are withdrawn and rescheduled when the campaign resumes. */
  async pause(user: AccountUser, id: string): Promise<CampaignView> {
    await this.#requireOwn(user, id);
    const view = await this.#change(user, id, ["running"], { state: "paused" });
    await this.#withdrawActions(id);
    return view;
  }

  /** Ends the campaign for every lead that is still active. */
  async cancel(user: AccountUser, id: string): Promise<CampaignView> {
    await this.#requireOwn(user, id);
    const view = await this.#change(user, id, ["draft", "running", "paused"], { state: "canceled" });
    await this.#withdrawActions(id);
    const { store, clock } = this.#parts;
    while ((await store.stopAll(id, "campaignCanceled", withdrawBatchSize, clock.now())) === withdrawBatchSize);
    return view;
  }

  /** Enrolls leads by ID, or all leads with a tag. Skipped leads are listed with the reason. */
  async enroll(user: AccountUser, id: string, input: EnrollInput): Promise<EnrollAnswer> {
    const { dryRun = false } = input;
    const { workspaceId } = await this.#requireOwn(user, id);
    if ((input.leadIds === undefined) === (input.tag === undefined))
      throw invalid([{ path: "leadIds", message: "Send either leadIds or tag." }]);
    await this.requireOpen(workspaceId, id);
    const outcomes = new Map<string, string>();
    const batches = input.leadIds === undefined ? this.#leadIdsWithTag(workspaceId, input.tag ?? "") : [input.leadIds];
    let seen = 0;
    let hasMore = false;
    for await (const leadIds of batches) {
      if (seen >= maxLeadsPerRequest) {
        hasMore = true;
        break;
      }
      seen += leadIds.length;
      for (const [leadId, outcome] of await this.enrollLeads(workspaceId, id, leadIds, dryRun))
        outcomes.set(leadId, outcome);
    }
    const all = [...outcomes].map(([leadId, outcome]) => ({ leadId, outcome }));
    const enrolled = all.filter(({ outcome }) => outcome === "enrolled").length;
    const results = input.leadIds === undefined ? all.filter(({ outcome }) => outcome !== "enrolled") : all;
    return { enrolled, skipped: all.length - enrolled, hasMore, dryRun, results: results.slice(0, maxLeadsPerRequest) };
  }

  /** Returns "enrolled" or the reason for skipping, by ID of the current lead. Throws NOT_FOUND for an unknown campaign. */
  async enrollLeads(
    workspaceId: WorkspaceId,
    id: string,
    leadIds: readonly string[],
    dryRun: boolean,
  ): Promise<Map<string, string>> {
    const { store, leads, network, clock, ids, profileHosts, runner } = this.#parts;
    const campaign = await this.requireOpen(workspaceId, id);
    const found = await Promise.all(campaign.accountIds.map((accountId) => network.account(workspaceId, accountId)));
    const accounts = found.filter((account) => account !== null);
    const outcomes = new Map<string, string>();
    const merged = await leads.mergedInto(workspaceId, leadIds);
    const wanted = [...new Set(leadIds.map((leadId) => merged.get(leadId) ?? leadId))];
    for (let start = 0; start < wanted.length; start += enrollBatchSize) {
      const slice = wanted.slice(start, start + enrollBatchSize);
      const enrollments: Enrollment[] = [];
      const known = new Map((await leads.getAll(workspaceId, slice)).map((lead) => [lead.id, lead]));
      for (const [n, leadId] of slice.entries()) {
        const lead = known.get(leadId) ?? null;
        const account = accounts[(start + n) % accounts.length];
        const problem = lead === null ? "leadGone" : enrollmentProblem(campaign, lead, account, profileHosts);
        if (lead === null || account === undefined || problem !== null) outcomes.set(leadId, problem ?? "accountGone");
        else enrollments.push(newEnrollment(campaign, lead, account.id, { clock, ids, profileHosts }));
      }
      const refusals = await store.enroll(enrollments, dryRun, clock.now());
      for (const [n, enrollment] of enrollments.entries()) outcomes.set(enrollment.leadId, refusals[n] ?? "enrolled");
    }
    if (!dryRun) runner.wake();
    return outcomes;
  }

  /** Whether the campaign exists and accepts leads. Throws CONFLICT if it was canceled. */
  async canEnroll(user: AccountUser, id: string): Promise<boolean> {
    if ((await this.#parts.store.get(user.workspaceId, id)) === null) return false;
    await this.#requireOwn(user, id);
    await this.requireOpen(user.workspaceId, id);
    return true;
  }

  /** Throws NOT_FOUND, or CONFLICT for a campaign that no longer accepts leads. */
  async requireOpen(workspaceId: WorkspaceId, id: string): Promise<Campaign> {
    const campaign = await this.#require(workspaceId, id);
    if (campaign.state !== "canceled") return campaign;
    throw new ApiError("CONFLICT", {
      message: "This campaign was canceled and no longer accepts leads. Create a new campaign.",
    });
  }

  /** Sorted by ID. `after` is the last ID of the previous page. */
  async enrollments(
    workspaceId: WorkspaceId,
    id: string,
    filter: EnrollmentFilter,
    after: string | null,
    limit: number,
  ): Promise<{ enrollments: EnrollmentView[]; total: number }> {
    await this.#require(workspaceId, id);
    const [found, total] = await Promise.all([
      this.#parts.store.enrollments(workspaceId, id, filter, after, limit),
      this.#parts.store.countEnrollments(workspaceId, id, filter),
    ]);
    const leads = await Promise.all(found.map(({ leadId }) => this.#parts.leads.get(workspaceId, leadId)));
    return { enrollments: found.map((enrollment, n) => enrollmentView(enrollment, leads[n] ?? null)), total };
  }

  /** Newest first. Throws NOT_FOUND for an unknown lead. */
  async ofLead(
    workspaceId: WorkspaceId,
    leadId: string,
  ): Promise<(EnrollmentView & { campaignId: string; campaignName: string })[]> {
    const { leads, store } = this.#parts;
    const lead = await currentLead(leads, workspaceId, leadId);
    if (lead === null) throw notFound("lead", leadId);
    const found = await store.ofLead(workspaceId, lead.id, maxCampaignsOfLead);
    return found.map(({ enrollment, campaignName }) => ({
      ...enrollmentView(enrollment, lead),
      campaignId: enrollment.campaignId,
      campaignName,
    }));
  }

  /** Removes a lead from the campaign. */
  async stop(user: AccountUser, id: string, enrollmentId: string): Promise<EnrollmentView> {
    const { workspaceId } = user;
    await this.#requireOwn(user, id);
    const stopped = await this.#parts.store.stop(
      workspaceId,
      id,
      enrollmentId,
      "stoppedByUser",
      this.#parts.clock.now(),
    );
    if (stopped === null) throw notFound("active enrollment", enrollmentId);
    const lead = await this.#parts.leads.get(workspaceId, stopped.leadId);
    return enrollmentView(stopped, lead);
  }

  async statistics(workspaceId: WorkspaceId, id: string): Promise<CampaignStatistics> {
    const campaign = await this.#require(workspaceId, id);
    return statisticsOf(campaign, await this.#parts.store.counts(id));
  }

  /** Forecasts when each step would be sent to the first leads, given the current queue. Nothing is stored. */
  async preview(workspaceId: WorkspaceId, id: string, { leads = 20, assume = {} }: PreviewInput): Promise<PreviewView> {
    const { network, clock } = this.#parts;
    const campaign = await this.#require(workspaceId, id);
    const now = clock.now();
    const bases = await Promise.all(campaign.accountIds.map((accountId) => network.planBasis(accountId, 5_000, now)));
    return previewOf(
      compile(campaign.steps, campaign.firstStep),
      bases.filter((basis) => basis !== null),
      leads,
      { connected: assume.connected ?? true, replied: assume.replied ?? false, hasEmail: true, hasPhone: true },
      now,
    );
  }

  async *#leadIdsWithTag(workspaceId: WorkspaceId, tag: string): AsyncGenerator<string[], void, void> {
    const sort = { field: "createdAt", descending: false } as const;
    let after = null;
    do {
      const page = await this.#parts.leads.page({ workspaceId, filter: { tag }, sort, limit: 200, offset: 0, after });
      if (page.leads.length > 0) yield page.leads.map(({ id }) => id);
      after = page.next;
    } while (after !== null);
  }

  async #withdrawActions(id: string): Promise<void> {
    const { store, clock } = this.#parts;
    while ((await store.withdrawActions(id, withdrawBatchSize, clock.now())) === withdrawBatchSize);
  }

  /** A campaign whose accounts the user may act with. Throws NOT_FOUND and PERMISSION_DENIED. */
  async #requireOwn(user: AccountUser, id: string): Promise<Campaign> {
    const campaign = await this.#require(user.workspaceId, id);
    for (const account of await this.#parts.network.accounts(user.workspaceId))
      if (campaign.accountIds.includes(account.id)) requireUsable(user, account);
    return campaign;
  }

  async #accountsOf(user: AccountUser, ids: readonly string[] | undefined): Promise<NetworkAccount[]> {
    const all = await this.#parts.network.accounts(user.workspaceId);
    if (ids === undefined) {
      const chosen = defaultAccount(user, all);
      return chosen === null ? [] : [chosen];
    }
    return [...new Set(ids)].map((id) => {
      const account = all.find((each) => each.id === id);
      if (account === undefined) throw notFound("network account", id);
      requireUsable(user, account);
      return account;
    });
  }

  async #change(
    { workspaceId, userId }: AccountUser,
    id: string,
    states: readonly CampaignState[],
    change: Parameters<CampaignStore["update"]>[3] extends infer C ? Omit<C, "updatedAt"> : never,
    version: number | null = null,
  ): Promise<CampaignView> {
    const { store, clock } = this.#parts;
    const changed = await store.update(workspaceId, id, states, { ...change, updatedAt: clock.now() }, userId, version);
    if (changed !== null) return campaignView(changed);
    const current = await this.#require(workspaceId, id);
    if (version !== null && current.version !== version) throw editedMeanwhile(current, version);
    const { state } = current;
    throw new ApiError("CONFLICT", {
      message: `Expected a campaign in state ${states.join(" or ")}, got ${state}.`,
      details: { state },
    });
  }

  async #require(workspaceId: WorkspaceId, id: string): Promise<Campaign> {
    const campaign = await this.#parts.store.get(workspaceId, id);
    if (campaign === null) throw notFound("campaign", id);
    return campaign;
  }
}
