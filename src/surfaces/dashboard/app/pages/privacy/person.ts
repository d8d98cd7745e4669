import type { ExportInput } from "../../../../../features/privacy/model.ts";
import { api } from "../../api.ts";
import { session } from "../../session.ts";

/** Somebody, by what they are known by. */
export type GivenPerson = Pick<ExportInput, "email" | "networkUrl" | "leadId">;

/** Whose data are looked through, and whether what is found with the person is taken for theirs. */
export type Reach = { scope: "user" | "team"; follow: boolean };

/** A person asks for all that is stored of them, so an admin begins with everybody's data. */
export function widestReach(): Reach {
  return { scope: session.value?.isAdmin === true ? "team" : "user", follow: true };
}

/** Downloads all that is stored about a person. */
export async function downloadPerson(person: GivenPerson, reach: Reach): Promise<void> {
  const answer = await api.answer("POST", "/privacy/export", { body: { ...person, ...reach } });
  const url = URL.createObjectURL(await answer.blob());
  const link = document.createElement("a");
  link.href = url;
  link.download = "person.json";
  link.click();
  URL.revokeObjectURL(url);
}
