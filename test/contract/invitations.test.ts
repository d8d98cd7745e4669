import { describe, expect, test } from "bun:test";
import type { Invitation } from "../../src/features/workspaces/invitations/model.ts";
import type { Acceptance, InvitationFacts } from "../../src/features/workspaces/invitations/store.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { enginesAndPostgres } from "../support/engines.ts";
import { createFactories } from "../support/factories.ts";

const audit = auditEntry(null, startOfTests, { action: "invitation.created", workspaceId: null });
const unchecked = () => {};

function invitationTo(workspaceId: string, name: string, changes: Partial<Invitation> = {}): Invitation {
  const email = `${name}@example.com`;
  return {
    id: `invitation of ${name}`,
    workspaceId,
    email,
    emailKey: email,
    role: "custom",
    permissions: ["leads:read"],
    hash: `hash of ${name}`,
    invitedBy: null,
    createdAt: startOfTests,
    expiresAt: startOfTests + 1000,
    ...changes,
  };
}

describe.each(enginesAndPostgres)("invitations on $name", ({ open }) => {
  async function arrange() {
    const opened = await open();
    const make = createFactories();
    const ada = await make.storedUser(opened.storage);
    return { opened, make, ada, invitations: opened.storage.invitations, id: ada.workspace.id };
  }

  test("open invitations are listed newest first, those of the workspace only", async () => {
    const { opened, invitations, id, make } = await arrange();
    await using _ = opened;
    const other = await make.storedUser(opened.storage);
    const grace = invitationTo(id, "grace");
    const alan = invitationTo(id, "alan", { createdAt: startOfTests + 1 });
    const expired = invitationTo(id, "expired", { expiresAt: startOfTests + 5 });
    for (const one of [grace, alan, expired, invitationTo(other.workspace.id, "theirs")])
      await invitations.insert(one, audit, unchecked);
    const now = startOfTests + 5;
    expect(await invitations.list(id, now, 9, null)).toEqual([alan, grace]);
    expect(await invitations.list(id, now, 9, alan)).toEqual([grace]);
    expect(await invitations.list(id, now, 1, null)).toEqual([alan]);
    expect(await invitations.count(id, now)).toBe(2);
    expect(await invitations.get(id, grace.id)).toEqual(grace);
    expect(await invitations.get(other.workspace.id, grace.id)).toBeNull();
    expect(await invitations.sweep(now, 9)).toBe(1);
    expect(await invitations.get(id, expired.id)).toBeNull();
  });

  test("a second invitation replaces the first, and what the check throws leaves it", async () => {
    const { opened, invitations, id, ada } = await arrange();
    await using _ = opened;
    await invitations.insert(invitationTo(id, "grace"), audit, unchecked);
    await invitations.insert(invitationTo(id, "alan"), audit, unchecked);
    const again = invitationTo(id, "grace", { id: "again", hash: "another hash" });
    const refused = invitations.insert(again, audit, (facts) => {
      expect(facts).toEqual({ isMember: false, members: 1, openInvitations: 1 });
      throw new Error("no");
    });
    await expect(refused).rejects.toThrow("no");
    expect(await invitations.find("another hash")).toBeNull();
    await invitations.insert(again, audit, unchecked);
    expect(await invitations.find("hash of grace")).toBeNull();
    expect((await invitations.find("another hash"))?.invitation).toEqual(again);
    const self = invitationTo(id, "ada", { email: ada.user.email, emailKey: ada.user.emailKey });
    await invitations.insert(self, audit, (facts) => expect(facts.isMember).toBe(true));
  });

  test("a revoked invitation is found no more, in its workspace only", async () => {
    const { opened, invitations, id, make } = await arrange();
    await using _ = opened;
    const other = await make.storedUser(opened.storage);
    const grace = invitationTo(id, "grace");
    await invitations.insert(grace, audit, unchecked);
    expect(await invitations.remove(other.workspace.id, grace.id, audit)).toBe(false);
    expect(await invitations.remove(id, grace.id, audit)).toBe(true);
    expect(await invitations.remove(id, grace.id, audit)).toBe(false);
    expect(await invitations.find(grace.hash)).toBeNull();
  });

  test("accepting stores the user, the membership, and the key, once", async () => {
    const { opened, invitations, id, make, ada } = await arrange();
    await using _ = opened;
    const { storage } = opened;
    const grace = invitationTo(id, "grace", { invitedBy: ada.user.id });
    await invitations.insert(grace, audit, unchecked);
    const user = { ...ada.user, id: "grace", email: grace.email, emailKey: grace.emailKey, name: "Grace" };
    const member = { ...ada.member, userId: "grace", role: grace.role, permissions: grace.permissions };
    const key = make.key(id, { userId: "grace" });
    const accept = (facts: InvitationFacts | null): Acceptance => {
      if (facts === null) throw new Error("used");
      expect(facts).toEqual({
        invitation: grace,
        workspace: ada.workspace,
        inviter: { member: ada.member, user: ada.user },
        invited: null,
        membership: null,
        members: 1,
      });
      return { user, member, key, audit };
    };
    const results = await Promise.allSettled([1, 2, 3].map(() => invitations.accept(grace.hash, accept)));
    expect(results.map(({ status }) => status).toSorted()).toEqual(["fulfilled", "rejected", "rejected"]);
    expect(await storage.workspaces.member(id, "grace")).toEqual({ member, user });
    expect((await storage.keys.findByHash(key.hash))?.userId).toBe("grace");
    expect(await invitations.find(grace.hash)).toBeNull();
  });

  test("a refused acceptance stores nothing, and the invitation stays", async () => {
    const { opened, invitations, id, ada } = await arrange();
    await using _ = opened;
    const { user } = ada;
    const self = invitationTo(id, "ada", { email: user.email, emailKey: user.emailKey });
    await invitations.insert(self, audit, unchecked);
    const refused = invitations.accept(self.hash, (facts) => {
      expect(facts).toMatchObject({ invited: user, membership: ada.member, inviter: null });
      throw new Error("already a member");
    });
    await expect(refused).rejects.toThrow("already a member");
    expect(await invitations.find(self.hash)).not.toBeNull();
  });
});
