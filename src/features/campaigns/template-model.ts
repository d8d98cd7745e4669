import { Type, type Static } from "@sinclair/typebox";
import { CampaignView } from "./model.ts";

export const CampaignTemplate = Type.Object(
  {
    id: Type.String(),
    name: Type.String(),
    description: Type.String(),
    steps: CampaignView.properties.steps,
  },
  { $id: "CampaignTemplate", description: "A common sequence of steps, as a starting point." },
);
export type CampaignTemplate = Static<typeof CampaignTemplate>;
