import { describe, expect, test } from "bun:test";
import { createInvitationStore } from "../../src/adapters/storage/postgres/invitations.ts";
import type { Engine } from "../../src/adapters/storage/postgres/engine.ts";
import { createKeyStore } from "../../src/adapters/storage/postgres/keys.ts";
import { createLeadStore } from "../../src/adapters/storage/postgres/leads.ts";
import { createUserStore } from "../../src/adapters/storage/postgres/users.ts";
import { createWorkspaceStore } from "../../src/adapters/storage/postgres/workspaces.ts";
import type { Invitation } from "../../src/features/workspaces/invitations/model.ts";
import type { Acceptance, InvitationFacts } from "../../src/features/workspaces/invitations/store.ts";
import type { MemberChanges, MemberFacts } from "../../src/features/workspaces/store.ts";
import type { UserFacts } from "../../src/features/workspaces/users/store.ts";
import { auditEntry } from "../../src/platform/auth/audit/entry.ts";
import { startOfTests } from "../support/clock.ts";
import { openNodes, type Nodes } from "../support/postgres-nodes.ts";

const audit = auditEntry(null, startOfTests, { action: "member.updated", workspaceId: null });

describe("people on two nodes", () => {
  test("of two owners who leave at the same time, one stays", async () => {
    await using nodes = await openNodes();
    const { second, make, workspaceId } = nodes;
    const other = await make.storedUser(second);
    const member = { ...other.member, workspaceId, role: "owner" as const };
    await second.workspaces.changeMembers(workspaceId, [], () => ({ write: [member], remove: [], audit }));
    const attempt = await nodes.whileOpen(
      (engine) => createWorkspaceStore(engine).changeMembers(workspaceId, [workspaceId], leaveOf(workspaceId)),
      () => second.workspaces.changeMembers(workspaceId, [other.user.id], leaveOf(other.user.id)).catch(String),
    );
    expect(attempt).toContain("last owner");
    expect((await second.workspaces.members(workspaceId)).map(({ user }) => user.id)).toEqual([other.user.id]);
  });

  test.each(["assigned", "removed"])("a member who is removed gets no lead, whichever is first: %s", async (first) => {
    await using nodes = await openNodes();
    const { second, make, workspaceId } = nodes;
    const other = await make.storedUser(second);
    const member = { ...other.member, workspaceId, role: "member" as const };
    await second.workspaces.changeMembers(workspaceId, [], () => ({ write: [member], remove: [], audit }));
    const assignee = other.user.id;
    const wish = { ...make.leadInsert(workspaceId, { assignedTo: assignee }), assignee };
    const insert = (on: Engine) => createLeadStore(on).insert(wish);
    const remove = (on: Engine) =>
      createWorkspaceStore(on).changeMembers(workspaceId, [], () => ({ write: [], remove: [assignee], audit }));
    if (first === "assigned") {
      // The removal waits, and the service then passes the lead on.
      await nodes.whileOpen(insert, () => remove(nodes.engine));
      expect(await second.leads.count(workspaceId, { assignedTo: assignee })).toBe(1);
    } else {
      expect(await nodes.whileOpen(remove, () => insert(nodes.engine))).toEqual({ kind: "noMember", userId: assignee });
      expect(await second.leads.count(workspaceId, {})).toBe(0);
    }
    expect(await second.workspaces.member(workspaceId, assignee)).toBeNull();
  });

  test("of two admins who step down at the same time, one stays", async () => {
    await using nodes = await openNodes();
    const { second, make } = nodes;
    const [one, other] = [
      await make.storedUser(second, { role: "admin" }),
      await make.storedUser(second, { role: "admin" }),
    ];
    const attempt = await nodes.whileOpen(
      (engine) => createUserStore(engine).change(one.user.id, null, stepDown),
      () => second.users.change(other.user.id, null, stepDown).catch(String),
    );
    expect(attempt).toContain("last admin");
  });

  test("an address that both take is taken once", async () => {
    await using nodes = await openNodes();
    const { second, make } = nodes;
    const { user } = await make.storedUser(second);
    const newcomer = make.newUser({ email: "ada@example.com" });
    const isTaken = await nodes.whileOpen(
      (engine) => createUserStore(engine).insert(newcomer),
      async () => {
        const facts: boolean[] = [];
        await second.users.change(user.id, "ada@example.com", (found) => {
          facts.push(found.isTaken);
          return { change: { updatedAt: startOfTests } };
        });
        return facts;
      },
    );
    expect(isTaken).toEqual([true]);
    const twin = make.newUser({ email: "ADA@example.com" });
    expect(await second.users.insert(twin)).toBe(false);
  });

  test("an invitation works once", async () => {
    await using nodes = await openNodes();
    const { second, workspaceId } = nodes;
    const invitation = await invite(nodes, "eve@example.com");
    const seen: (InvitationFacts | null)[] = [];
    const attempt = await nodes.whileOpen(
      (engine) => createInvitationStore(engine).accept(invitation.hash, acceptanceBy(nodes)),
      () =>
        second.invitations
          .accept(invitation.hash, (facts) => {
            seen.push(facts);
            throw new Error("It was used");
          })
          .catch(String),
    );
    expect({ attempt, seen }).toEqual({ attempt: "Error: It was used", seen: [null] });
    expect(await second.workspaces.members(workspaceId)).toHaveLength(2);
  });

  test("the last seat goes to one of two who are invited at the same time", async () => {
    await using nodes = await openNodes();
    const { second, workspaceId } = nodes;
    const seen: number[] = [];
    await nodes.whileOpen(
      (engine) => createInvitationStore(engine).insert(invitationTo(workspaceId, "one@example.com"), audit, () => {}),
      () =>
        second.invitations.insert(invitationTo(workspaceId, "two@example.com"), audit, ({ openInvitations }) => {
          seen.push(openInvitations);
        }),
    );
    expect(seen).toEqual([1]);
  });

  test("a sign-in link that both open starts one session", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const key = make.key(workspaceId);
    await first.keys.insert(key);
    const times = { createdAt: startOfTests, expiresAt: startOfTests + 1000 };
    for (let n = 0; n < 10; n++) {
      const hash = `link ${n}`;
      await first.sessions.insertLink({ hash, keyId: key.id, keyHash: key.hash, ...times });
      const session = (name: string) => ({
        ...{ id: `${name} ${n}`, hash: `${name} ${n}`, address: null, userAgent: null, lastUsedAt: startOfTests },
        ...times,
      });
      const begun = await Promise.all([
        first.sessions.redeemLink(hash, session("one")),
        second.sessions.redeemLink(hash, session("two")),
      ]);
      expect(begun.filter((each) => each !== null)).toHaveLength(1);
    }
  });

  test("the chain of the audit log does not fork", async () => {
    await using nodes = await openNodes();
    const { first } = nodes;
    await Promise.all(Array.from({ length: 20 }, (_, n) => nodes.either(n).audit.append(audit)));
    expect(await first.audit.check(null, 100)).toMatchObject({ checked: 20, brokenAt: null });
  });

  test("keys that both count are counted completely, and an expiry is announced once", async () => {
    await using nodes = await openNodes();
    const { first, second, make, workspaceId } = nodes;
    const keys = [0, 1, 2].map(() => make.key(workspaceId, { expiresAt: startOfTests + 500 }));
    for (const key of keys) await first.keys.insert(key);
    const usages = keys.map(({ id: keyId }) => ({ keyId, uses: 1, lastUsedAt: startOfTests }));
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        nodes.either(n).keys.recordUsage(n % 2 === 0 ? usages : usages.toReversed()),
      ),
    );
    expect((await second.keys.list("all", 10)).map(({ usageCount }) => usageCount)).toEqual([10, 10, 10]);
    const announced = await nodes.whileOpen(
      (engine) => createKeyStore(engine).warnOfEnds(startOfTests, startOfTests + 1000, 10),
      () => second.keys.warnOfEnds(startOfTests, startOfTests + 1000, 10),
    );
    expect(announced).toBe(0);
  });
});

