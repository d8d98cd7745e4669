import type { ExportInput } from "../../../../../features/privacy/model.ts";
import { api } from "../../api.ts";
import { session } from "../../session.ts";

/** Identifiers of a person. */
export type GivenPerson = Pick<ExportInput, "email" | "networkUrl" | "leadId">;

/** Whose data is searched, and whether other identifiers found with the person are followed. */
export type Reach = { scope: "user" | "team"; follow: boolean };

/** A person is entitled to all data stored about them, so admins search the data of all users by default. */
export function widestReach(): Reach {
  return { scope: session.value?.isAdmin === true ? "team" : "user", follow: true };
}

/** Downloads all data stored about a person. */
export async function downloadPerson(person: GivenPerson, reach: Reach): Promise<void> {
  const answer = await api.answer("POST", "/privacy/export", { body: { ...person, ...reach } });
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = "person.json";
  link.click();
  URL.revokeObjectURL(url);
}
