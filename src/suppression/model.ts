export const suppressionKinds = ["email", "domain", "profile", "phone"] as const;
export type SuppressionKind = (typeof suppressionKinds)[number];

/** Whom an entry holds for: one user, or everybody of the installation. */
export const suppressionScopes = ["user", "team"] as const;
export type SuppressionScope = (typeof suppressionScopes)[number];

/** How an entry came to be. */
export const suppressionSources = ["api", "import", "erasure", "reply"] as const;
export type SuppressionSource = (typeof suppressionSources)[number];

/** An entry of the do-not-contact list. It holds until somebody removes it. */
export type Suppression = {
  id: string;
  /** Null: it holds for everybody of the installation. */
  userId: string | null;
  kind: SuppressionKind;
  /** 16 bytes, of `suppressionKey`: what it is found by. */
  key: Uint8Array;
  /** The normal form; null when only the hash may be kept. */
  value: string | null;
  reason: string | null;
  source: SuppressionSource;
  createdAt: number;
};

/** Ways to reach a person. An entry for any of them stands in the way. */
export type SuppressionTarget = {
  email?: string | null;
  /** As `canonicalProfileUrl` gives it. */
  profileKey?: string | null;
  /** As a person wrote it. */
  phone?: string | null;
};

/** The entry that stands in the way of contacting somebody. */
export type SuppressionMatch = {
  entryId: string;
  kind: SuppressionKind;
  scope: SuppressionScope;
  reason: string | null;
};
