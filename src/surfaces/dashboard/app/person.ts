import type { LeadView } from "../../../features/leads/model.ts";
import type { ActionView } from "../../../features/network/action-model.ts";

type Named = Pick<LeadView, "firstName" | "lastName" | "email" | "company" | "networkUrl">;

/** Display name of a lead: its name, or the best alternative. */
export function nameOf({ firstName, lastName, email, networkUrl, company }: Named): string {
  const name = [firstName, lastName].filter(Boolean).join(" ");
  return name || email || (networkUrl && handleOf(networkUrl)) || company || "Unnamed lead";
}

/** Display name of the target of an action. */
export function targetOf({ personName, profileUrl }: Pick<ActionView, "personName" | "profileUrl">): string {
  return personName ?? handleOf(profileUrl);
}

/** The part of a profile URL that identifies the person, such as "ada-lovelace". */
export function handleOf(profileUrl: string): string {
  const path = profileUrl.replace(/^\w+:\/\/[^/]*/, "").replace(/[?#].*$/, "");
  const last = path.split("/").findLast((part) => part !== "") ?? profileUrl;
  try {
    return decodeURIComponent(last);
  } catch {
    return last;
  }
}
