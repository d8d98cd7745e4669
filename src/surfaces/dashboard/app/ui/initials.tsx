import { initialsOf } from "../team.ts";

/** A person as initials, with the name for those who point at it or listen. */
export function Initials({ name }: { name: string }) {
  return (
    <span class="initials" role="img" aria-label={name} title={name}>
      {initialsOf(name)}
    </span>
  );
}

/** The same beside the name, which says it all. */
export function Avatar({ name }: { name: string }) {
  return (
    <span class="initials avatar" aria-hidden="true">
      {initialsOf(name)}
    </span>
  );
}
