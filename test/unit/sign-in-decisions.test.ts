import { expect, test } from "bun:test";
import { personProblem, recognize } from "../../src/features/workspaces/sign-in/decisions.ts";
import { maxMembers } from "../../src/features/workspaces/members/model.ts";
import type { IdentityFacts } from "../../src/features/workspaces/sign-in/store.ts";
import { createFactories } from "../support/factories.ts";

const make = createFactories();
const user = make.user();
const inactive = make.user({ isActive: false });
const times = { createdAt: 1, lastUsedAt: 1 };
const identity = {
  id: "i",
  userId: user.id,
  issuer: "https://id.example.com",
  subject: "s",
  email: user.email,
  ...times,
};
const workspace = { id: "w", timeZone: "UTC", members: 3 };
const nobody: IdentityFacts = { known: null, byAddress: null, isTaken: false, workspace };
const open = { role: "member" as const };

test.each<[string, boolean | null, readonly string[], boolean, string | null]>([
  ["ada@example.com", true, [], false, null],
  ["ada@example.com", true, ["*"], false, null],
  ["ada@EXAMPLE.com", true, ["example.com"], false, null],
  ["ada@sub.example.com", true, ["example.com"], false, "domain"],
  ["ada@example.com@evil.example", true, ["example.com"], false, "domain"],
  ["ada@notexample.com", true, ["example.com"], false, "domain"],
  ["ada@example.com", null, [], false, "unverified"],
  ["ada@example.com", null, [], true, null],
  ["ada@example.com", false, [], true, "unverified"],
])("%s, verified %p, with domains %p and trust %p: %p", (email, isVerified, domains, trustsAddresses, problem) => {
  expect(personProblem({ email, isVerified }, { domains, trustsAddresses })).toBe(problem as never);
});

test.each<[string, Partial<IdentityFacts>, { role: "member" | null }, boolean, object]>([
  ["an account that signed in before", { known: { identity, user } }, { role: null }, true, { kind: "user", user }],
  ["the same while nothing may change", { known: { identity, user } }, { role: null }, false, { kind: "user", user }],
  ["an account of a deactivated user", { known: { identity, user: inactive } }, open, true, refusal("deactivated")],
  ["the address of a user", { byAddress: user }, { role: null }, true, { kind: "link", user }],
  ["the address of a deactivated user", { byAddress: inactive }, open, true, refusal("deactivated")],
  ["the address of a user with another account", { byAddress: user, isTaken: true }, open, true, refusal("taken")],
  ["a newcomer where none are wanted", {}, { role: null }, true, refusal("unknown")],
  ["a newcomer without a workspace to join", { workspace: null }, open, true, refusal("unknown")],
  ["a newcomer", {}, open, true, { kind: "provision", workspace }],
  ["a newcomer while nothing may change", {}, open, false, refusal("readOnly")],
  ["one too many", { workspace: { ...workspace, members: maxMembers } }, open, true, refusal("full")],
])("%s is recognized", (_who, facts, policy, mayChange, expected) => {
  expect(recognize({ ...nobody, ...facts }, policy, mayChange)).toEqual(expected as never);
});

function refusal(problem: string) {
  return { kind: "refuse", problem };
}
