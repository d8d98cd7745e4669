import { afterEach, expect, test } from "bun:test";
import { answerWith, change, settled, show } from "../support/page.ts";
import type { InvitationPreview, InvitationView } from "../../src/features/workspaces/invitations/model.ts";
import type { MemberView } from "../../src/features/workspaces/members/model.ts";
import { JoinPage } from "../../src/surfaces/dashboard/app/pages/join.tsx";
import { AssignDialog } from "../../src/surfaces/dashboard/app/pages/leads/assign-dialog.tsx";
import { PeopleList } from "../../src/surfaces/dashboard/app/pages/settings/people.tsx";
import { browserOf, SessionList } from "../../src/surfaces/dashboard/app/pages/settings/sessions.tsx";
import { session, sessionState } from "../../src/surfaces/dashboard/app/session.ts";
import { initialsOf } from "../../src/surfaces/dashboard/app/team.ts";
import { WorkspaceSwitcher } from "../../src/surfaces/dashboard/app/workspace-switcher.tsx";
import { button, signIn } from "../support/dashboard.ts";

afterEach(() => {
  session.value = null;
  sessionState.value = "loading";
  history.replaceState(null, "", "/");
});

const instant = "2030-01-01T00:00:00.000Z";
const member = (userId: string, more: Partial<MemberView> = {}): MemberView => ({
  userId,
  email: `${userId}@example.com`,
  name: null,
  role: "member",
  permissions: null,
  isActive: true,
  createdAt: instant,
  updatedAt: instant,
  ...more,
});
const ada = member("u1", { name: "Ada Lovelace", role: "owner" });
const bob = member("u2", { name: "<img src=x>" });
const invitation: InvitationView = {
  ...{ id: "i1", email: "grace@example.com", role: "viewer", permissions: null },
  ...{ invitedBy: "u1", createdAt: instant, expiresAt: instant },
};

function people(members: MemberView[], invitations: InvitationView[] = []) {
  return {
    "GET /api/v2/members": () => ({ body: { success: true, data: { members, nextCursor: null } } }),
    "GET /api/v2/invitations": () => ({ body: { success: true, data: { invitations, nextCursor: null } } }),
  };
}

function choose(place: HTMLElement, path: string, value: string): Promise<void> {
  const field = place.querySelector<HTMLInputElement | HTMLSelectElement>(`[data-path="${path}"]`)!;
  return change(() => {
    field.value = value;
    field.dispatchEvent(new Event(field.tagName === "SELECT" ? "change" : "input", { bubbles: true }));
  });
}

function submit(place: HTMLElement): Promise<void> {
  return change(() => {
    place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
  });
}

test("members and open invitations are listed, with names as plain text", async () => {
  signIn(["*"]);
  answerWith(people([ada, bob], [invitation]));
  const place = await show(<PeopleList />);
  await settled();
  expect(place.querySelector("img")).toBeNull();
  expect([...place.querySelectorAll(".initials")].map(({ textContent }) => textContent)).toEqual(["AL", "<S"]);
  expect(place.textContent).toContain("grace@example.com");
  expect(place.textContent).toContain("Viewer");
});

test("without the role of an admin, people are only shown", async () => {
  signIn(["*"]);
  session.value = { ...session.value!, workspace: { id: "u1", name: "Sales", role: "member" } };
  answerWith(people([ada, bob], [invitation]));
  const place = await show(<PeopleList />);
  await settled();
  const names = [...place.querySelectorAll("button")].map(({ textContent }) => textContent);
  expect(names).not.toContain("Invite");
  expect(names).not.toContain("Revoke…");
  await change(() => button(place, bob.name!).click());
  expect([...place.querySelectorAll("dialog button")].map(({ textContent }) => textContent)).toEqual([""]);
});

