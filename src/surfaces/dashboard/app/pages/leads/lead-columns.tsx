import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { nameOf } from "../../person.ts";
import { Link } from "../../router.tsx";
import { nameOfMember } from "../../team.ts";
import { leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Initials } from "../../ui/initials.tsx";
import { OutsideLink } from "../../ui/outside-link.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TagList } from "./tag-list.tsx";

/** Columns by the names of the API, in the order in which they are offered. */
export const columnLabels = {
  name: "Name",
  title: "Job title",
  company: "Company",
  status: "Status",
  owner: "Owner",
  email: "Email",
  phone: "Phone",
  networkUrl: "Profile",
  industry: "Industry",
  location: "Location",
  source: "Source",
  tags: "Tags",
  notes: "Notes",
  createdAt: "Created",
  updatedAt: "Updated",
} as const;
type ColumnName = keyof typeof columnLabels;

export const customPrefix = "customFields.";

export function columnLabel(name: string): string {
  return name.startsWith(customPrefix) ? name.slice(customPrefix.length) : (columnLabels[name as ColumnName] ?? name);
}

/** Those of the list without a choice. Owners are shown where leads have some: people who work alone need none. */
export function defaultColumns(hasOwners: boolean): string[] {
  return ["name", "company", "status", ...(hasOwners ? ["owner"] : []), "email", "tags", "updatedAt"];
}

/** On narrow screens, only if the columns are not chosen. */
const hidden: Partial<Record<ColumnName, "small" | "medium" | "large">> = {
  ...{ owner: "small", email: "medium", tags: "large", updatedAt: "small" },
};

/** The columns of the list by their names; unknown names are left out. */
export function leadColumns(
  names: readonly string[],
  members: readonly MemberView[],
  isChosen: boolean,
): readonly Column<LeadView>[] {
  const hasTitle = names.includes("title");
  return names.flatMap((name): Column<LeadView>[] => {
    if (name.startsWith(customPrefix)) return [customColumn(name)];
    if (!(name in columnLabels)) return [];
    const known = name as ColumnName;
    const hideBelow = isChosen ? undefined : hidden[known];
    const sort = sorts[known];
    return [
      {
        ...{ id: name, header: columnLabels[known], cell: (lead) => cellOf(known, lead, members, hasTitle) },
        ...(sort !== undefined && { sort }),
        ...(hideBelow !== undefined && { hideBelow }),
      },
    ];
  });
}

const sorts: Partial<Record<ColumnName, string>> = {
  ...{ name: "lastName", company: "company", status: "status", email: "email" },
  ...{ createdAt: "createdAt", updatedAt: "updatedAt" },
};

function customColumn(id: string): Column<LeadView> {
  const name = id.slice(customPrefix.length);
  return { id, header: name, cell: ({ customFields }) => <Clipped text={shownValue(customFields[name])} /> };
}

/** A value of a custom field as text. */
export function shownValue(value: unknown): string {
  if (value === undefined || value === null) return "";
  return typeof value === "string" ? value : JSON.stringify(value);
}

function cellOf(name: ColumnName, lead: LeadView, members: readonly MemberView[], hasTitle: boolean) {
  switch (name) {
    case "name":
      return (
        <span class="two-lines">
          <Link to={`/leads/${lead.id}`}>{nameOf(lead)}</Link>
          <span>{hasTitle ? "" : lead.title}</span>
        </span>
      );
    case "status":
      return (
        <span class="badges">
          <StateBadge words={leadStatusLabels} state={lead.status} />
          {lead.doNotContact && <span class="badge bad">Do not contact</span>}
        </span>
      );
    case "owner":
      return lead.assignedTo !== null && <Initials name={nameOfMember(members, lead.assignedTo)} />;
    case "networkUrl":
      return lead.networkUrl && <OutsideLink href={lead.networkUrl}>Profile</OutsideLink>;
    case "tags":
      return <TagList tags={lead.tags} atMost={3} />;
    case "createdAt":
    case "updatedAt":
      return <RelativeTime at={lead[name]} />;
    case "company":
      return lead.company;
    default:
      return <Clipped text={lead[name] ?? ""} />;
  }
}

function Clipped({ text }: { text: string }) {
  if (text === "") return null;
  return (
    <span class="clip" title={text}>
      {text}
    </span>
  );
}
