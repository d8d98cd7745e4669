import type { LedgerEntry } from "../../src/features/credits/model.ts";
import type { ChargeCredits, ReserveCredits, SettleCredits } from "../../src/features/credits/change-model.ts";
import type { Job, JobClaim } from "../../src/platform/jobs/model.ts";
import { permissions, type ApiKey } from "../../src/platform/auth/key-model.ts";
import { hashOf } from "../../src/platform/auth/access.ts";
import { makeSecret } from "../../src/platform/auth/secret.ts";
import { hintOf } from "../../src/platform/base/secret-text.ts";
import { leadIdentity } from "../../src/features/leads/identity.ts";
import type { Lead, LeadContent } from "../../src/features/leads/model.ts";
import { RowPacker, type ImportRow } from "../../src/features/leads/import/packed-rows.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import type {
  ImportBatch,
  InsertLead,
  InsertLeadOutcome,
  MergeLeads,
  UpdateLead,
} from "../../src/features/leads/change-model.ts";
import { contentOfBoth } from "../../src/features/leads/merge-decision.ts";
import { defaultWorkingHours, type NetworkAccount } from "../../src/features/network/account-model.ts";
import type { NetworkAction } from "../../src/features/network/action-model.ts";
import type { WorkingHours } from "../../src/features/network/governor/calendar.ts";
import { canonicalProfileUrl } from "../../src/platform/identity/profile-url.ts";
import type { ActionEnd, DueAction, ScheduleAction } from "../../src/features/network/queue-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { suppressionKey } from "../../src/features/suppression/key.ts";
import type { Suppression, SuppressionKind } from "../../src/features/suppression/model.ts";
import type { User } from "../../src/platform/auth/user-model.ts";
import type { Member, Workspace } from "../../src/platform/auth/workspace-model.ts";
import { canonicalEmail } from "../../src/platform/identity/email.ts";
import type { NewUser } from "../../src/features/workspaces/users/store.ts";
import { startOfTests } from "./clock.ts";
import { createIds } from "./ids.ts";

const wholeDay = [{ from: 0, to: 1440 }];
/** Hours that are never closed, for tests that are not about hours. */
export const alwaysOpen: WorkingHours = [wholeDay, wholeDay, wholeDay, wholeDay, wholeDay, wholeDay, wholeDay];

/** A user whose workspace has the same ID. */
type OwnUser = Omit<User, "id"> & { id: string };
type NewOwner = Omit<NewUser, "user"> & { user: OwnUser };

export type Factories = ReturnType<typeof createFactories>;

/**
 * Makes complete things of which a test names only what it is about. Everything begins at `startOfTests`; ids and
 * names are the same in every run.
 */
