import { StartError } from "../../../platform/base/start-error.ts";
import type { CopiedTable } from "./copied-table.ts";
import { copiedTables } from "./copied-tables.ts";
import type { CopySource, CopyTarget, Rows } from "./sides.ts";
import { RowHasher, sumOf, type TableSum } from "./table-sum.ts";

export type CopiedSum = TableSum & { table: string };

/** What is being done: `rows` of `total`, which is an estimate. */
export type CopyStep = { phase: "copy" | "build" | "verify"; what: string; rows: number; total: number };

/**
 * Copies the rows of all tables, or those that an earlier attempt did not. Then reads both databases again and compares
 * them. Throws `StartError` if they differ.
 */
export async function copyRows(
  source: CopySource,
  target: CopyTarget,
  onStep: (step: CopyStep) => Promise<void>,
): Promise<CopiedSum[]> {
  const total = await source.estimate();
  const sums = new Map<string, TableSum>();
  let rows = 0;
  for (const table of copiedTables) {
    const { after, rows: before, isComplete } = await target.loaded(table);
    rows += before;
    if (isComplete) continue;
    const hasher = after === null ? new RowHasher() : null;
    const onRows = (count: number) => onStep({ phase: "copy", what: table.name, rows: (rows += count), total });
    await target.load(table, observed(source.rows(table, after), hasher, onRows));
    if (hasher !== null) sums.set(table.name, hasher.result());
  }
  await target.build((what) => onStep({ phase: "build", what, rows, total }));
  return await verify(source, target, sums, onStep, rows);
}

async function* observed(
  rows: AsyncIterable<Rows>,
  hasher: RowHasher | null,
  onRows: (count: number) => Promise<void>,
): AsyncGenerator<Rows, void, void> {
  for await (const some of rows) {
    hasher?.add(some.lines);
    yield some;
    await onRows(some.count);
  }
}

/** `known`: sums of tables that were read as a whole. */
async function verify(
  source: CopySource,
  target: CopyTarget,
  known: ReadonlyMap<string, TableSum>,
  onStep: (step: CopyStep) => Promise<void>,
  total: number,
): Promise<CopiedSum[]> {
  const copied: CopiedSum[] = [];
  let rows = 0;
  for (const table of copiedTables) {
    const onRows = (count: number) => onStep({ phase: "verify", what: table.name, rows: (rows += count), total });
    const stored = await sumOf(target.rows(table), onRows);
    const expected = known.get(table.name) ?? (await sumOf(source.rows(table, null), async () => {}));
    if (stored.rows !== expected.rows || stored.checksum !== expected.checksum)
      throw different(table, source, target, expected, stored);
    copied.push({ table: table.name, ...stored });
  }
  return copied;
}

function different(
  { name }: CopiedTable,
  source: CopySource,
  target: CopyTarget,
  expected: TableSum,
  stored: TableSum,
): StartError {
  const sum = ({ rows, checksum }: TableSum) => `${rows} rows with the checksum ${checksum}`;
  return new StartError(
    `The table ${name} differs: ${source.shown} has ${sum(expected)}, ${target.shown} has ${sum(stored)}.`,
    { hint: "If a server has used the source since the copy was started, start over with --replace." },
  );
}
