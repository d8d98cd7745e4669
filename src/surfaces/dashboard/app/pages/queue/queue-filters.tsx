import type { AccountView } from "../../../../../features/network/account-model.ts";
import { actionLabels, type ActionType } from "../../network.ts";
import { here, setQuery } from "../../router.tsx";
import { Button } from "../../ui/button.tsx";

export type QueueView = "list" | "calendar";
export type QueueFilter = { accountId: string | null; actionType: ActionType | null };

/** The filter in the URL. */
export function filterInUrl(): QueueFilter {
  const type = here.value.query.get("type");
  return {
    accountId: here.value.query.get("account"),
    actionType: type !== null && type in actionLabels ? (type as ActionType) : null,
  };
}

type QueueFiltersProps = { view: QueueView; filter: QueueFilter; accounts: readonly AccountView[] };

/** Filters by account and type, and the choice between list and calendar. */
export function QueueFilters({ view, filter, accounts }: QueueFiltersProps) {
  const isFiltered = filter.accountId !== null || filter.actionType !== null;
  return (
    <search class="filters queue-filters">
      {accounts.length > 1 && (
        <label class="filter">
          <span class="visually-hidden">Account</span>
          <select value={filter.accountId ?? ""} onChange={(event) => setQuery({ account: event.currentTarget.value })}>
            <option value="">Any account</option>
            {accounts.map(({ id, name }) => (
              <option key={id} value={id}>
                {name}
              </option>
            ))}
          </select>
        </label>
      )}
      {view === "list" && (
        <label class="filter">
          <span class="visually-hidden">Action</span>
          <select value={filter.actionType ?? ""} onChange={(event) => setQuery({ type: event.currentTarget.value })}>
            <option value="">Any action</option>
            {Object.entries(actionLabels).map(([type, { label }]) => (
              <option key={type} value={type}>
                {label}
              </option>
            ))}
          </select>
        </label>
      )}
      {/* Always there, so that nothing moves when a filter is set. */}
      <Button
        kind="quiet"
        class={isFiltered ? "" : "invisible"}
        disabled={!isFiltered}
        onClick={() => setQuery({ account: null, type: null })}
      >
        Clear
      </Button>
      <div class="view-choice" role="group" aria-label="View">
        {(["list", "calendar"] as const).map((one) => (
          <Button key={one} aria-pressed={view === one} onClick={() => setQuery({ view: one === "list" ? null : one })}>
            {one === "list" ? "List" : "Calendar"}
          </Button>
        ))}
      </div>
    </search>
  );
}
