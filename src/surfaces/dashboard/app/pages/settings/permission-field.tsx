import { can } from "../../session.ts";
import { isReading, permissionGroups } from "./permission-labels.ts";

/** Selects the permissions of a key. Users can only grant permissions that they have. */
export function PermissionField({
  chosen,
  onChange,
}: {
  chosen: ReadonlySet<string>;
  onChange: (chosen: ReadonlySet<string>) => void;
}) {
  // A newer server may know permissions that this page does not. They are kept.
  const known = permissionGroups.flatMap(({ permissions }) => Object.keys(permissions));
  const others = [...chosen].filter((name) => !known.includes(name));
  const mine = known.filter((name) => can(name as Parameters<typeof can>[0]));

  function turn(name: string, isOn: boolean) {
    const next = new Set(chosen);
    if (isOn) next.add(name);
    else next.delete(name);
    onChange(next);
  }

  return (
    <div class="form">
      <p>
        <button type="button" class="link" onClick={() => onChange(new Set([...mine, ...others]))}>
          All
        </button>
        {" · "}
        <button type="button" class="link" onClick={() => onChange(new Set(mine.filter(isReading)))}>
          Read only
        </button>
        {" · "}
        <button type="button" class="link" onClick={() => onChange(new Set())}>
          None
        </button>
      </p>
      {permissionGroups.map(({ label, permissions }) => (
        <fieldset key={label} class="plain-set">
          <legend>{label}</legend>
          <div class="check-grid">
            {Object.entries(permissions).map(([name, words]) => (
              <label key={name} class="inline-check" title={name}>
                <input
                  type="checkbox"
                  checked={chosen.has(name)}
                  disabled={!mine.includes(name) && !chosen.has(name)}
                  onChange={(event) => turn(name, event.currentTarget.checked)}
                />
                {words}
              </label>
            ))}
          </div>
        </fieldset>
      ))}
      {others.length > 0 && <p class="faint small">Also: {others.join(", ")}</p>}
    </div>
  );
}
