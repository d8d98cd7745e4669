import type { ProspectContent } from "../model.ts";
import { memoize } from "../../../platform/base/text.ts";
import { departmentOfTitle } from "./department.ts";
import { isNonManager, levelOfNonManager, senioritiesOfTitle } from "./seniority.ts";

type Position = { seniority: string | undefined; department: string | undefined };

/**
 * Seniority and department of a prospect: from the record or else implied by the title, using the highest of several
 * levels. Implied values are not stored, so that they disappear with the title and are never mistaken for given ones.
 */
export function positionOf(content: ProspectContent): Position {
  const department = content.department ?? impliedBy(content).department;
  return { seniority: senioritiesOf(content)[0], department };
}

/** All seniority levels of a prospect: a co-founder and CEO has both. */
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

/** Seniority levels, highest first, and department implied by a title. */
export const impliedByTitle = memoize((title): Implied => ({
  seniorities: senioritiesOfTitle(title),
  department: departmentOfTitle(title) ?? undefined,
}));

const nothing: Implied = { seniorities: [], department: undefined };
