import { useState } from "preact/hooks";
import type { DuplicateReason } from "../../../../../features/leads/duplicate-model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { api } from "../../api.ts";
import { useCursorPages } from "../../cursor-pages.ts";
import { counted } from "../../format.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { PageFrame } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { listPlace } from "./list-place.ts";

type Group = { reason: DuplicateReason; leads: LeadView[] };
type Groups = { groups: Group[]; total: number; nextCursor: string | null };

const reasons: Record<DuplicateReason, string> = {
  email: "Same email address",
  profile: "Same profile",
  name: "Same name and company",
};

/** Leads that may be the same person, in groups. The oldest one of a group is kept unless another one is chosen. */
export function DuplicatesPage() {
  const { cursor, paging } = useCursorPages("duplicates", []);
  const resource = useResource(
    (signal) => api.get<Groups>("/leads/duplicates", { query: { cursor }, signal }),
    [cursor],
    { events: ["lead."] },
  );
  const { hasPrevious, hasNext, toPrevious, toNext } = paging(resource.data?.nextCursor);
  const total = resource.data?.total;
  return (
    <PageFrame
      title="Duplicates"
      back={{ ...listPlace(), label: "Leads" }}
      {...(total !== undefined && total > 0 && { lead: counted(total, "group") })}
    >
      <Loaded resource={resource} lines={6}>
        {({ groups }) =>
          groups.length === 0 ? (
            <EmptyState icon="leads" title="No duplicates">
              <p>No two leads have the same email address, profile, or name and company.</p>
            </EmptyState>
          ) : (
            <div class="duplicate-groups">
              {groups.map((group) => (
                <DuplicateGroup
                  key={`${group.reason} ${group.leads.map(({ id }) => id).join()}`}
                  group={group}
                  onMerged={resource.reload}
                />
              ))}
            </div>
          )
        }
      </Loaded>
      {(hasPrevious || hasNext) && (
        <nav class="pager" aria-label="Pagination">
          <Button icon="left" disabled={!hasPrevious} aria-label="Previous page" onClick={toPrevious} />
          <Button icon="right" disabled={!hasNext} aria-label="Next page" onClick={toNext} />
        </nav>
      )}
    </PageFrame>
  );
}

function DuplicateGroup({ group: { reason, leads }, onMerged }: { group: Group; onMerged: () => void }) {
  const [keptId, setKeptId] = useState(leads[0]?.id);
  const [isAsking, setIsAsking] = useState(false);
  const kept = leads.find(({ id }) => id === keptId) ?? leads[0];
  if (kept === undefined) return null;
  const others = leads.filter(({ id }) => id !== kept.id);

  async function merge(into: LeadView) {
    for (const { id } of others) await api.post(`/leads/${into.id}/merge`, { otherId: id });
    showSuccess(`${counted(others.length, "lead")} merged into ${nameOf(into)}.`);
    onMerged();
  }

  return (
    <fieldset class="card duplicate-group">
      <legend class="visually-hidden">{reasons[reason]}</legend>
      <p class="faint small">{reasons[reason]}</p>
      {leads.map((lead) => (
        <div key={lead.id} class="duplicate">
          <label class="inline-check">
            <input
              type="radio"
              name={`keep ${reason} ${leads[0]?.id}`}
              checked={lead.id === kept.id}
              aria-label={`Keep ${nameOf(lead)}, created ${lead.createdAt}`}
              onChange={() => setKeptId(lead.id)}
            />
            {lead.id === kept.id ? "Keep" : "Merge"}
          </label>
          <span class="two-lines">
            <Link to={`/leads/${lead.id}`}>{nameOf(lead)}</Link>
            <span>{[lead.title, lead.company, lead.email, lead.networkUrl].filter(Boolean).join(" · ")}</span>
          </span>
          <StateBadge words={leadStatusLabels} state={lead.status} />
          <DateTime at={lead.createdAt} />
        </div>
      ))}
      {can("leads:delete") && (
        <div class="buttons">
          <Button onClick={() => setIsAsking(true)}>Merge…</Button>
        </div>
      )}
      {isAsking && (
        <ConfirmDialog
          title={`Merge into ${nameOf(kept)}?`}
          confirm="Merge"
          onConfirm={() => merge(kept)}
          onClose={() => setIsAsking(false)}
        >
          <p>
            {counted(others.length, "other lead")} will disappear. Actions, campaigns, conversations, and history move
            to the lead that is kept, and so does what it lacks. This cannot be undone.
          </p>
        </ConfirmDialog>
      )}
    </fieldset>
  );
}
