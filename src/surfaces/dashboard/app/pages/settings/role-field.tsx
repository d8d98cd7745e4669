import { session } from "../../session.ts";
import { roleLabels, type MemberRole } from "../../team.ts";
import { SelectField, type Form } from "../../ui/form.tsx";
import { PermissionField } from "./permission-field.tsx";

/** Selects a role; for the role custom also its permissions. Only owners make owners. */
export function RoleField<V extends { role: string }>({
  form,
  chosen,
  choose,
}: {
  form: Form<V>;
  chosen: ReadonlySet<string>;
  choose: (permissions: ReadonlySet<string>) => void;
}) {
  const role = form.values.role as MemberRole;
  const isOwner = session.value?.workspace.role === "owner";
  const choices = Object.entries(roleLabels)
    .filter(([name]) => name !== "owner" || isOwner || role === "owner")
    .map(([value, { label }]) => ({ value, label }));
  return (
    <>
      <SelectField form={form} name="role" label="Role" hint={roleLabels[role].hint} choices={choices} />
      {role === "custom" && <PermissionField chosen={chosen} onChange={choose} />}
    </>
  );
}
