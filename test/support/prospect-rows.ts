import { expect } from "bun:test";
import { prospectContent, type ProspectDraft } from "../../src/features/prospecting/content.ts";
import { termQuery } from "../../src/features/prospecting/facets/query.ts";
import { eachRaw } from "../../src/features/prospecting/facets/terms.ts";
import { besideNameOf, prospectKeys } from "../../src/features/prospecting/keys.ts";
import type { CompanyContent, Prospect, ProspectContent, SearchFilters } from "../../src/features/prospecting/model.ts";
import type {
  BatchTerms,
  NewProspect,
  ProspectBatch,
  ProspectImportCounts,
  ProspectRow,
} from "../../src/features/prospecting/directory-model.ts";
import type { Storage } from "../../src/adapters/storage/storage.ts";
import { startOfTests } from "./clock.ts";
import { createFactories } from "./factories.ts";

export const nothing = termQuery({});

export const nobody = { email: null, networkUrl: null };

export function made(draft: ProspectDraft): NewProspect {
  const checked = prospectContent(draft);
  if ("errors" in checked) throw new Error(JSON.stringify(checked.errors));
  return checked;
}

export function personRow(row: number, draft: ProspectDraft): ProspectRow {
  const { content, identity } = made(draft);
  return { row, kind: "person", content: utf8(content), keys: prospectKeys(identity), beside: besideNameOf(identity) };
}

export function companyRow(row: number, content: CompanyContent): ProspectRow {
  return { row, kind: "company", content: utf8(content), keys: [], beside: 0 };
}

export function utf8(content: object): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(content));
}

export async function all(storage: Storage, workspaceId: string, filters: SearchFilters = {}): Promise<Prospect[]> {
  const found: Prospect[] = [];
  for (;;) {
    const page = await storage.prospects.search({
      workspaceId,
      query: termQuery(filters),
      offset: found.length,
      limit: 100,
    });
    found.push(...page.prospects);
    if (page.prospects.length === 0) {
      expect(page.total).toBe(found.length);
      return found;
    }
  }
}

/** What a reader of files would tell of the rows, but of every third nothing of its content. */
export function told(rows: ProspectRow[]): BatchTerms {
  const [keys, keyCounts, raws, rawCounts]: number[][] = [[], [], [], []];
  const added: string[] = [];
  for (const row of rows) {
    const content =
      "content" in row && row.kind === "person"
        ? (JSON.parse(new TextDecoder().decode(row.content)) as ProspectContent)
        : null;
    const before = raws!.length;
    if (content !== null && row.row % 3 !== 0)
      eachRaw(content, (facet, raw) => {
        if (!added.includes(`${facet} ${raw}`)) added.push(`${facet} ${raw}`);
        raws!.push(added.indexOf(`${facet} ${raw}`));
      });
    rawCounts!.push(raws!.length - before);
    if ("keys" in row) keys!.push(...row.keys);
    keyCounts!.push("keys" in row ? row.keys.length : 0);
  }
  return {
    keys: Float64Array.from(keys!),
    keyCounts: Uint8Array.from(keyCounts!),
    beside: Uint8Array.from(rows, (row) => ("beside" in row ? row.beside : 0)),
    raws: Int32Array.from(raws!),
    rawCounts: Uint8Array.from(rawCounts!),
    ...{ epoch: 0, from: 0, added },
  };
}

/** Stores a batch as an import would, under a claim of its own. */
export async function imported(
  storage: Storage,
  workspaceId: string,
  rows: ProspectRow[],
  more: Partial<ProspectBatch> = {},
): Promise<ProspectImportCounts | null> {
  const factories = createFactories(rows.length + workspaceId.length + (rows[0]?.row ?? 0));
  await factories.storedJob(storage, workspaceId, { type: "prospect_import", id: crypto.randomUUID() });
  const [job] = await storage.jobs.claim({
    type: "prospect_import",
    limit: 1,
    now: startOfTests,
    leaseUntil: startOfTests + 60_000,
  });
  const batch = {
    workspaceId,
    jobId: job!.id,
    attempt: job!.attempt,
    rows,
    found: told(rows),
    onDuplicate: "update" as const,
    dryRun: false,
    lastRow: rows.at(-1)?.row ?? 0,
    progress: 50,
    leaseUntil: startOfTests + 60_000,
    at: startOfTests,
    ...more,
  };
  const counts = await storage.prospects.importBatch(batch, await storage.prospects.lookUp(batch));
  await storage.jobs.end(
    { id: job!.id, attempt: job!.attempt },
    { kind: "completed", message: "", metadata: {}, at: startOfTests },
  );
  return counts;
}
