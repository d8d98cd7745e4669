import type { CampaignStep } from "../../../../../../features/campaigns/model.ts";
import type { CampaignTemplate } from "../../../../../../features/campaigns/template-model.ts";
import { api } from "../../../api.ts";
import { counted } from "../../../format.ts";
import { useResource } from "../../../resource.ts";
import { Loaded } from "../../../ui/states.tsx";
import { inOrder, stepLabel } from "../labels.ts";
import { kindOf, stepIcons } from "./step-kinds.ts";

/** Common sequences to start from. */
export function TemplateGallery({
  onChoose,
}: {
  onChoose: (template: { name: string; steps: CampaignStep[] }) => void;
}) {
  const templates = useResource(
    (signal) => api.get<{ templates: CampaignTemplate[] }>("/campaigns/templates", { signal }),
    [],
  );
  return (
    <Loaded resource={templates} lines={6}>
      {({ templates: list }) => (
        <ul class="template-grid" aria-label="Templates">
          {list.map((template) => (
            <li key={template.id}>
              <button type="button" class="card template" onClick={() => onChoose(template)}>
                <strong>{template.name}</strong>
                <span class="faint small">{template.description}</span>
                <StepStrip steps={template.steps} />
                <span class="faint small">{counted(inOrder(template.steps).length, "step")}</span>
              </button>
            </li>
          ))}
          <li>
            <button type="button" class="card template" onClick={() => onChoose({ name: "", steps: [] })}>
              <strong>Blank campaign</strong>
              <span class="faint small">Start with an empty flow and add the steps yourself.</span>
            </button>
          </li>
        </ul>
      )}
    </Loaded>
  );
}

/** The steps as icons, in reading order. */
function StepStrip({ steps }: { steps: readonly CampaignStep[] }) {
  return (
    <span class="step-strip" role="img" aria-label={inOrder(steps).map(stepLabel).join(", ")}>
      {inOrder(steps).map((step, index) => (
        <svg key={index} class="icon" viewBox="0 0 20 20" aria-hidden="true">
          <path d={stepIcons[kindOf(step)]} />
        </svg>
      ))}
    </span>
  );
}
