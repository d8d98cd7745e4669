import { useState } from "preact/hooks";
import type { LeadView } from "../../../../../features/leads/model.ts";
import type { Permission } from "../../../../../platform/auth/key-model.ts";
import type { PageProps } from "../../page-props.ts";
import { api } from "../../api.ts";
import { nameOf } from "../../person.ts";
import { useResource } from "../../resource.ts";
import { RecordNews, type NewsEvent } from "../../record-news.tsx";
import { Link, navigate } from "../../router.tsx";
import { can } from "../../session.ts";
import { nameOfMember, useMembers } from "../../team.ts";
import { leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { ConfirmDialog } from "../../ui/dialog.tsx";
import { Menu } from "../../ui/menu.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { PageFrame, Section } from "../../ui/page.tsx";
import { EmptyState, Loaded } from "../../ui/states.tsx";
import { DateTime } from "../../ui/time.tsx";
import { showSuccess } from "../../ui/toast.tsx";
import { Facts, type Fact } from "../../ui/facts.tsx";
import { ErasePersonDialog } from "../privacy/erase-person.tsx";
import { ExportPersonDialog } from "../privacy/export-person.tsx";
import { EnrichCompanyDialog } from "./enrich-company.tsx";
import { listPlace } from "./list-place.ts";
import { LeadForm } from "./lead-form.tsx";
import { LeadCampaigns } from "./lead-campaigns.tsx";
import { MergeDialog } from "./merge-dialog.tsx";
import { ScheduleDialog } from "./schedule-dialog.tsx";
import { TagList } from "./tag-list.tsx";
import { Timeline } from "./timeline.tsx";
import type { ReadLead } from "./lead-form.tsx";

export function LeadPage({ params }: PageProps) {
  const id = params["id"] ?? "";
  const resource = useResource((signal) => readLead(id, signal), [id], {
    pollMs: 30_000,
    events: ["lead."],
  });
  const [isEdited, setIsEdited] = useState(false);
  const [openDialog, setOpenDialog] = useState<OpenDialog | null>(null);
  const { data, error } = resource;
  const back = { ...listPlace(), label: "Leads" };

  // The dialog shows the progress of an erasure even after the lead is gone.
  if (error?.status === 404 && openDialog !== "erase")
    return (
      <PageFrame title="Lead" back={back}>
        <EmptyState icon="leads" title="Lead not found">
          <p>The lead was deleted or belongs to another user.</p>
        </EmptyState>
      </PageFrame>
    );

  return (
    <PageFrame
      title={data ? nameOf(data.lead) : "Lead"}
      back={back}
      {...(data && { lead: <LeadLine lead={data.lead} /> })}
      actions={
        data &&
        !isEdited && (
          <>
            {can("network:schedule") && (
              <Button kind="primary" onClick={() => setOpenDialog("schedule")}>
                Schedule…
              </Button>
            )}
            {can("leads:enrich") && (
              <Link to={`/enrichment?lead=${data.lead.id}`} class="button plain">
                Enrich…
              </Link>
            )}
            {can("leads:write") && <Button onClick={() => setIsEdited(true)}>Edit</Button>}
            <MoreMenu lead={data.lead} open={setOpenDialog} />
          </>
        )
      }
    >
      <Loaded resource={resource} lines={8}>
        {({ lead, etag }) =>
          isEdited ? (
            <LeadForm
              lead={lead}
              etag={etag}
              onSaved={(saved) => {
                resource.replace(saved);
                setIsEdited(false);
              }}
              onClose={() => setIsEdited(false)}
            />
          ) : (
            <div class="lead-columns">
              <div>
                <LeadFacts lead={lead} />
                {can("network:read") && <LeadCampaigns leadId={lead.id} />}
              </div>
              <Section title="Activity">
                <Timeline lead={lead} />
              </Section>
            </div>
          )
        }
      </Loaded>
      {data && openDialog === "schedule" && <ScheduleDialog leads={[data.lead]} onClose={() => setOpenDialog(null)} />}
      {data?.lead.networkUrl && (openDialog === "replied" || openDialog === "accepted") && (
        <RecordNews
          event={openDialog}
          person={{ name: nameOf(data.lead), profileUrl: data.lead.networkUrl }}
          onClose={() => setOpenDialog(null)}
          onRecorded={resource.reload}
        />
      )}
      {data && openDialog === "enrichCompany" && (
        <EnrichCompanyDialog lead={data.lead} onClose={() => setOpenDialog(null)} onSaved={resource.reload} />
      )}
      {data && openDialog === "merge" && (
        <MergeDialog
          lead={data.lead}
          onClose={() => setOpenDialog(null)}
          onMerged={() => {
            setOpenDialog(null);
            resource.reload();
          }}
        />
      )}
      {data && openDialog === "export" && (
        <ExportPersonDialog person={{ leadId: id }} name={nameOf(data.lead)} onClose={() => setOpenDialog(null)} />
      )}
      {data && openDialog === "erase" && (
        <ErasePersonDialog
          person={{ leadId: id }}
          name={nameOf(data.lead)}
          onClose={() => setOpenDialog(null)}
          onErased={returnToList}
        />
      )}
      {data && openDialog === "delete" && <DeleteDialog lead={data.lead} onClose={() => setOpenDialog(null)} />}
    </PageFrame>
  );
}

function returnToList(): void {
  const { to, like } = listPlace();
  navigate(to, { like });
}

type OpenDialog = NewsEvent | "enrichCompany" | "delete" | "schedule" | "export" | "erase" | "merge";

/** What is rarely done, or cannot be undone. */
function MoreMenu({ lead, open }: { lead: LeadView; open: (dialog: OpenDialog) => void }) {
  const ofProfile: [dialog: OpenDialog, label: string, permission: Permission][] = [
    ["replied", "Record a reply…", "network:schedule"],
    ["accepted", "Mark as accepted…", "network:schedule"],
  ];
  const items: typeof ofProfile = [
    ...(lead.networkUrl === null ? [] : ofProfile),
    ["enrichCompany", "Enrich company…", "leads:enrich"],
    ["merge", "Merge with another lead…", "leads:delete"],
    ["export", "Export this person…", "privacy:read"],
    ["erase", "Erase this person…", "privacy:write"],
    ["delete", "Delete…", "leads:delete"],
  ];
  const allowed = items.filter(([, , permission]) => can(permission));
  if (allowed.length === 0) return null;
  return (
    <Menu label="More">
      {allowed.map(([dialog, label]) => (
        <button key={dialog} type="button" onClick={() => open(dialog)}>
          {label}
        </button>
      ))}
    </Menu>
  );
}

async function readLead(id: string, signal: AbortSignal): Promise<ReadLead> {
  const response = await api.answer("GET", `/leads/${encodeURIComponent(id)}`, { signal });
  const { data } = (await response.json()) as { data: LeadView };
  // An old link, to a lead that was merged into this one.
  if (data.id !== id) navigate(`/leads/${data.id}`, { replace: true });
  return { lead: data, etag: response.headers.get("etag") };
}

function LeadLine({ lead }: { lead: LeadView }) {
  return (
    <span class="badges">
      <StateBadge words={leadStatusLabels} state={lead.status} />
      {lead.doNotContact && <span class="badge bad">Do not contact</span>}
      <span>{[lead.title, lead.company].filter(Boolean).join(" · ")}</span>
    </span>
  );
}

function LeadFacts({ lead }: { lead: LeadView }) {
  const { assignedTo } = lead;
  const members = useMembers(assignedTo !== null);
  const facts: Fact[] = [
    ["Email", lead.email && <a href={`mailto:${encodeURIComponent(lead.email)}`}>{lead.email}</a>],
    ["Phone", lead.phone && <a href={`tel:${lead.phone.replace(/[^+\d]/g, "")}`}>{lead.phone}</a>],
    ["Profile", lead.networkUrl && <OutsideLink href={lead.networkUrl}>{lead.networkUrl}</OutsideLink>],
    ["Company", lead.company],
    ["Job title", lead.title],
    ["Industry", lead.industry],
    ["Location", lead.location],
    ["Source", lead.source],
    ["Owner", assignedTo !== null && nameOfMember(members, assignedTo)],
    ["Tags", lead.tags.length > 0 && <TagList tags={lead.tags} />],
    ["Notes", lead.notes],
    ...Object.entries(lead.customFields).map(([name, value]): [string, string] => [
      name,
      typeof value === "string" ? value : JSON.stringify(value),
    ]),
    ["Created", <DateTime key="created" at={lead.createdAt} />],
    ["Updated", <DateTime key="changed" at={lead.updatedAt} />],
  ];
  return <Facts facts={facts} isCard />;
}

function DeleteDialog({ lead, onClose }: { lead: LeadView; onClose: () => void }) {
  const [isSuppressed, setIsSuppressed] = useState(false);
  async function remove() {
    await api.delete(`/leads/${lead.id}`, { query: { suppress: isSuppressed } });
    showSuccess(`${nameOf(lead)} was deleted.`);
    returnToList();
  }
  return (
    <ConfirmDialog title={`Delete ${nameOf(lead)}?`} confirm="Delete permanently" onConfirm={remove} onClose={onClose}>
      <p>The lead is permanently deleted, with its notes and tags. Its pending actions are not executed.</p>
      <label class="inline-check">
        <input
          type="checkbox"
          checked={isSuppressed}
          onChange={(event) => setIsSuppressed(event.currentTarget.checked)}
        />{" "}
        Also add the person to the do-not-contact list, as unreadable hashes
      </label>
    </ConfirmDialog>
  );
}
