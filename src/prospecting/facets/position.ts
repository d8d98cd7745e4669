import type { ProspectContent } from "../model.ts";
import { remembered } from "../remembered.ts";
import { departmentOfTitle } from "./department.ts";
import { isNonManager, levelOfNonManager, seniorityOfTitle } from "./seniority.ts";

type Position = { seniority: string | undefined; department: string | undefined };

/**
 * Level and department of a prospect: what the record tells, else what its title says of them. The latter is stored
 * nowhere, so that it goes with the title and never passes for something that was told.
 */
export function positionOf({ title, seniority, department }: ProspectContent): Position {
  const implied = title === undefined ? noPosition : impliedByTitle(title);
  const level = seniority !== undefined && isNonManager(seniority) ? levelOfNonManager(implied.seniority) : seniority;
  return { seniority: level ?? implied.seniority, department: department ?? implied.department };
}

/** What a title says of level and department. */
export const impliedByTitle = remembered((title): Position => ({
  seniority: seniorityOfTitle(title) ?? undefined,
  department: departmentOfTitle(title) ?? undefined,
}));

const noPosition: Position = { seniority: undefined, department: undefined };
