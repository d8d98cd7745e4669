import { afterAll, beforeAll, expect, test } from "bun:test";
import type { Answer, Client } from "../support/client.ts";
import {
  arrangementProblems,
  ask,
  casesOf,
  keyedRoutes,
  otherPermissions,
  strangerStatus,
  type Case,
} from "../support/route-matrix.ts";
import { managesWorkspace, permissionsOf, type RoleGrant } from "../../src/platform/auth/member-role.ts";
import { foreignReferences } from "../support/foreign-references.ts";
import { createObjects, mark, type RouteObjects } from "../support/route-objects.ts";
import { routeRequests } from "../support/route-requests.ts";
import { startRouteWorld } from "../support/route-world.ts";
import { succeeded } from "../support/service.ts";
import { addMember } from "../support/team.ts";

const world = await startRouteWorld();
const { service } = world;
const documented = keyedRoutes(service.document.operations);
const routes = documented.filter(world.has);
let objects: RouteObjects;
let cases: Case[];
let requests = 0;
const roles = [
  ...(["admin", "member", "viewer"] as const).map((role) => ({ role, permissions: null })),
  { role: "custom" as const, permissions: ["leads:read" as const, "network:read" as const] },
];

beforeAll(async () => {
  expect(arrangementProblems(documented)).toEqual([]);
  objects = await createObjects(world);
  cases = casesOf(routes, objects);
}, 60_000);
afterAll(async () => {
  console.log(`${cases?.length} routes, ${requests} requests`);
  await service[Symbol.asyncDispose]();
});

/** What is wrong with the answers of a caller, by route. */
async function problemsOf(
  who: (each: Case) => Client | Promise<Client>,
  problem: (each: Case, answer: Answer) => string | null,
  some: readonly Case[] = cases,
): Promise<string[]> {
  const problems: string[] = [];
  for (const each of some) {
    const answer = await ask(await who(each), each).catch((error: Error) => error);
    requests++;
    const found = answer instanceof Error ? answer.message : (problem(each, answer) ?? leakIn(each, answer));
    if (found !== null) problems.push(`${each.method} ${each.template}: ${found}`);
  }
  return problems;
}

const refusedWith =
  (status: number, code: string) =>
  (_: Case, answer: Answer): string | null =>
    answer.status === status && answer.code === code ? null : `expected ${status} ${code}, got ${outcomeOf(answer)}`;

function outcomeOf({ status, code, message }: Answer): string {
  return [status, code, message].filter(Boolean).join(" ");
}

/** Texts and IDs of the workspace that are in an answer although the request did not contain them. */
function leakIn({ path, request }: Pick<Case, "path" | "request">, { body }: Answer): string | null {
  const sent = `${path} ${JSON.stringify(request)}`.toLowerCase();
  const text = JSON.stringify(body).toLowerCase();
  // Short ones are numbers, which occur everywhere; what they stand for has the mark.
  const ids = Object.values(objects.ids).filter((id) => id.length > 20);
  const secrets = [mark, ...ids].map((secret) => secret.toLowerCase());
  const leaked = secrets.filter((secret) => text.includes(secret) && !sent.includes(secret));
  return leaked.length === 0 ? null : `the answer contains ${leaked.join(", ")}: ${text.slice(0, 300)}`;
}

/** What the owner reads of the workspace. */
async function stateOfWorkspace(): Promise<Record<string, unknown>> {
  const state: Record<string, unknown> = {};
  for (const each of cases) {
    if (each.method !== "GET" || each.request.only === "admins" || /stream|audio|health|export/.test(each.path))
      continue;
    state[each.name] = lasting(succeeded(await ask(objects.owner, each)).body);
  }
  return state;
}

