import type { SuppressionKind, SuppressionSource } from "../../../../../features/suppression/model.ts";

export const kindWords: Record<SuppressionKind, string> = {
  email: "E-mail address",
  domain: "Domain",
  profile: "Profile",
  phone: "Phone number",
};
export const sourceWords: Record<SuppressionSource, string> = {
  api: "Added by hand or program",
  import: "Imported",
  erasure: "Erased person",
  reply: "Asked to stop",
};
