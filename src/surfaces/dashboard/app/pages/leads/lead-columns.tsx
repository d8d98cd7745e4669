import type { MemberView } from "../../../../../features/workspaces/members/model.ts";
import type { LeadView } from "../../../../../features/leads/model.ts";
import { nameOf } from "../../person.ts";
import { Link } from "../../router.tsx";
import { nameOfMember } from "../../team.ts";
import { leadStatusLabels, StateBadge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { Initials } from "../../ui/initials.tsx";
import { RelativeTime } from "../../ui/time.tsx";
import { TagList } from "./tag-list.tsx";

const columns: readonly Column<LeadView>[] = [
  {
    id: "name",
    header: "Name",
    sort: "lastName",
    cell: (lead) => (
      <span class="two-lines">
        <Link to={`/leads/${lead.id}`}>{nameOf(lead)}</Link>
        <span>{lead.title}</span>
      </span>
    ),
  },
  { id: "company", header: "Company", sort: "company", cell: ({ company }) => company },
  {
    id: "status",
    header: "Status",
    sort: "status",
    cell: ({ status, doNotContact }) => (
      <span class="badges">
        <StateBadge words={leadStatusLabels} state={status} />
        {doNotContact && <span class="badge bad">Do not contact</span>}
      </span>
    ),
  },
  {
    id: "email",
    header: "Email",
    sort: "email",
    hideBelow: "medium",
    cell: ({ email }) => (
      <span class="clip" title={email ?? ""}>
        {email}
      </span>
    ),
  },
  { id: "tags", header: "Tags", hideBelow: "large", cell: ({ tags }) => <TagList tags={tags} atMost={3} /> },
  {
    id: "updatedAt",
    header: "Updated",
    sort: "updatedAt",
    hideBelow: "small",
    cell: ({ updatedAt }) => <RelativeTime at={updatedAt} />,
  },
];

/** The columns of the list. Owners are shown where leads have some: people who work alone need none. */
export function leadColumns(hasOwners: boolean, members: readonly MemberView[]): readonly Column<LeadView>[] {
  return hasOwners ? columns.toSpliced(3, 0, ownerColumn(members)) : columns;
}

function ownerColumn(members: readonly MemberView[]): Column<LeadView> {
  return {
    id: "owner",
    header: "Owner",
    hideBelow: "small",
    cell: ({ assignedTo }) => assignedTo !== null && <Initials name={nameOfMember(members, assignedTo)} />,
  };
}
