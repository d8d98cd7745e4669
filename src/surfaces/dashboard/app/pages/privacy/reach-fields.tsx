import { session } from "../../session.ts";
import { Field } from "../../ui/form.tsx";
import type { Reach } from "./person.ts";

type ReachFieldsProps = { reach: Reach; onChange: (reach: Reach) => void };

/** Whose data is searched, and whether identifiers are followed. */
export function ReachFields({ reach, onChange }: ReachFieldsProps) {
  return (
    <>
      {session.value?.isAdmin === true && (
        <Field label="Search in">
          {(control) => (
            <select
              {...control}
              value={reach.scope}
              onChange={(event) => onChange({ ...reach, scope: event.currentTarget.value as Reach["scope"] })}
            >
              <option value="team">Data of all workspaces</option>
              <option value="user">Only this workspace</option>
            </select>
          )}
        </Field>
      )}
      <label class="inline-check">
        <input
          type="checkbox"
          checked={reach.follow}
          onChange={(event) => onChange({ ...reach, follow: event.currentTarget.checked })}
        />{" "}
        Include other identifiers found with the person, such as a second email address. Turn this off for a shared
        address such as office@.
      </label>
    </>
  );
}
