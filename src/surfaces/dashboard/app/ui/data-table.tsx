import type { ComponentChildren } from "preact";
import { useEffect, useRef } from "preact/hooks";
import type { RequestError } from "../api.ts";
import { count } from "../format.ts";
import { Button } from "./button.tsx";
import { ErrorState } from "./states.tsx";

export type Column<Row> = {
  id: string;
  /** Empty for a column of buttons. */
  header: string;
  cell: (row: Row) => ComponentChildren;
  /** The field that the server sorts by. */
  sort?: string;
  align?: "right";
  /** Hidden on narrow screens, unless rows are cards there. `small` is the narrowest. */
  hideBelow?: "small" | "medium" | "large";
};

/** Keys of the selected rows. The page keeps them across pages of the table. */
export type Selection = { chosen: ReadonlySet<string>; set: (chosen: ReadonlySet<string>) => void };

export type Paging = {
  /** With a total, shown as "51–100 of 1,234"; otherwise, only the buttons are shown. */
  offset?: number;
  total?: number;
  hasPrevious: boolean;
  hasNext: boolean;
  toPrevious: () => void;
  toNext: () => void;
};

type DataTableProps<Row> = {
  /** Label for screen readers. */
  label: string;
  columns: readonly Column<Row>[];
  rows: readonly Row[] | undefined;
  rowKey: (row: Row) => string;
  /** Name of a row, for the label of its checkbox. */
  rowName?: (row: Row) => string;
  error?: RequestError | null;
  retry?: () => void;
  /** Newer rows are being loaded. The current ones stay until then. */
  isLoading?: boolean;
  /** In the format of the API: "company", or "-createdAt" for descending order. */
  sort?: string;
  onSort?: (sort: string) => void;
  selection?: Selection;
  paging?: Paging;
  /** Shows each row as a card on a narrow screen, with the headers as labels, for tables with many columns. */
  isStacked?: boolean;
  /** Shown if the table has no rows. */
  empty: ComponentChildren;
};

const skeletonRows = 8;

/** A table whose rows, order, and pages come from the server. */
export function DataTable<Row>(props: DataTableProps<Row>) {
  const {
    label,
    columns,
    rows,
    rowKey,
    rowName,
    error,
    retry,
    isLoading = false,
    selection,
    paging,
    empty,
    isStacked = false,
  } = props;
  if (error && rows === undefined) return <ErrorState error={error} {...(retry && { retry })} />;
  if (rows?.length === 0 && !isLoading)
    // Entries may end exactly where a page does, or be gone since: the way back must stay.
    return paging?.hasPrevious === true ? (
      <>
        {paging.total === 0 ? empty : <p class="faint past-end">No more entries.</p>}
        <Pager paging={paging} shown={0} />
      </>
    ) : (
      <>{empty}</>
    );
  return (
    <>
      {error && <ErrorState error={error} {...(retry && { retry })} />}
      <div class="table-frame" tabIndex={0} role="region" aria-label={label}>
        <table class={`table ${isStacked ? "stacked" : ""} ${selection ? "selectable" : ""}`} aria-busy={isLoading}>
          <thead>
            <tr>
              {selection && <HeadBox rows={rows ?? []} rowKey={rowKey} selection={selection} />}
              {columns.map((column) => (
                <HeadCell key={column.id} column={column} {...props} />
              ))}
            </tr>
          </thead>
          <tbody>
            {rows === undefined
              ? Array.from({ length: skeletonRows }, (_, index) => (
                  <SkeletonRow key={index} columns={columns} hasBox={selection !== undefined} />
                ))
              : rows.map((row) => {
                  const key = rowKey(row);
                  return (
                    <tr key={key} class={selection?.chosen.has(key) ? "chosen" : ""}>
                      {selection && (
                        <td class="box">
                          <input
                            type="checkbox"
                            aria-label={`Select ${rowName?.(row) ?? key}`}
                            checked={selection.chosen.has(key)}
                            onChange={(event) => choose(selection, [key], event.currentTarget.checked)}
                          />
                        </td>
                      )}
                      {columns.map((column, index) => (
                        <td
                          key={column.id}
                          class={cellClass(column)}
                          {...(index > 0 && column.header !== "" && { "data-label": column.header })}
                        >
                          {column.cell(row)}
                        </td>
                      ))}
                    </tr>
                  );
                })}
          </tbody>
        </table>
      </div>
      {paging && <Pager paging={paging} shown={rows?.length ?? 0} />}
    </>
  );
}