export function createFactories(seed = 1) {
  const ids = createIds(seed);
  let made = 0;
  const times = { createdAt: startOfTests, updatedAt: startOfTests };
  const nextId = (): string => ids.next(startOfTests);

  /** Their workspace has the same ID. */
  function user(overrides: Partial<User> = {}): OwnUser {
    made++;
    const email = overrides.email ?? `user${made}@example.com`;
    return {
      ...{ id: nextId(), email, emailKey: canonicalEmail(email), name: `User ${made}`, role: "member" },
      ...{ timeZone: "UTC", isActive: true, ...times, ...overrides },
    };
  }

  /** Without chance: no breaks, no warm-up, no jitter, and a minute between two actions. */
  function account(workspaceId: string, overrides: Partial<NetworkAccount> = {}): NetworkAccount {
    return {
      id: nextId(),
      workspaceId,
      name: "Main account",
      connector: "simulated",
      connectorSettings: {},
      tier: "premium",
      timeZone: "UTC",
      workingHours: defaultWorkingHours,
      holidays: [],
      caps: {},
      warmUp: null,
      spacing: { medianSeconds: 60, minSeconds: 60 },
      sessions: null,
      jitterPercent: 0,
      state: "active",
      stateReason: null,
      requiresApproval: false,
      withdrawAfterDays: null,
      memberId: null,
      isShared: true,
      ...times,
      ...overrides,
    };
  }

  /** A key with its secret, which only its maker knows. Without a user it is a global one. */
  function secretKey(workspaceId: string | null, overrides: Partial<ApiKey> = {}): { secret: string; key: ApiKey } {
    const secret = makeSecret(workspaceId === null ? "global" : "user", ids);
    const key: ApiKey = {
      id: nextId(),
      workspaceId,
      userId: workspaceId,
      name: "Key of a test",
      hash: hashOf(secret),
      hint: hintOf(secret),
      permissions: workspaceId === null ? ["*"] : [...permissions],
      expiresAt: null,
      isActive: true,
      expiresInDays: null,
      requiresApproval: false,
      rateLimits: null,
      allowedNetworks: null,
      usageCount: 0,
      lastUsedAt: null,
      ...times,
      ...overrides,
    };
    return { secret, key };
  }

  function key(workspaceId: string | null, overrides: Partial<ApiKey> = {}): ApiKey {
    return secretKey(workspaceId, overrides).key;
  }

  function grant(workspaceId: string, overrides: Partial<LedgerEntry> = {}): LedgerEntry {
    return { id: nextId(), workspaceId, kind: "grant", amount: 100, note: null, createdAt: startOfTests, ...overrides };
  }

  /** The wish to hold credits for a request of its own. */
  function reservation(workspaceId: string, overrides: Partial<ReserveCredits> = {}): ReserveCredits {
    made++;
    return {
      id: nextId(),
      entryId: nextId(),
      workspaceId,
      request: `request-${made}`,
      purpose: "enrichment",
      amount: 1,
      keyId: null,
      jobId: null,
      heldUntil: startOfTests + 900_000,
      at: startOfTests,
      ...overrides,
    };
  }

  /** The wish to charge items, by name and amount. */
  function settlement(
    reservationId: string,
    items: Record<string, number>,
    overrides: Partial<SettleCredits> = {},
  ): SettleCredits {
    return {
      reservationId,
      items: Object.entries(items).map(([item, amount]) => ({ entryId: nextId(), item, amount })),
      releaseId: nextId(),
      closes: false,
      at: startOfTests,
      ...overrides,
    };
  }

  function charge(workspaceId: string, overrides: Partial<ChargeCredits> = {}): ChargeCredits {
    const { id: _id, jobId: _jobId, heldUntil: _heldUntil, ...rest } = reservation(workspaceId);
    return { ...rest, purpose: "search", ...overrides };
  }

  /** A user with an account, and neither credits nor a key. */
  function newUser(overrides: Partial<User> = {}): NewOwner {
    const added = user(overrides);
    const { id, timeZone, createdAt, updatedAt } = added;
    const since = { createdAt, updatedAt };
    const workspace: Workspace = { id, name: added.email, timeZone, ...since };
    const member: Member = { workspaceId: id, userId: id, role: "owner", permissions: null, isActive: true, ...since };
    return { user: added, workspace, member, account: account(id), grant: null, key: null };
  }

  /** Stores a new user. */
  async function storedUser(storage: Storage, overrides: Partial<User> = {}): Promise<NewOwner> {
    const newcomer = newUser(overrides);
    if (!(await storage.users.insert(newcomer))) throw new Error(`${newcomer.user.email} is taken`);
    return newcomer;
  }

  /** A person of its own, known by an email address. */
  function leadContent(overrides: Partial<LeadContent> = {}): LeadContent {
    made++;
    return {
      firstName: `First${made}`,
      lastName: `Last${made}`,
      email: `person${made}@example.com`,
      company: `Company ${made}`,
      title: null,
      phone: null,
      networkUrl: null,
      industry: null,
      location: null,
      source: null,
      notes: null,
      status: "new",
      tags: [],
      customFields: {},
      assignedTo: null,
      ...overrides,
    };
  }

  function lead(workspaceId: string, overrides: Partial<Lead> = {}): Lead {
    return { id: nextId(), workspaceId, version: 1, ...times, ...leadContent(), ...overrides };
  }

  /** The wish to store a lead; the keys for duplicates are worked out as the service does. */
  function leadInsert(
    workspaceId: string,
    overrides: Partial<Lead> = {},
    onDuplicate: InsertLead["onDuplicate"] = "create",
  ): InsertLead {
    const inserted = lead(workspaceId, overrides);
    return { lead: inserted, identity: leadIdentity(inserted), onDuplicate };
  }

  async function storedLead(storage: Storage, workspaceId: string, overrides: Partial<Lead> = {}): Promise<Lead> {
    return leadOf(await storage.leads.insert(leadInsert(workspaceId, overrides)));
  }

  /** The wish to change a stored lead, worked out from the version that is given. */
  function leadUpdate(stored: Lead, change: Partial<LeadContent>): UpdateLead {
    const { id, workspaceId, version, createdAt: _created, updatedAt: at, ...content } = { ...stored, ...change };
    return { workspaceId, id, content, identity: leadIdentity(content), version, at };
  }

  /** The wish to merge one lead into another, worked out from the versions that are given. */
  function leadMerge(keep: Lead, other: Lead): MergeLeads {
    const content = contentOfBoth(keep, other, []);
    const audit = auditEntry(null, startOfTests, { action: "lead.merged", workspaceId: keep.workspaceId });
    const { workspaceId } = keep;
    return {
      ...{ workspaceId, keep, other, content, identity: leadIdentity(content), suppress: [] },
      ...{ at: startOfTests + 5, actorId: null, audit },
    };
  }

  function importRow(row: number, overrides: Partial<LeadContent> = {}): ImportRow {
    const content = leadContent(overrides);
    return { row, id: nextId(), content, identity: leadIdentity(content) };
  }

  /** A batch of an import, under the claim of its running job, its rows packed as by the thread that reads a file. */
  async function importBatch(
    storage: Storage,
    job: Job,
    rows: ImportRow[],
    overrides: Partial<ImportBatch> = {},
  ): Promise<ImportBatch> {
    const packer = new RowPacker((await storage.leads.ownerNumber(job.workspaceId)) ?? 0);
    for (const row of rows)
      if ("errors" in row) packer.addErrors(row.row, row.errors);
      else packer.add(row.row, row.id, row.content, row.identity);
    return {
      workspaceId: job.workspaceId,
      jobId: job.id,
      attempt: job.attempt,
      rows: packer.take(),
      onDuplicate: "skip",
      dryRun: false,
      lastRow: rows.at(-1)?.row ?? 0,
      progress: 50,
      leaseUntil: startOfTests + 60_000,
      at: startOfTests,
      ...overrides,
    };
  }

  /** A job that is due at once. */
  function job(workspaceId: string, overrides: Partial<Job> = {}): Job {
    return {
      id: nextId(),
      workspaceId,
      userId: null,
      type: "lead_import",
      status: "pending",
      runAt: startOfTests,
      attempt: 0,
      failures: 0,
      maxAttempts: 3,
      leaseUntil: null,
      message: "Waiting",
      progress: 0,
      metadata: {},
      payload: {},
      ...times,
      completedAt: null,
      editedMessage: null,
      ...overrides,
    };
  }

  async function storedJob(storage: Storage, workspaceId: string, overrides: Partial<Job> = {}): Promise<Job> {
    const stored = job(workspaceId, overrides);
    await storage.jobs.insert(stored);
    return stored;
  }

  /** The wish to schedule an action, for a profile of its own, as soon as the account may. */
  function actionRequest(
    { id: accountId, workspaceId }: Pick<NetworkAccount, "id" | "workspaceId">,
    { action: change = {}, job: jobChange = {} }: { action?: Partial<NetworkAction>; job?: Partial<Job> } = {},
  ): ScheduleAction {
    made++;
    const profileUrl = change.profileUrl ?? `https://network.example/in/person-${made}`;
    const profileKey = canonicalProfileUrl(profileUrl) ?? profileUrl;
    const placed = job(workspaceId, { type: "linkedin_action", message: "", maxAttempts: 5, ...jobChange });
    const action: NetworkAction = {
      jobId: placed.id,
      workspaceId,
      accountId,
      actionType: "sendConnectionRequest",
      profileUrl,
      profileKey,
      targetKey: profileKey,
      message: null,
      details: {},
      leadId: null,
      enrollmentId: null,
      campaignId: null,
      campaignStep: null,
      state: "scheduled",
      pendingReason: null,
      slotAt: null,
      carriedOutAt: null,
      notBefore: placed.createdAt,
      // The middle of all distances: the account's median.
      draw: 0.5,
      isUrgent: false,
      reference: null,
      createdAt: placed.createdAt,
      updatedAt: placed.createdAt,
      ...change,
    };
    return { action, job: placed };
  }

  /** Schedules an action and answers its job, placed. */
  async function scheduledJob(
    storage: Storage,
    of: Pick<NetworkAccount, "id" | "workspaceId">,
    overrides: Parameters<typeof actionRequest>[1] = {},
  ): Promise<Job> {
    const outcome = await storage.network.schedule(actionRequest(of, overrides), false);
    if (outcome.kind !== "scheduled") throw new Error(`Expected the action to be scheduled, it was ${outcome.kind}`);
    return outcome.job;
  }

  /** An entry of the do-not-contact list, by its normal form. Without a user it is the team's. */
  function suppression(
    workspaceId: string | null,
    kind: SuppressionKind,
    value: string,
    overrides: Partial<Suppression> = {},
  ): Suppression {
    const key = suppressionKey(kind, value);
    const entry = { id: nextId(), workspaceId, kind, key, value, reason: null, createdAt: startOfTests };
    return { ...entry, source: "api", ...overrides };
  }

  async function storedSuppression(storage: Storage, ...of: Parameters<typeof suppression>): Promise<Suppression> {
    const entry = suppression(...of);
    await storage.suppressions.add([entry]);
    return entry;
  }

  return {
    ids,
    user,
    account,
    key,
    secretKey,
    grant,
    reservation,
    settlement,
    charge,
    newUser,
    storedUser,
    leadContent,
    lead,
    leadInsert,
    storedLead,
    leadUpdate,
    leadMerge,
    importRow,
    importBatch,
    job,
    storedJob,
    actionRequest,
    scheduledJob,
    suppression,
    storedSuppression,
  };
}

