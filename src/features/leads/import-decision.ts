import type { Job, JobMetadata } from "../../platform/jobs/model.ts";
import { isHeld, type JobChange } from "../../platform/jobs/transitions.ts";
import type { SuppressionMatch } from "../suppression/model.ts";
import { doNotContactText, suppressedField } from "../suppression/refusal.ts";
import type { BatchOutcome, ImportBatch, ImportCounts, ImportReportRow, ImportRowError } from "./change-model.ts";
import type { Decision } from "../../platform/base/decision.ts";
import { findSame, keysOf, nextVersion, targetOf, type LeadFacts, type StoredLead } from "./decisions.ts";
import { leadIdentity } from "./identity.ts";
import { identityKeysOfRow, isLead, keysOfRow, unpackedRow, type ImportRow } from "./import/packed-rows.ts";
import { mergedContent } from "./merge.ts";
import type { ImportOutcome, Lead, LeadContent, LeadIdentity } from "./model.ts";

/** The texts that identify a person. */
export type PersonTexts = Pick<LeadContent, "email" | "networkUrl" | "firstName" | "lastName" | "company">;

/**
 * A person as a dry run would have stored it. `lead` and `leadId`: the stored lead that it would have changed; null: it
 * would have been a new one.
 */
export type DryRunNote = { n: number; lead: number | null; leadId: string | null; texts: PersonTexts };

export type ImportFacts = LeadFacts & {
  job: Job | null;
  /** False only if the user certainly has no lead with this key. */
  mayHave(key: number): boolean;
  /** False if no entry of the do-not-contact list applies to the user. */
  hasSuppressions: boolean;
  /** What earlier batches of a dry run noted. */
  notes: {
    /** The largest number of a note; 0: none. */
    last: number;
    withKey(key: number): readonly DryRunNote[];
    ofLead(lead: number): DryRunNote | null;
  };
};

export type ImportChange =
  /** The rows from one index up to, but not including, another become leads. */
  | { kind: "create"; from: number; to: number }
  /** A negative number in `before` is that of a lead created above: -1 is the first. */
  | { kind: "replace"; before: StoredLead; lead: Lead; identity: LeadIdentity }
  | { kind: "report"; row: ReportedRow }
  /** `n` null: the note of a stored lead, which gets the next number unless there is one. */
  | { kind: "note"; note: Omit<DryRunNote, "n"> & { n: number | null }; keys: readonly number[] }
  | { kind: "job"; job: Job; change: JobChange };

/** Rows that became new leads are not reported one by one. */
export type ReportedRow = ImportReportRow & { outcome: ImportOutcome };

/**
 * Decides each row of a batch, given the rows before it. A dry run makes the same decisions, but only notes the people it
 * would have created or changed. Null: the attempt no longer holds the job.
 */
export function decideImport(batch: ImportBatch, facts: ImportFacts): Decision<BatchOutcome, ImportChange> {
  const { job } = facts;
  if (job?.workspaceId !== batch.workspaceId || !isHeld(job, batch)) return { outcome: null, changes: [] };
  // Each is asked for, so that all of them are loaded together.
  const assignees = batch.dryRun ? [] : (batch.assignees ?? []);
  if (assignees.filter((userId) => !facts.isActiveMember(userId)).length > 0)
    return { outcome: "memberLeft", changes: [] };
  const run = new ImportRun(batch, facts);
  const counts = countsOf(job.metadata);
  const reports: ImportChange[] = [];
  for (const [index, row] of batch.rows.numbers.entries()) {
    const settled = run.settle(index);
    counts.rows++;
    if (settled === null) {
      counts.created++;
      continue;
    }
    counts[settled.outcome]++;
    if (settled.errors[0]?.code === "DO_NOT_CONTACT") counts.doNotContact = (counts.doNotContact ?? 0) + 1;
    reports.push({ kind: "report", row: { row, ...settled } });
  }
  const written = batch.dryRun ? run.notes() : run.leads();
  return {
    outcome: counts,
    changes: [...written, ...reports, { kind: "job", job, change: progress(batch, job, counts) }],
  };
}

type Settled = { outcome: ImportOutcome; leadId: string | null; errors: ImportRowError[] };
/** A lead that the batch has changed: as it is stored, and as it is now. */
type Changed = { before: StoredLead; current: StoredLead; identity: LeadIdentity };

