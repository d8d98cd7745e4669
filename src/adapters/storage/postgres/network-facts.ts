import { and, eq } from "drizzle-orm";
import type { Meter } from "../../../features/network/meter-model.ts";
import type {
  Frontier,
  NetworkFacts,
  SentText,
  StoredAccount,
  StoredAction,
  StoredContact,
  Target,
  Twin,
} from "../../../features/network/decisions/facts.ts";
import type { Timeline } from "../../../features/network/governor/slot.ts";
import type { SuppressionMatch, SuppressionTarget } from "../../../features/suppression/model.ts";
import type { PhoneRegion } from "../../../platform/identity/phone.ts";
import { meterCode } from "../meter-code.ts";
import { campaigns } from "./campaign-tables.ts";
import type { Connection, Engine } from "./engine.ts";
import { hasReceivedText, hasSentText, storedMessages } from "./inbox-recording.ts";
import { decideLoaded, loadAll, Loaded, NamedFacts, type FactSource } from "./loaded.ts";
import { lockAccounts, readAccounts, recordOf } from "./network-accounts.ts";
import { networkAccounts, networkActions, networkContacts, networkMeters } from "./network-tables.ts";
import { LoadedTimeline, loadUsed } from "./network-timeline.ts";
import { oneOf } from "./one-of.ts";
import { findSuppression, firstSuppressions } from "./suppression-rows.ts";
import { jobs, leads } from "./tables.ts";
import type { WorkspaceId } from "../../../platform/base/ids.ts";

/** The facts of decisions about actions, loaded in the transaction that writes the changes. */
export class LoadedFacts implements NetworkFacts, FactSource {
  readonly #connection: Connection;
  readonly #region: PhoneRegion | null;
  readonly #facts = new NamedFacts();
  readonly #timelines = new Map<string, LoadedTimeline>();
  /** Provisional, so that one run asks about all messages of a report. */
  readonly #messages = new Loaded<string, boolean>({
    nameOf: (id) => id,
    fetch: (ids) => storedMessages(this.#connection, ids),
    provisional: false,
  });

  constructor(connection: Connection, { phoneRegion }: Pick<Engine, "phoneRegion">) {
    this.#connection = connection;
    this.#region = phoneRegion;
  }

  /** Runs a decision until it has all its facts. */
  decide<T>(decision: (facts: NetworkFacts) => T): Promise<T> {
    return decideLoaded(() => decision(this), this);
  }

  load(): Promise<boolean> {
    return loadAll([this.#facts, this.#messages, ...this.#timelines.values()]);
  }

  /** What most decisions about these targets ask, with a query for each kind of fact. */
  async preload(targets: readonly Target[], now: number): Promise<void> {
    const connection = this.#connection;
    const accounts = [...new Set(targets.map(({ record }) => record.seq))];
    for (const { record } of targets) this.know(`account ${record.seq}`, record);
    for (const [account, timeline] of await loadUsed(connection, accounts, now))
      this.#timelines.set(`used ${account}`, timeline);
    const leadIds = [...new Set(targets.flatMap(({ row }) => row.leadId ?? []))];
    const found =
      leadIds.length === 0 ? [] : await connection.select({ id: leads.id }).from(leads).where(oneOf(leads.id, leadIds));
    const stored = new Set(found.map(({ id }) => id));
    for (const id of leadIds) this.know(`lead ${id}`, stored.has(id));
    await this.preloadContacts(targets);
    await this.#preloadSuppressions(targets);
  }

  async preloadContacts(targets: readonly Target[]): Promise<void> {
    const accounts = [...new Set(targets.map(({ record }) => record.seq))];
    const profiles = [...new Set(targets.map(({ row }) => row.profileKey))];
    const contacts = await contactsOf(this.#connection, accounts, profiles);
    const found = new Map(contacts.map((each) => [`${each.account} ${each.profileKey}`, each]));
    for (const { row } of targets) {
      const name = `${row.account} ${row.profileKey}`;
      this.know(`contact ${name}`, found.get(name) ?? null);
    }
  }

  async #preloadSuppressions(targets: readonly Target[]): Promise<void> {
    for (const [workspaceId, ofWorkspace] of Map.groupBy(targets, ({ row }) => row.workspaceId)) {
      const people = ofWorkspace.map(({ row: { profileKey, leadId } }): SuppressionTarget => ({ profileKey, leadId }));
      const matches = await firstSuppressions(this.#connection, this.#region, workspaceId, people);
      for (const [n, target] of people.entries()) this.know(suppressionName(workspaceId, target), matches[n]);
    }
  }

  know(name: string, value: unknown): void {
    this.#facts.set(name, value);
  }

  account = (seq: number): StoredAccount | null =>
    this.#fact(`account ${seq}`, async () => (await lockAccounts(this.#connection, [seq]))[0] ?? null);

  /** Known before the decision, which locked it. */
  accountOf = (workspaceId: WorkspaceId, accountId: string): StoredAccount | null =>
    this.#fact(`account of ${workspaceId} ${accountId}`, async () => null);

  colleagues = (workspaceId: WorkspaceId, account: number): readonly StoredAccount[] =>
    this.#fact(`accounts of ${workspaceId}`, () => readAccounts(this.#connection, workspaceId)).filter(
      ({ seq }) => seq !== account,
    );

  target = (jobId: string): Target | null => this.#fact(`target ${jobId}`, () => loadTarget(this.#connection, jobId));

  twins = (account: number, { targetKey, actionType }: Pick<StoredAction, "targetKey" | "actionType">): Twin[] =>
    this.#fact(`twins ${account} ${actionType} ${targetKey}`, async () => {
      const { seq, jobId, state, mayBeOpen } = networkActions;
      return this.#connection
        .select({ seq, jobId, state })
        .from(networkActions)
        .where(
          and(
            eq(networkActions.account, account),
            eq(networkActions.targetKey, targetKey),
            eq(networkActions.actionType, actionType),
            eq(mayBeOpen, true),
          ),
        )
        .orderBy(seq);
    });

  contact = (account: number, profileKey: string): StoredContact | null =>
    this.#fact(`contact ${account} ${profileKey}`, async () => {
      const [contact] = await contactsOf(this.#connection, [account], [profileKey]);
      return contact ?? null;
    });

  hasLead = (id: string): boolean =>
    this.#fact(`lead ${id}`, async () => {
      const rows = await this.#connection.select({ id: leads.id }).from(leads).where(eq(leads.id, id));
      return rows.length > 0;
    });

  hasMessage = (id: string): boolean => this.#messages.get(id);

  hasSent = (sent: SentText): boolean =>
    this.#fact(`sent ${JSON.stringify(sent)}`, () => hasSentText(this.#connection, sent));

  hasReceived = (received: SentText): boolean =>
    this.#fact(`received ${JSON.stringify(received)}`, () => hasReceivedText(this.#connection, received));

  suppression = (workspaceId: WorkspaceId, target: SuppressionTarget): SuppressionMatch | null =>
    this.#fact(suppressionName(workspaceId, target), () =>
      findSuppression(this.#connection, this.#region, workspaceId, target),
    );

  frontier = (account: number, meter: Meter): Frontier =>
    this.#fact(`frontier ${account} ${meter}`, async () => {
      const { frontierAt, freeAt } = networkMeters;
      const ofMeter = and(eq(networkMeters.account, account), eq(networkMeters.meter, meterCode(meter)));
      const [row] = await this.#connection.select({ frontierAt, freeAt }).from(networkMeters).where(ofMeter);
      return row ?? { frontierAt: null, freeAt: null };
    });

  timeline = (account: number): Timeline => this.#timelineOf("whole", account, false);

  usedTimeline = (account: number): Timeline => this.#timelineOf("used", account, true);

  isOriginRunning = (campaignId: string): boolean =>
    this.#fact(`campaign ${campaignId}`, async () => {
      const isRunning = and(eq(campaigns.id, campaignId), eq(campaigns.state, "running"));
      return (await this.#connection.select({ id: campaigns.id }).from(campaigns).where(isRunning)).length > 0;
    });

  #timelineOf(kind: string, account: number, onlyUsed: boolean): Timeline {
    const name = `${kind} ${account}`;
    const known = this.#timelines.get(name);
    if (known !== undefined) return known;
    const timeline = new LoadedTimeline(this.#connection, account, { onlyUsed });
    this.#timelines.set(name, timeline);
    return timeline;
  }

  #fact<T>(name: string, load: () => Promise<T>): T {
    return this.#facts.get(name, load);
  }
}

