export const tiers = ["free", "premium", "salesNavigator"] as const;
export type Tier = (typeof tiers)[number];

/** What the caps count. `notes` are connection requests with a note; `all` is every action of the account. */
export const meters = [
  "invites",
  "notes",
  "messages",
  "inMails",
  "visits",
  "follows",
  "likes",
  "comments",
  "endorsements",
  "withdrawals",
  "all",
] as const;
export type Meter = (typeof meters)[number];