/** The lead that was stored, or was there. */
export function leadOf(outcome: InsertLeadOutcome): Lead {
  if (!("lead" in outcome)) throw new Error(`Expected a lead, got ${JSON.stringify(outcome)}`);
  return outcome.lead;
}

/** Claims jobs as a runner would at the moment `now`, with a lease of a minute unless told otherwise. */
export async function claimJobs(
  storage: Storage,
  now: number = startOfTests,
  {
    limit = 100,
    leaseUntil = now + 60_000,
    type = "lead_import",
  }: Partial<Parameters<Storage["jobs"]["claim"]>[0]> = {},
): Promise<Job[]> {
  return await storage.jobs.claim({ type, limit, now, leaseUntil });
}

/** Claims the one job that is due. */
export async function claimJob(storage: Storage, now: number = startOfTests): Promise<Job> {
  return theOnly(await claimJobs(storage, now));
}

/** Claims due actions as their handler would, with a lease of a minute. */
export async function claimActions(storage: Storage, now: number = startOfTests, limit = 100): Promise<DueAction[]> {
  return (await storage.network.claimDue({ now, limit, leaseUntil: now + 60_000 })).due;
}

/** Claims the one action that is due. */
export async function claimAction(storage: Storage, now: number = startOfTests): Promise<DueAction> {
  return theOnly(await claimActions(storage, now));
}

/** The end of an action that was carried out, unless it says otherwise. */
export function actionEnd(overrides: Partial<ActionEnd> = {}): ActionEnd {
  const end = { message: "It ended", metadata: {}, reference: null, relation: null, at: startOfTests };
  return { state: "completed", ...end, ...overrides };
}

function theOnly<T>([item, ...others]: readonly T[]): T {
  if (item === undefined || others.length > 0)
    throw new Error(`Expected one that is due, found ${others.length + (item === undefined ? 0 : 1)}`);
  return item;
}

export function claimOf({ id, attempt }: Job): JobClaim {
  return { id, attempt };
}