/** Without what reading changes, and without what providers were paid for all workspaces together. */
function lasting(body: unknown): string[] {
  const changing = /"(usageCount|last_used_at|lastUsedAt|creditsUsed)":("[^"]*"|[^,}]*)/g;
  return JSON.stringify(body)
    .replaceAll(changing, "")
    .split(/(?<=[,{])/);
}

async function unchanged(act: () => Promise<string[]>): Promise<void> {
  const before = await stateOfWorkspace();
  expect(await act()).toEqual([]);
  expect(await stateOfWorkspace()).toEqual(before);
}

test("without a key, and with a malformed one, every route is closed", async () => {
  for (const key of [null, "nonsense"])
    await unchanged(() => problemsOf(() => service.client(key), refusedWith(401, "UNAUTHORIZED")));
});

test("an owner's key that lacks only the permission of a route is refused, and changes nothing", async () => {
  const keys = new Map<string, Client>();
  const limited = async (each: Case): Promise<Client> => {
    const permissions = otherPermissions(each);
    const name = permissions.join();
    const known = keys.get(name) ?? (await service.keyOf(objects.owner, permissions));
    keys.set(name, known);
    return known;
  };
  const guarded = cases.filter(({ permissions, request }) => permissions.length > 0 || request.permission);
  for (const each of guarded) await limited(each);
  await unchanged(() => problemsOf(limited, refusedWith(403, "PERMISSION_DENIED"), guarded));
});

test("another workspace's owner finds nothing of this one, and changes nothing", async () => {
  const stranger = await service.user();
  await unchanged(() => problemsOf(() => stranger, foreign));
});

function foreign(each: Case, answer: Answer): string | null {
  const wanted = strangerStatus(each);
  const isRight = wanted === null ? answer.status < 300 : answer.status === wanted;
  return isRight ? null : `expected ${wanted ?? "a success"}, got ${outcomeOf(answer)}`;
}

test("objects of another workspace, named in bodies and queries, are not found, and nothing of them is told", async () => {
  const own = await createObjects(world);
  const { accountId = "", campaignId = "", leadId = "", memberId = "" } = own.ids;
  const references = foreignReferences(objects, { accountId, campaignId, leadId, memberId });
  await unchanged(async () => {
    const problems: string[] = [];
    for (const { method, path, body, query, status } of references) {
      requests++;
      const request = { ...(body !== undefined && { body }), ...(query && { query }) };
      const answer = await own.owner.send(method, `/api/v2${path}`, request);
      const leaked = leakIn({ path, request }, answer);
      if (answer.status !== status) problems.push(`${method} ${path}: expected ${status}, got ${outcomeOf(answer)}`);
      if (leaked !== null) problems.push(`${method} ${path}: ${leaked}`);
    }
    return problems;
  });
});

test("a member who was removed or deactivated is nobody on every route", async () => {
  const [removed, deactivated] = [
    await addMember(service, objects.owner, "admin"),
    await addMember(service, objects.owner, "admin"),
  ];
  succeeded(await objects.owner.delete(`/api/v2/members/${removed.userId}`));
  succeeded(await objects.owner.put(`/api/v2/members/${deactivated.userId}`, { isActive: false }));
  for (const former of [removed, deactivated])
    await unchanged(() => problemsOf(() => former, refusedWith(401, "UNAUTHORIZED")));
});

test.each(roles)("a member with the role $role does what it permits, and nothing else", async (grant) => {
  // A workspace of its own, for what is permitted changes it.
  const own = await createObjects(world);
  const member = await addMember(service, own.owner, grant.role, { custom: grant.permissions });
  const problems: string[] = [];
  for (const each of casesOf(routes, own).toSorted((a, b) => turnOf(a) - turnOf(b))) {
    requests++;
    const answer = await ask(member, each);
    const { colleague = {}, owner } = each.request;
    const isRight = isPermitted(each, grant)
      ? hasSucceeded(answer, colleague[grant.role] ?? owner)
      : answer.code === "PERMISSION_DENIED";
    if (!isRight) problems.push(`${each.method} ${each.template}: got ${outcomeOf(answer)}`);
  }
  expect(problems).toEqual([]);
});

function isPermitted({ permissions, request }: Case, grant: RoleGrant): boolean {
  if (request.only === "admins" || request.only === "owners") return false;
  if (request.only === "managers" && !managesWorkspace(grant.role)) return false;
  const granted = permissionsOf(grant);
  const accepted = request.permission === undefined ? permissions : [request.permission];
  return granted.includes("*") || accepted.length === 0 || granted.some((permission) => accepted.includes(permission));
}

function hasSucceeded({ status }: Answer, other: number | undefined): boolean {
  return other === undefined ? status < 300 : status === other;
}

test("the owner's own requests succeed: what others are refused is there", async () => {
  // A workspace of its own, for nothing is left of it.
  const own = await createObjects(world);
  const sorted = casesOf(routes, own).toSorted((a, b) => turnOf(a) - turnOf(b));
  const problems: string[] = [];
  for (const each of sorted) {
    requests++;
    const client = each.request.only === "admins" ? service.admin : own.owner;
    const answer = await ask(client, each);
    if (!hasSucceeded(answer, each.request.owner))
      problems.push(
        `${each.method} ${each.template}: expected ${each.request.owner ?? "a success"}, got ${outcomeOf(answer)} ${JSON.stringify(answer.details)}`,
      );
  }
  expect(problems).toEqual([]);
});

/** Reading first and deleting last; otherwise in the order of the arrangement. */
function turnOf({ method, name }: Case): number {
  const order = Object.keys(routeRequests);
  return order.indexOf(name) + (method === "GET" ? 0 : method === "DELETE" ? 2 : 1) * order.length;
}
