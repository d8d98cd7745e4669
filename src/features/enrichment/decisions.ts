import type { Decision } from "../../platform/base/decision.ts";
import type { Job } from "../../platform/jobs/model.ts";
import { isHeld, type JobChange } from "../../platform/jobs/transitions.ts";
import { decideSettle, type CreditChange, type CreditFacts } from "../credits/decisions.ts";
import type { LeadIdentity } from "../leads/model.ts";
import { samePerson } from "../leads/same-person.ts";
import type { SuppressionTarget } from "../suppression/model.ts";
import type {
  FinishedBatch,
  ItemOutcome,
  NewResult,
  Paid,
  Payment,
  StoredBatch,
  StoredResult,
} from "./change-model.ts";
import type { Verdict } from "./model.ts";
import { paidIdentity } from "./paid-identity.ts";
import type { WorkspaceId } from "../../platform/base/ids.ts";

/** `n`: number of the result in the store; newer results have higher ones. */
export type KnownResult = StoredResult & { n: number };

/** What decisions may ask of the store about one user: synchronous and read-only. */
export type EnrichmentFacts = {
  /** Number of the user, which is part of the keys; null if the user has been deleted. */
  owner: number | null;
  /** Results since `since` that may have this key, newest first: the decision compares them. */
  results(key: number, since: number): readonly KnownResult[];
  isSuppressed(target: SuppressionTarget): boolean;
  credits: CreditFacts;
};

export type EnrichmentChange =
  /** Replace the verdicts from before `since` on the same addresses, or all of them if it is null. */
  | { kind: "verdicts"; verdicts: readonly Verdict[]; since: number | null }
  /** `n`: the stored result that is completed; null for a new one. It is found by every identity in `people`. */
  | { kind: "result"; n: number | null; result: StoredResult; people: readonly LeadIdentity[] }
  | { kind: "outcome"; jobId: string; n: number; outcome: ItemOutcome }
  | { kind: "job"; job: Job; change: JobChange }
  | CreditChange;

/** A result as the decision leaves it. */
type Draft = Omit<EnrichmentChange & { kind: "result" }, "kind">;

/** The newest result for a person since `since`. */
export function findResult(
  person: LeadIdentity,
  since: number,
  { owner, results }: Pick<EnrichmentFacts, "owner" | "results">,
): KnownResult | null {
  if (owner === null) return null;
  const candidates = (key: number) =>
    results(key, since).map((known) => ({ known, identity: paidIdentity(known.identity, known.merged) }));
  return samePerson(owner, person, candidates)?.known ?? null;
}

/**
 * Finishes a batch of the job: stores its results, charges for them, and records the cost of each lead. A lead that was
 * paid for may have stayed pending until the rest of it was known, and another request may have paid for it meanwhile.
 * Null if the claim is void.
 */
export function decideBatch(
  workspaceId: WorkspaceId,
  batch: FinishedBatch,
  job: Job | null,
  facts: EnrichmentFacts,
): Decision<StoredBatch | null, EnrichmentChange> {
  const { claim, payment, metadata, message, progress, leaseUntil, completes, at } = batch;
  if (job === null || !isHeld(job, claim)) return { outcome: null, changes: [] };
  const { outcome: paid, changes } = decidePayment(payment, facts);
  const before = job.metadata["creditsUsed"];
  const charged = paid.settled?.kind === "settled" ? paid.settled.charged : 0;
  const creditsUsed = (typeof before === "number" ? before : 0) + charged;
  const costOf = costs(workspaceId, claim.id, changes, facts.credits);
  const outcomes = batch.outcomes.map(({ n, outcome }) => ({ n, outcome: withCost(outcome, costOf(`${n}`)) }));
  const end = { status: "completed", leaseUntil: null, completedAt: at } as const;
  const change: JobChange = {
    metadata: { ...job.metadata, ...metadata, creditsUsed },
    message,
    progress,
    updatedAt: at,
    ...(completes ? end : { leaseUntil }),
  };
  return {
    outcome: { creditsUsed, outcomes: outcomes.map(({ outcome }) => outcome), paid },
    changes: [
      ...changes,
      ...outcomes.map((each) => ({ kind: "outcome", jobId: claim.id, ...each }) as const),
      { kind: "job", job, change },
    ],
  };
}

