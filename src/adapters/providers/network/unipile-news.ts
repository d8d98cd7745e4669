import type { News, WatchedPerson } from "../../../features/network/contact-model.ts";
import { Relations, type UnipileApi } from "./unipile-api.ts";
import { nameIn } from "./profile-address.ts";

/** Limit of one check; the next one continues with the people who are still awaited. */
const maxPages = 10;

/** People in the list of connections, newest first, have accepted. Throws the `Ending` of a failed call. */
export async function acceptances(api: UnipileApi, watched: readonly WatchedPerson[]): Promise<News[]> {
  const awaited = new Map(watched.map((one) => [watchedName(one), one]));
  const news: News[] = [];
  const oldest = Math.min(...watched.map(({ since }) => since));
  let cursor: string | null = "";
  for (let pages = 0; awaited.size > 0 && cursor !== null && pages < maxPages; pages++) {
    const query: Record<string, string> = { limit: "100", ...(cursor && { cursor }) };
    const page: typeof Relations.static = await api.read({ path: "users/relations", query, schema: Relations });
    for (const { member_id: id, public_identifier: name, created_at: at } of page.items) {
      const one = awaited.get(name?.toLowerCase() ?? "") ?? awaited.get(id?.toLowerCase() ?? "");
      if (one === undefined) continue;
      awaited.delete(watchedName(one));
      news.push({ profileKey: one.profileKey, kind: "accepted", at: Math.max(at ?? 0, one.since) });
    }
    const isOlder = page.items.every(({ created_at: at }) => typeof at === "number" && at < oldest);
    cursor = page.items.length === 0 || isOlder || !page.cursor ? null : page.cursor;
  }
  return news;
}

/** The name or the ID in the URL of the profile. */
export function watchedName({ profileUrl }: WatchedPerson): string {
  return nameIn(profileUrl)?.toLowerCase() ?? "";
}
