/** The path of a campaign below /api/v2. */
export function pathOf(campaignId: string): string {
  return `/campaigns/${encodeURIComponent(campaignId)}`;
}
