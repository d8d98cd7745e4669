import { initialsOf } from "../team.ts";

/** A person as initials, with the name for those who point at it or listen. */
export function Initials({ name }: { name: string }) {
  return (
    <span class="initials" role="img" aria-label={name} title={name}>
      {initialsOf(name)}
    </span>
  );
}
