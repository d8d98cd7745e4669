import type { DeliveryState, EndpointView } from "../../../../../features/webhooks/model.ts";
import type { Tone } from "../../ui/badge.tsx";

export const endpointStateLabels: Record<EndpointView["state"], { tone: Tone; label: string }> = {
  working: { tone: "good", label: "Working" },
  failing: { tone: "bad", label: "Failing" },
  disabled: { tone: "neutral", label: "Disabled" },
};

export const deliveryStateLabels: Record<DeliveryState, { tone: Tone; label: string }> = {
  pending: { tone: "info", label: "Pending" },
  delivered: { tone: "good", label: "Delivered" },
  failed: { tone: "bad", label: "Failed" },
};