function HeadCell<Row>({ column, sort = "", onSort }: { column: Column<Row> } & DataTableProps<Row>) {
  const { sort: field, header } = column;
  if (field === undefined || onSort === undefined)
    return (
      <th scope="col" class={cellClass(column)}>
        {header === "" ? <span class="visually-hidden">Actions</span> : header}
      </th>
    );
  const isSorted = sort === field || sort === `-${field}`;
  const isDescending = sort === `-${field}`;
  return (
    <th
      scope="col"
      class={cellClass(column)}
      aria-sort={isSorted ? (isDescending ? "descending" : "ascending") : "none"}
    >
      <button type="button" class="sort" onClick={() => onSort(isSorted && !isDescending ? `-${field}` : field)}>
        {header}
        <span class={`sort-mark ${isSorted ? (isDescending ? "down" : "up") : ""}`} aria-hidden="true" />
      </button>
    </th>
  );
}

/** Selects all rows of the page. Indeterminate if some are selected. */
function HeadBox<Row>({
  rows,
  rowKey,
  selection,
}: {
  rows: readonly Row[];
  rowKey: (row: Row) => string;
  selection: Selection;
}) {
  const box = useRef<HTMLInputElement>(null);
  const keys = rows.map(rowKey);
  const chosen = keys.filter((key) => selection.chosen.has(key)).length;
  useEffect(() => {
    if (box.current !== null) box.current.indeterminate = chosen > 0 && chosen < keys.length;
  });
  return (
    <th scope="col" class="box">
      <label>
        <input
          ref={box}
          type="checkbox"
          checked={keys.length > 0 && chosen === keys.length}
          onChange={(event) => choose(selection, keys, event.currentTarget.checked)}
        />
        <span class="visually-hidden">Select all on this page</span>
      </label>
    </th>
  );
}

function choose({ chosen, set }: Selection, keys: readonly string[], isChosen: boolean): void {
  const next = new Set(chosen);
  for (const key of keys)
    if (isChosen) next.add(key);
    else next.delete(key);
  set(next);
}

function SkeletonRow<Row>({ columns, hasBox }: { columns: readonly Column<Row>[]; hasBox: boolean }) {
  return (
    <tr class="skeleton-row" aria-hidden="true">
      {hasBox && <td class="box" />}
      {columns.map((column) => (
        <td key={column.id} class={cellClass(column)}>
          <span />
        </td>
      ))}
    </tr>
  );
}

function Pager({ paging, shown }: { paging: Paging; shown: number }) {
  const { offset, total, hasPrevious, hasNext, toPrevious, toNext } = paging;
  if (!hasPrevious && !hasNext && total === undefined) return null;
  return (
    <nav class="pager" aria-label="Pagination">
      {offset !== undefined && total !== undefined && (
        <p class="number">
          {shown === 0 ? 0 : count(offset + 1)}–{count(offset + shown)} of {count(total)}
        </p>
      )}
      <Button icon="left" disabled={!hasPrevious} aria-label="Previous page" onClick={toPrevious} />
      <Button icon="right" disabled={!hasNext} aria-label="Next page" onClick={toNext} />
    </nav>
  );
}

function cellClass<Row>({ align, hideBelow }: Column<Row>): string {
  return [align === "right" && "right number", hideBelow && `hide-${hideBelow}`].filter(Boolean).join(" ");
}
