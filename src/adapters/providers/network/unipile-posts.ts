import type { ActionOrder, ConnectorOutcome } from "../../../features/network/connector.ts";
import { Ending, refused, sent } from "./ending.ts";
import { postOf } from "./profile-address.ts";
import { Post, Posts, textOf, type UnipileApi } from "./unipile-api.ts";
import { profileOf } from "./unipile-people.ts";

export async function react(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const postId = await postIdOf(api, order);
  const json = { account_id: api.accountId, post_id: postId, reaction_type: order.details.reaction ?? "like" };
  await api.act({ path: "posts/reaction", body: { json }, missing: "postNotFound" });
  return sent(postId);
}

export async function comment(api: UnipileApi, order: ActionOrder): Promise<ConnectorOutcome> {
  const postId = await postIdOf(api, order);
  const { comment_id: id } = await api.act({
    path: `posts/${encodeURIComponent(postId)}/comments`,
    body: { json: { account_id: api.accountId, text: order.message ?? "" } },
    missing: "postNotFound",
  });
  return sent(textOf(id) ?? postId);
}

/**
 * Returns the ID that the API expects in actions; the one in a URL does not always work. Without a URL, the latest
 * post.
 */
async function postIdOf(api: UnipileApi, order: ActionOrder): Promise<string> {
  const { postUrl } = order.details;
  if (postUrl !== undefined) {
    const id = postOf(postUrl);
    if (id === null) throw new Ending(refused("postNotFound", "The URL does not identify a post."));
    const path = `posts/${encodeURIComponent(id)}`;
    return (await api.read({ path, schema: Post, missing: "postNotFound", unreachable: "postNotFound" })).social_id;
  }
  const { provider_id: person } = await profileOf(api, order);
  const path = `users/${encodeURIComponent(person)}/posts`;
  const { items } = await api.read({ path, query: { limit: "10" }, schema: Posts });
  const latest = items.find(({ is_repost: isRepost }) => isRepost !== true);
  if (latest === undefined) throw new Ending(refused("postNotFound", "The person has no recent posts of their own."));
  return latest.social_id;
}