/** The leads as the rows settled so far have left them. Created ones have negative numbers. */
class ImportRun {
  readonly #batch: ImportBatch;
  readonly #facts: ImportFacts;
  /** Indexes of the rows that become leads, in order. */
  readonly #created: number[] = [];
  readonly #changed = new Map<number, Changed>();
  /** Numbers of leads that this batch has created, or to which it has added a key. A list only if there are several. */
  readonly #byKey = new Map<number, number | number[]>();
  /** In a dry run, numbers continue after those of its earlier batches. */
  readonly #lastNumber: number;

  constructor(batch: ImportBatch, facts: ImportFacts) {
    this.#batch = batch;
    this.#facts = facts;
    this.#lastNumber = batch.dryRun ? -facts.notes.last : 0;
  }

  /** Null: the row becomes a lead. */
  settle(index: number): Settled | null {
    const { rows, onDuplicate, dryRun } = this.#batch;
    const isNew = onDuplicate === "create" || (!dryRun && !this.#mayBeKnown(index));
    // Nearly every row of nearly every import: only its keys are read.
    if (isNew && isLead(rows, index) && !this.#facts.hasSuppressions) return this.#create(index);
    const row = unpackedRow(rows, index);
    if ("errors" in row) return { outcome: "failed", leadId: null, errors: row.errors };
    const { content, identity } = row;
    const match = this.#facts.suppression(targetOf({ lead: content, identity }));
    if (match !== null) return { outcome: "skipped", leadId: null, errors: [suppressed(match)] };
    const { owner } = this.#facts;
    const same = isNew ? null : findSame({ owner, candidates: (key) => this.#candidates(key) }, identity);
    if (same === null) return this.#create(index);
    if (onDuplicate === "update") this.#merge(same, content);
    const isOfDryRun = dryRun && same.seq < 0;
    const leadId = isOfDryRun ? null : same.lead.id;
    return { outcome: onDuplicate === "update" ? "updated" : "skipped", leadId, errors: [] };
  }

  /** For real. */
  leads(): ImportChange[] {
    const changed = [...this.#changed.values()];
    const merges = changed.map(({ before, current: { lead }, identity }) => ({ before, lead, identity }));
    return [...rangesOf(this.#created), ...merges.map((merge) => ({ kind: "replace", ...merge }) as const)];
  }

  /** For a dry run. */
  notes(): ImportChange[] {
    if (this.#batch.onDuplicate === "create") return []; // nothing is compared with them
    const { owner } = this.#facts;
    const created = this.#created.map((_index, place) => this.#current(this.#createdLead(this.#numberOf(place))));
    const changed = [...this.#changed.values()].map(({ current }) => current);
    const earlier = changed.filter(({ seq }) => seq >= this.#lastNumber);
    return [...created, ...earlier].map(({ seq, lead }) => {
      const ofLead = seq > 0 ? { n: null, lead: seq, leadId: lead.id } : { n: -seq, lead: null, leadId: null };
      return { kind: "note", note: { ...ofLead, texts: textsOf(lead) }, keys: keysOf(owner, leadIdentity(lead)) };
    });
  }

  #create(index: number): null {
    const number = this.#numberOf(this.#created.push(index) - 1);
    if (this.#batch.onDuplicate === "create") return null;
    const { keys } = this.#batch.rows;
    const first = index * keysOfRow;
    for (let at = first; at < first + identityKeysOfRow; at++)
      if (!Number.isNaN(keys[at])) this.#addKey(keys[at]!, number);
    return null;
  }

  #merge(same: StoredLead, incoming: LeadContent): void {
    const content = mergedContent(same.lead, incoming);
    const identity = leadIdentity(content);
    const before = this.#changed.get(same.seq)?.before ?? same;
    const lead = nextVersion(same.lead, content, this.#batch.at);
    this.#changed.set(same.seq, { before, current: { seq: same.seq, lead }, identity });
    const { owner } = this.#facts;
    const known = new Set(keysOf(owner, leadIdentity(same.lead)));
    for (const key of keysOf(owner, identity)) if (!known.has(key)) this.#addKey(key, same.seq);
  }

  #addKey(key: number, number: number): void {
    const known = this.#byKey.get(key);
    if (known === undefined) this.#byKey.set(key, number);
    else if (typeof known === "number") this.#byKey.set(key, [known, number]);
    else known.push(number);
  }

  #mayBeKnown(index: number): boolean {
    const { keys } = this.#batch.rows;
    const first = index * keysOfRow;
    for (let at = first; at < first + identityKeysOfRow; at++) {
      const key = keys[at]!;
      if (!Number.isNaN(key) && (this.#byKey.has(key) || this.#facts.mayHave(key))) return true;
    }
    return false;
  }

  *#candidates(key: number): Generator<StoredLead, void, void> {
    const ofBatch = [this.#byKey.get(key) ?? []]
      .flat()
      .map((seq) => this.#changed.get(seq)?.current ?? this.#createdLead(seq));
    for (const stored of byAge(this.#stored(key), ofBatch)) yield this.#current(stored);
  }

  #stored(key: number): Iterable<StoredLead> {
    const { candidates, notes } = this.#facts;
    if (!this.#batch.dryRun) return candidates(key);
    return byAge(
      this.#withNotes(candidates(key)),
      notes.withKey(key).map((note) => this.#noted(note)),
    );
  }

  *#withNotes(leads: Iterable<StoredLead>): Generator<StoredLead, void, void> {
    for (const stored of leads) {
      const note = this.#facts.notes.ofLead(stored.seq);
      yield note === null ? stored : this.#noted(note);
    }
  }

  #noted({ n, lead, leadId, texts }: DryRunNote): StoredLead {
    return { seq: lead ?? -n, lead: this.#newLead(leadId ?? "", { ...noContent, ...texts }) };
  }

  #createdLead(number: number): StoredLead {
    const index = this.#created[this.#lastNumber - number - 1]!;
    const { id, content } = unpackedRow(this.#batch.rows, index) as Extract<ImportRow, { id: string }>;
    return { seq: number, lead: this.#newLead(id, content) };
  }

  /** As the rows before have left it. */
  #current(stored: StoredLead): StoredLead {
    return this.#changed.get(stored.seq)?.current ?? stored;
  }

  #newLead(id: string, content: LeadContent): Lead {
    const { workspaceId, at } = this.#batch;
    return { id, workspaceId, ...content, version: 1, createdAt: at, updatedAt: at };
  }

  #numberOf(place: number): number {
    return this.#lastNumber - place - 1;
  }
}

/** Both lists as one, each lead once. The first is in order already, and read only as far as necessary. */
function* byAge(ordered: Iterable<StoredLead>, others: readonly StoredLead[]): Generator<StoredLead, void, void> {
  const waiting = others.toSorted(compareAge);
  for (const stored of ordered) {
    while (waiting.length > 0 && compareAge(waiting[0]!, stored) < 0) yield waiting.shift()!;
    if (waiting[0]?.seq === stored.seq) waiting.shift();
    yield stored;
  }
  yield* waiting;
}

/** Stored leads come before created ones, whose numbers count down. */
function compareAge({ seq: one }: StoredLead, { seq: other }: StoredLead): number {
  if (one > 0 !== other > 0) return one > 0 ? -1 : 1;
  return one > 0 ? one - other : other - one;
}

/** Rows that follow each other share one change. */
function rangesOf(indexes: readonly number[]): ImportChange[] {
  const ranges: { kind: "create"; from: number; to: number }[] = [];
  for (const index of indexes) {
    const last = ranges.at(-1);
    if (last?.to === index) last.to++;
    else ranges.push({ kind: "create", from: index, to: index + 1 });
  }
  return ranges;
}

const noTexts = { email: null, networkUrl: null, firstName: null, lastName: null, company: null };
const noContent: LeadContent = {
  ...{ ...noTexts, title: null, phone: null, industry: null, location: null, source: null, notes: null },
  ...{ status: "new", tags: [], customFields: {}, assignedTo: null },
};

function textsOf({ email, networkUrl, firstName, lastName, company }: PersonTexts): PersonTexts {
  return { email, networkUrl, firstName, lastName, company };
}

function suppressed(match: SuppressionMatch): ImportRowError {
  return { path: suppressedField[match.kind], message: doNotContactText(match), code: "DO_NOT_CONTACT" };
}

function progress(batch: ImportBatch, job: Job, counts: ImportCounts): JobChange {
  return {
    metadata: { ...job.metadata, ...counts, lastRow: batch.lastRow },
    progress: batch.progress,
    message: `${counts.rows} rows read`,
    leaseUntil: batch.leaseUntil,
    updatedAt: batch.at,
  };
}

function countsOf(metadata: JobMetadata): ImportCounts {
  const count = (name: keyof ImportCounts) => (typeof metadata[name] === "number" ? metadata[name] : 0);
  return {
    rows: count("rows"),
    created: count("created"),
    updated: count("updated"),
    skipped: count("skipped"),
    failed: count("failed"),
    ...(typeof metadata.doNotContact === "number" && { doNotContact: metadata.doNotContact }),
  };
}
