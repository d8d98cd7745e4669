import { useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { ProspectView } from "../../../../../features/prospecting/model.ts";
import { api } from "../../api.ts";
import { counted } from "../../format.ts";
import { nameOf } from "../../person.ts";
import { Link } from "../../router.tsx";
import { can } from "../../session.ts";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { DataTable, type Column, type Paging } from "../../ui/data-table.tsx";
import { Dialog } from "../../ui/dialog.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess, showError } from "../../ui/toast.tsx";
import { Facts, type Fact } from "../../ui/facts.tsx";

export type Found = {
  prospects: ProspectView[];
  /** Null if the vendor was not queried yet. */
  total: number | null;
  limit: number;
  offset: number;
  creditsUsed: number;
  creditsRequired: number;
  remainingCredits: number;
};

type AddedLead = { lead: LeadView; isNew: boolean };

/** Prospects of a search. Selected prospects can be added to the leads. */
export function ProspectTable({ found, paging }: { found: Found; paging: Paging }) {
  const [leads, setLeads] = useState<ReadonlyMap<string, string>>(
    new Map(found.prospects.flatMap(({ id, leadId }) => (leadId === null ? [] : [[id, leadId] as const]))),
  );
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [tag, setTag] = useState("");
  const [isBusy, setIsBusy] = useState(false);
  const [open, setOpen] = useState<ProspectView | null>(null);

  async function addToLeads(ids: readonly string[]) {
    setIsBusy(true);
    const made = new Map(leads);
    const tags = tag.trim() === "" ? [] : [tag.trim()];
    let fresh = 0;
    try {
      for (const id of ids) {
        const { lead, isNew } = await api.post<AddedLead>(`/prospecting/prospects/${id}/lead`, { tags });
        made.set(id, lead.id);
        if (isNew) fresh++;
      }
      const known = ids.length - fresh;
      showSuccess(
        `${counted(fresh, "lead")} added.${known > 0 ? ` ${counted(known, "was", "were")} already leads.` : ""}`,
      );
      setChosen(new Set());
    } catch (error) {
      showError(error);
    } finally {
      setLeads(made);
      setIsBusy(false);
    }
  }

  const columns: readonly Column<ProspectView>[] = [
    {
      id: "name",
      header: "Name",
      cell: (prospect) => (
        <span class="two-lines">
          <button type="button" class="link" onClick={() => setOpen(prospect)}>
            {nameOf(prospect)}
          </button>
          <span>{prospect.title}</span>
        </span>
      ),
    },
    {
      id: "company",
      header: "Company",
      cell: ({ company, companySize, industry }) => (
        <span class="two-lines">
          <span>{company}</span>
          <span>{[industry, companySize].filter(Boolean).join(" · ")}</span>
        </span>
      ),
    },
    { id: "location", header: "Location", hideBelow: "medium", cell: ({ location }) => location },
    {
      id: "confidence",
      header: "Confidence",
      align: "right",
      hideBelow: "small",
      cell: ({ confidence }) => `${Math.round(confidence * 100)}%`,
    },
    {
      id: "lead",
      header: "Lead",
      align: "right",
      cell: (prospect) => {
        const leadId = leads.get(prospect.id);
        if (leadId !== undefined) return <Link to={`/leads/${leadId}`}>View lead</Link>;
        if (!can("leads:write")) return null;
        return (
          <Button
            isBusy={isBusy}
            aria-label={`Add to leads: ${nameOf(prospect)}`}
            onClick={() => void addToLeads([prospect.id])}
          >
            Add to leads
          </Button>
        );
      },
    },
  ];
  return (
    <>
      {chosen.size > 0 && (
        <div class="bulk-bar" role="toolbar" aria-label="Selected prospects">
          <p>
            <strong>{chosen.size}</strong> selected
          </p>
          <div class="buttons">
            <input
              type="text"
              aria-label="Tag for new leads"
              placeholder="Tag"
              maxLength={100}
              value={tag}
              onInput={(event) => setTag(event.currentTarget.value)}
            />
            <Button kind="primary" isBusy={isBusy} onClick={() => void addToLeads([...chosen])}>
              Add to leads
            </Button>
          </div>
        </div>
      )}
      <DataTable
        label="Prospects"
        isStacked
        columns={columns}
        rows={found.prospects}
        rowKey={({ id }) => id}
        rowName={nameOf}
        {...(can("leads:write") && { selection: { chosen, set: setChosen } })}
        paging={paging}
        empty={<p class="faint">These prospects no longer exist.</p>}
      />
      {open !== null && <ProspectDialog prospect={open} onClose={() => setOpen(null)} />}
    </>
  );
}

function ProspectDialog({ prospect, onClose }: { prospect: ProspectView; onClose: () => void }) {
  const { revenue, technologies, networkUrl, domain } = prospect;
  const facts: Fact[] = [
    ["Job title", prospect.title],
    ["Seniority", prospect.seniority],
    ["Department", prospect.department],
    ["Email", prospect.email],
    ["Phone", prospect.phone],
    ["Profile", networkUrl && <OutsideLink href={networkUrl}>{networkUrl}</OutsideLink>],
    ["Location", prospect.location],
    ["Company", prospect.company],
    ["Website", domain && <OutsideLink href={domain}>{domain}</OutsideLink>],
    ["Industry", prospect.industry],
    ["Employees", prospect.companySize],
    ["Revenue", revenue && formatRevenue(revenue)],
    ["Company location", prospect.companyLocation],
    ["Technologies", technologies.length > 0 && technologies.map((name) => <Badge key={name}>{name}</Badge>)],
    ["Source", prospect.source],
    ["Confidence", `${Math.round(prospect.confidence * 100)}%`],
    ["Updated", <DateTime key="at" at={prospect.updatedAt} />],
  ];
  return (
    <Dialog title={nameOf(prospect)} onClose={onClose} isSide>
      <Facts facts={facts} />
    </Dialog>
  );
}

function formatRevenue({ min, max }: { min: number; max: number | null }): string {
  const amount = (dollars: number) =>
    new Intl.NumberFormat("en-GB", { notation: "compact", style: "currency", currency: "USD" }).format(dollars);
  return max === null ? `${amount(min)} or more` : `${amount(min)} to ${amount(max)}`;
}
