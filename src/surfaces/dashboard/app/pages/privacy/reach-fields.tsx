import { session } from "../../session.ts";
import { Field } from "../../ui/form.tsx";
import type { Reach } from "./person.ts";

type ReachFieldsProps = { reach: Reach; onChange: (reach: Reach) => void };

/** Whose data are looked through, and how far. */
export function ReachFields({ reach, onChange }: ReachFieldsProps) {
  return (
    <>
      {session.value?.isAdmin === true && (
        <Field label="Look through">
          {(control) => (
            <select
              {...control}
              value={reach.scope}
              onChange={(event) => onChange({ ...reach, scope: event.currentTarget.value as Reach["scope"] })}
            >
              <option value="team">Everybody’s data</option>
              <option value="user">Only your own data</option>
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
        Take what is found with the person, such as another address, for theirs. Not for an address that several share,
        such as office@.
      </label>
    </>
  );
}