/** Removes a member unless that leaves no owner. */
function leaveOf(userId: string) {
  return ({ activeOwners }: MemberFacts): MemberChanges => {
    if (activeOwners <= 1) throw new Error("This is the last owner");
    return { write: [], remove: [userId], audit };
  };
}

function stepDown({ otherAdmins }: UserFacts) {
  if (otherAdmins === 0) throw new Error("This is the last admin");
  return { change: { role: "member" as const, updatedAt: startOfTests } };
}

function invitationTo(workspaceId: string, email: string): Invitation {
  return {
    ...{ id: email, workspaceId, email, emailKey: email, role: "member", permissions: null, hash: `hash of ${email}` },
    ...{ invitedBy: null, createdAt: startOfTests, expiresAt: startOfTests + 1000 },
  };
}

async function invite({ first, workspaceId }: Nodes, email: string): Promise<Invitation> {
  const invitation = invitationTo(workspaceId, email);
  await first.invitations.insert(invitation, audit, () => {});
  return invitation;
}

/** A new user who joins. */
function acceptanceBy({ make, workspaceId }: Nodes) {
  return (facts: InvitationFacts | null): Acceptance => {
    if (facts === null) throw new Error("It was used");
    const { user, member } = make.newUser({ email: facts.invitation.email });
    const key = { ...make.key(workspaceId), userId: user.id };
    return { user, member: { ...member, workspaceId, role: "member" }, key, audit };
  };
}