test("an invitation is made for an address and a role, and its link is shown once", async () => {
  signIn(["*"]);
  const url = "http://127.0.0.1:8080/app/join#secret";
  let sent: unknown = null;
  answerWith({
    ...people([ada]),
    "POST /api/v2/invitations": (body) => {
      sent = body;
      return { body: { success: true, data: { ...invitation, url } } };
    },
  });
  const place = await show(<PeopleList />);
  await settled();
  await change(() => button(place, "Invite").click());
  await choose(place, "email", "grace@example.com");
  await choose(place, "role", "viewer");
  await submit(place);
  await settled();
  expect(sent).toEqual({ email: "grace@example.com", role: "viewer" });
  expect(place.querySelector<HTMLInputElement>(".copy input")?.value).toBe(url);
  await change(() => button(place, "Done").click());
  expect(place.innerHTML).not.toContain("secret");
});

test("who is removed passes leads and accounts on to a colleague", async () => {
  signIn(["*"]);
  const asked = answerWith({
    ...people([ada, bob]),
    "DELETE /api/v2/members/u2?leadsTo=u1&accountsTo=u1": () => ({ body: { success: true, message: "Removed." } }),
  });
  const place = await show(<PeopleList />);
  await settled();
  await change(() => button(place, bob.name!).click());
  await change(() => button(place, "Remove…").click());
  await choose(place, "leadsTo", "u1");
  await choose(place, "accountsTo", "u1");
  await submit(place);
  await settled();
  expect(asked.filter((request) => request.startsWith("DELETE"))).toHaveLength(1);
  expect(place.querySelector("dialog")).toBeNull();
});

test("a refusal of the server is shown where the role was chosen", async () => {
  signIn(["*"]);
  const message = "A workspace needs an active owner. Make another member an owner first.";
  answerWith({
    ...people([ada, bob]),
    "PUT /api/v2/members/u1": () => ({ status: 409, body: { error: true, code: "CONFLICT", message } }),
  });
  const place = await show(<PeopleList />);
  await settled();
  await change(() => button(place, "Ada Lovelace").click());
  await choose(place, "role", "viewer");
  await submit(place);
  await settled();
  expect(place.querySelector("dialog [role=alert]")?.textContent).toBe(message);
});

test("leads are assigned to one member, to all in turn, or to nobody", async () => {
  signIn(["*"]);
  answerWith(people([ada, bob, member("u3", { isActive: false })]));
  const assigned: (string | null)[] = [];
  const place = await show(<AssignDialog size={2} onClose={() => {}} onAssign={(to) => assigned.push(to)} />);
  await settled();
  const options = [...place.querySelectorAll("option")];
  expect(options.map(({ value }) => value)).toEqual(["roundRobin", "u1", "u2", ""]);
  for (const value of ["roundRobin", "u2", ""]) {
    await choose(place, "assignedTo", value);
    await submit(place);
  }
  expect(assigned).toEqual(["roundRobin", "u2", null]);
});

const preview: InvitationPreview = {
  ...{ workspace: { name: "Sales" }, email: "grace@example.com", role: "member", invitedBy: "Ada" },
  ...{ hasAccount: false, expiresAt: instant },
};

test("an invitation to a workspace without a name says whose it is", async () => {
  sessionState.value = "signedOut";
  history.replaceState(null, "", "/app/join#token-1");
  const data = { ...preview, workspace: { name: "admin@localhost" } };
  answerWith({ "POST /app/invitation/preview": () => ({ body: { success: true, data } }) });
  const place = await show(<JoinPage />);
  await settled();
  expect(place.querySelector("h1")?.textContent).toBe("Join the workspace of admin@localhost");
});

test("the link of an invitation makes a user, whose key is shown once; the token leaves the address bar", async () => {
  sessionState.value = "signedOut";
  history.replaceState(null, "", "/app/join#token-1");
  const sent: unknown[] = [];
  answerWith({
    "POST /app/invitation/preview": (body) => {
      sent.push(body);
      return { body: { success: true, data: preview } };
    },
    "POST /app/invitation/accept": (body) => {
      sent.push(body);
      const data = { user: {}, workspace: { id: "w", name: "Sales" }, key: { key: "oak_first" } };
      return { body: { success: true, data } };
    },
  });
  const place = await show(<JoinPage />);
  await settled();
  expect(location.hash).toBe("");
  expect(place.querySelector("h1")?.textContent).toBe("Join Sales");
  expect(place.textContent).toContain("Ada invites grace@example.com as member.");
  await choose(place, "name", "Grace");
  await submit(place);
  await settled();
  expect(sent).toMatchObject([{ token: "token-1" }, { token: "token-1", name: "Grace" }]);
  expect(place.querySelector<HTMLInputElement>(".copy input")?.value).toBe("oak_first");
});

