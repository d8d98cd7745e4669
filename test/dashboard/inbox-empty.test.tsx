import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { InboxPage } from "../../src/surfaces/dashboard/app/pages/inbox/inbox-page.tsx";
import { here, navigate } from "../../src/surfaces/dashboard/app/router.tsx";
import { button } from "../support/dashboard.ts";

const nothing = { body: { success: true, data: { conversations: [], total: 0, nextCursor: null } } };
const accounts = { body: { success: true, data: { accounts: [], nextCursor: null } } };

async function showEmpty(search: string, ...queries: string[]): Promise<HTMLElement> {
  signInAs();
  navigate(`/inbox${search}`);
  const lists = queries.map((query) => [`GET /api/v2/inbox/conversations?${query}&limit=50`, () => nothing]);
  answerWith({ ...Object.fromEntries(lists), "GET /api/v2/network/accounts": () => accounts });
  const place = await show(<InboxPage />);
  await settled();
  return place;
}

test.each([
  ["", "replied=true", "No replies yet", "record them on the page of the lead"],
  ["?view=unread", "unread=true", "Everything is read", "Press U"],
  ["?view=mine", "assignedTo=me", "Nothing is assigned to you", "Press A"],
  ["?view=unassigned", "replied=true&assignedTo=none", "No unassigned replies", "no member takes care of"],
  ["?view=snoozed", "snoozed=only", "Nothing is snoozed", "Press E"],
  ["?view=all", "snoozed=include", "No conversations yet", "Messages of your campaigns"],
  ["?view=all&label=interested", "snoozed=include&label=interested", "No conversations labeled Interested", "Press L"],
  ["?view=all&q=price", "snoozed=include&q=price", "Nothing found for “price”", "beginnings of words"],
  ["?view=all&account=a1", "snoozed=include&accountId=a1", "No conversations of this account", "sends or receives"],
])("the list %p without conversations says what would be in it, and what to do", async (search, query, title, hint) => {
  const place = await showEmpty(search, query);
  const list = place.querySelector(".inbox-list .empty");
  expect(list?.querySelector("h2")?.textContent).toBe(title);
  expect(list?.textContent).toContain(hint);
});

test("a search without a result continues in all conversations, or without filters", async () => {
  const place = await showEmpty(
    ...(["?view=mine&q=price&label=later", "assignedTo=me&q=price&label=later"] as const),
    ...["snoozed=include&q=price&label=later", "snoozed=include"],
  );
  await change(() => button(place, "Search in all").click());
  await settled();
  expect(here.value.query.toString()).toBe("view=all&q=price&label=later");
  await change(() => button(place, "Clear all filters").click());
  expect(here.value.query.toString()).toBe("view=all");
});

test("without a conversation, the keys are listed", async () => {
  const place = await showEmpty("", "replied=true");
  const keys = [...place.querySelectorAll(".inbox-thread dt")].map((each) => each.textContent);
  expect(keys).toEqual(["J", "K", "R", "E", "A", "L", "U", "/"]);
});
