import type { ProspectContent } from "../model.ts";
import { memoize } from "../../../platform/base/memoize.ts";
import { departmentOfTitle } from "./department.ts";
import { isNonManager, levelOfNonManager, senioritiesOfTitle } from "./seniority.ts";

type Position = { seniority: string | undefined; department: string | undefined };

/**
 * Level and department of a prospect: what the record tells, else what its title says of them, of several levels the
 * highest. The latter is stored nowhere, so that it goes with the title and never passes for something that was told.
 */
export function positionOf(content: ProspectContent): Position {
  const department = content.department ?? impliedBy(content).department;
  return { seniority: senioritiesOf(content)[0], department };
}

/** The levels that a prospect is found by: a co-founder and CEO is found as either. */
export function senioritiesOf(content: ProspectContent): readonly string[] {
  const { seniority } = content;
  const { seniorities } = impliedBy(content);
  if (seniority === undefined) return seniorities;
  return [isNonManager(seniority) ? levelOfNonManager(seniorities[0]) : seniority];
}

type Implied = { seniorities: readonly string[]; department: string | undefined };

function impliedBy({ title }: ProspectContent): Implied {
  return title === undefined ? nothing : impliedByTitle(title);
}

/** What a title says of levels, the highest first, and department. */
export const impliedByTitle = memoize((title): Implied => ({
  seniorities: senioritiesOfTitle(title),
  department: departmentOfTitle(title) ?? undefined,
}));

const nothing: Implied = { seniorities: [], department: undefined };