/**
 * Stores what is new and charges for it. A person who objected or was erased while providers were queried is not stored;
 * the query is charged nevertheless, because the provider charged for it.
 */
export function decidePayment(payment: Payment, facts: EnrichmentFacts): Decision<Paid, EnrichmentChange> {
  const { verdicts = [], settlement, freeSince } = payment;
  const allowed = verdicts.filter(({ email }) => !facts.isSuppressed({ email, profileKey: null }));
  const { drafts, free } = newResults(payment.results, freeSince, facts);
  const changes: EnrichmentChange[] = [];
  if (facts.owner !== null) {
    if (allowed.length > 0) changes.push({ kind: "verdicts", verdicts: allowed, since: freeSince });
    changes.push(...drafts.map((draft) => ({ kind: "result", ...draft }) as const));
  }
  if (settlement === null) return { outcome: { settled: null, free }, changes };
  const items = settlement.items.filter(({ item }) => !free.includes(item));
  const settled = decideSettle({ ...settlement, items }, facts.credits);
  return { outcome: { settled: settled.outcome, free }, changes: [...changes, ...settled.changes] };
}

/** `free`: items of people for whom another request has already paid. */
function newResults(
  found: readonly NewResult[],
  freeSince: number | null,
  facts: EnrichmentFacts,
): { drafts: readonly Draft[]; free: string[] } {
  const drafts: Draft[] = [];
  const free: string[] = [];
  for (const { item, ...result } of facts.owner === null ? [] : found) {
    const { email, network } = result.identity;
    if (facts.isSuppressed({ email, profileKey: network })) continue;
    const existing = freeSince === null ? null : findDraft(result.identity, freeSince, drafts, facts);
    if (existing === null) drafts.push(newDraft(result));
    else if (item === null) complete(existing, result, drafts);
    else free.push(item);
  }
  return { drafts, free };
}

/** As `findResult`, with the results of this payment as if they were stored. */
function findDraft(
  person: LeadIdentity,
  since: number,
  drafts: readonly Draft[],
  { owner, results }: EnrichmentFacts,
): Draft | null {
  const added = drafts.filter(({ n, result }) => n === null && result.at >= since).reverse();
  const completed = drafts.filter(({ n }) => n !== null);
  const isCompleted = ({ n }: KnownResult) => completed.some((draft) => draft.n === n);
  const candidates = (key: number): Draft[] => {
    const stored = results(key, since).filter((known) => !isCompleted(known));
    const known = [...completed, ...stored.map(({ n, ...result }) => ({ n, result, people: [] }))];
    return [...added, ...known.toSorted((a, b) => b.n! - a.n!)];
  };
  const withIdentity = (draft: Draft) => ({
    draft,
    identity: paidIdentity(draft.result.identity, draft.result.merged),
  });
  return samePerson(owner!, person, (key) => candidates(key).map(withIdentity))?.draft ?? null;
}

function newDraft(result: StoredResult): Draft {
  return { n: null, result, people: [paidIdentity(result.identity, result.merged)] };
}

/** The new findings replace those of before; the person and the time of the payment stay. */
function complete(existing: Draft, { asked, merged }: StoredResult, drafts: Draft[]): void {
  const { identity, at } = existing.result;
  const people = [...existing.people, paidIdentity(identity, merged)];
  const draft = { n: existing.n, result: { identity, asked, merged, at }, people };
  const index = drafts.indexOf(existing);
  if (index === -1) drafts.push(draft);
  else drafts[index] = draft;
}

/** What each item of a request has cost, including what is charged now. */
function costs(workspaceId: WorkspaceId, request: string, changes: readonly EnrichmentChange[], credits: CreditFacts) {
  const charged = new Map<string, number>();
  for (const change of changes)
    if (change.kind === "entry" && change.entry.kind === "settle" && change.entry.request === request)
      charged.set(change.entry.item ?? "", -change.entry.amount);
  return (item: string): number => charged.get(item) ?? -(credits.settled(workspaceId, request, item)?.amount ?? 0);
}

function withCost(outcome: ItemOutcome, creditsUsed: number): ItemOutcome {
  return outcome.kind === "failed" ? outcome : { ...outcome, result: { ...outcome.result, creditsUsed } };
}
