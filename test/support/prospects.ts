import type { ProspectView } from "../../src/features/prospecting/model.ts";

/** What a search for prospects answers. */
export type Found = {
  prospects: ProspectView[];
  total: number;
  creditsUsed: number;
  creditsRequired: number;
  remainingCredits: number;
};
