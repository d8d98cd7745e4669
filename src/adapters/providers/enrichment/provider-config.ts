/** Settings of the operator; names as in the options. */
export type ProviderConfig = Readonly<{
  enrichmentProviders: readonly string[];
  enrichmentUrls: Readonly<Record<string, string>>;
  enrichmentTimeouts: Readonly<Record<string, number>>;
  enrichmentSpendCaps: Readonly<Record<string, number>>;
  enrichmentVendors: string | null;
  allowPrivateHosts: readonly string[];
  pdlKey: string | null;
  hunterKey: string | null;
  apolloKey: string | null;
  fullenrichKey: string | null;
  githubKey: string | null;
  gravatarKey: string | null;
  reacherKey: string | null;
}>;
