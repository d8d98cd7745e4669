import type { SuppressionKind, SuppressionSource } from "../../../../../features/suppression/model.ts";

export const kindLabels: Record<SuppressionKind, string> = {
  email: "Email address",
  domain: "Domain",
  profile: "Profile",
  phone: "Phone number",
};
export const sourceLabels: Record<SuppressionSource, string> = {
  api: "Added manually or by API",
  import: "Imported",
  erasure: "Erased person",
  reply: "Opted out",
};