function suppressionName(workspaceId: WorkspaceId, { profileKey, leadId }: SuppressionTarget): string {
  return `suppression ${workspaceId} ${leadId ?? ""} ${profileKey ?? ""}`;
}

/** The action of a job with the job and its account, all locked. */
export async function loadTarget(connection: Connection, jobId: string): Promise<Target | null> {
  const [found] = await connection
    .select({ account: networkActions.account })
    .from(networkActions)
    .where(eq(networkActions.jobId, jobId));
  if (found === undefined) return null;
  const [record] = await lockAccounts(connection, [found.account]);
  if (record === undefined) return null;
  const [target] = await loadTargets(connection, [jobId], [record]);
  return target ?? null;
}

/** As `loadTarget`, for those who only show it: locks nothing. */
export async function readTarget(connection: Connection, jobId: string): Promise<Target | null> {
  const [found] = await connection
    .select({ row: networkActions, job: jobs, account: networkAccounts })
    .from(networkActions)
    .innerJoin(jobs, eq(jobs.id, networkActions.jobId))
    .innerJoin(networkAccounts, eq(networkAccounts.seq, networkActions.account))
    .where(eq(networkActions.jobId, jobId));
  if (found === undefined) return null;
  return { row: found.row, job: found.job, record: await recordOf(connection, found.account) };
}

/** Actions of these locked accounts, with their jobs locked, in the order of `jobIds`. */
export async function loadTargets(
  connection: Connection,
  jobIds: readonly string[],
  accounts: readonly StoredAccount[],
  { skipLocked = false } = {},
): Promise<Target[]> {
  if (jobIds.length === 0 || accounts.length === 0) return [];
  const locked = await connection
    .select()
    .from(jobs)
    .where(oneOf(jobs.id, jobIds))
    .orderBy(jobs.id)
    .for("update", skipLocked ? { skipLocked: true } : {});
  const byId = new Map(locked.map((job) => [job.id, job]));
  const bySeq = new Map(accounts.map((record) => [record.seq, record]));
  const rows = await connection
    .select()
    .from(networkActions)
    .where(oneOf(networkActions.jobId, [...byId.keys()]));
  const targets = new Map(
    rows.flatMap((row): [string, Target][] => {
      const [job, record] = [byId.get(row.jobId), bySeq.get(row.account)];
      return job === undefined || record === undefined ? [] : [[row.jobId, { row, job, record }]];
    }),
  );
  return jobIds.flatMap((id) => targets.get(id) ?? []);
}

async function contactsOf(
  connection: Connection,
  accounts: readonly number[],
  profileKeys: readonly string[],
): Promise<StoredContact[]> {
  if (accounts.length === 0 || profileKeys.length === 0) return [];
  return connection
    .select()
    .from(networkContacts)
    .where(and(oneOf(networkContacts.account, accounts), oneOf(networkContacts.profileKey, profileKeys)));
}