test("who has an account signs in before joining", async () => {
  sessionState.value = "signedOut";
  history.replaceState(null, "", "/app/join#token-2");
  answerWith({
    "POST /app/invitation/preview": () => ({ body: { success: true, data: { ...preview, hasAccount: true } } }),
    "POST /api/v2/invitations/join": () => ({
      body: { success: true, data: { user: {}, workspace: { id: "w", name: "Sales" }, key: { key: "oak_second" } } },
    }),
  });
  const place = await show(<JoinPage />);
  await settled();
  expect(place.querySelector("input[type=password]")).not.toBeNull();
  await change(() => signIn(["*"]));
  expect(place.querySelector(".notice")?.textContent).toContain("signed in as ada@example.com");
  await submit(place);
  await settled();
  expect(place.querySelector<HTMLInputElement>(".copy input")?.value).toBe("oak_second");
});

test("a used or expired invitation says so", async () => {
  history.replaceState(null, "", "/app/join#token-3");
  const message = "This invitation has expired, was used, or was revoked. Ask for a new one.";
  answerWith({
    "POST /app/invitation/preview": () => ({ status: 404, body: { error: true, code: "NOT_FOUND", message } }),
  });
  const place = await show(<JoinPage />);
  await settled();
  expect(place.querySelector("[role=alert]")?.textContent).toBe(message);
});

test("the switcher is a choice for people with several workspaces", async () => {
  signIn(["users:read"]);
  const workspaces = [
    { id: "u1", name: "Ada" },
    { id: "w2", name: "Sales" },
  ];
  answerWith({
    "GET /api/v2/workspaces": () => ({ body: { success: true, data: { workspaces, nextCursor: null } } }),
    "POST /app/session/switch": () => ({
      status: 403,
      body: { error: true, code: "PERMISSION_DENIED", message: "This key is restricted." },
    }),
  });
  const place = await show(<WorkspaceSwitcher />);
  await settled();
  const choice = place.querySelector("select")!;
  expect([...choice.options].map(({ textContent }) => textContent)).toEqual(["Ada", "Sales"]);
  expect(choice.value).toBe("u1");
});

test("sessions are listed with their browsers, and the current one is not ended", async () => {
  signIn([]);
  const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const open = { userId: "u1", workspaceId: "u1", keyName: "browser", address: "127.0.0.1", userAgent: firefox };
  const times = { createdAt: instant, lastUsedAt: instant, expiresAt: instant };
  const sessions = [
    { id: "s1", ...open, ...times, isCurrent: true },
    { id: "s2", ...open, ...times, isCurrent: false },
  ];
  const asked = answerWith({
    "GET /api/v2/sessions": () => ({ body: { success: true, data: { sessions, nextCursor: null } } }),
    "DELETE /api/v2/sessions/s2": () => ({ body: { success: true, message: "Session ended." } }),
  });
  const place = await show(<SessionList />);
  await settled();
  expect(place.textContent).toContain("Firefox on Linux");
  await change(() => button(place, "Sign out").click());
  expect(asked).toContain("DELETE /api/v2/sessions/s2");
});

test("initials and browsers are told from what is known of them", () => {
  expect(["Ada Lovelace", "ada.lovelace@example.com", "Ada", "Ana María de Souza", "", "@x"].map(initialsOf)).toEqual([
    ...["AL", "AL", "A", "AS", "?", "?"],
  ]);
  const safari =
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605 Version/18.0 Mobile Safari/604";
  expect([safari, "curl/8.0", null].map(browserOf)).toEqual(["Safari on iOS", "curl/8.0", "Unknown browser"]);
});
