import { permissions as allPermissions, type Permission } from "../../src/platform/auth/key-model.ts";
import type { Answer, Client } from "./client.ts";
import type { Operation } from "./openapi.ts";
import type { RouteObjects } from "./route-objects.ts";
import { routeRequests, type RouteRequest } from "./route-requests.ts";

/** A route with the request of its owner. */
export type Route = {
  name: string;
  method: string;
  template: string;
  permissions: string[];
  actsFor: Operation["actsFor"];
};
export type Case = Route & { path: string; request: RouteRequest };

const api = "/api/v2";

/** Routes that need a key. Every PUT is a PATCH, too, which the document does not mention. */
export function keyedRoutes(operations: readonly Operation[]): Route[] {
  const keyed = operations.filter(({ actsFor }) => actsFor !== null);
  const names = new Set(keyed.map(nameOf));
  return keyed.flatMap((operation) => {
    const { method, path: template, permissions, actsFor } = operation;
    const route = { name: nameOf(operation), method, template, permissions, actsFor };
    const hasTwin = method === "PUT" && !names.has(nameOf({ ...operation, method: "PATCH" }));
    return hasTwin ? [route, { ...route, method: "PATCH" }] : [route];
  });
}

function nameOf({ method, path }: Pick<Operation, "method" | "path">): string {
  return `${method} ${path.startsWith(api) ? path.slice(api.length) : path}`;
}

/** What must be added to, and removed from, the requests. */
export function arrangementProblems(routes: readonly Route[]): string[] {
  const names = new Set(routes.map(({ name }) => name));
  return [
    ...[...names]
      .filter((name) => !(name in routeRequests))
      .map(
        (name) =>
          `Add "${name}" to test/support/route-requests.ts: a request that succeeds for the owner of the objects, and who else may send it.` +
          " If it has a new kind of object, create one in test/support/route-objects.ts under the name of its parameter.",
      ),
    ...Object.keys(routeRequests)
      .filter((name) => !names.has(name))
      .map((name) => `Remove "${name}" from test/support/route-requests.ts: the document has no such route.`),
  ];
}

/** The requests of all routes, about the objects or, without them, about none. */
export function casesOf(routes: readonly Route[], objects: RouteObjects): Case[] {
  return routes.map((route) => {
    const request = routeRequests[route.name]!(objects);
    return { ...route, request, path: pathOf(route, request, objects.ids) };
  });
}

function pathOf({ name, template }: Route, { ids = {} }: RouteRequest, objects: Readonly<Record<string, string>>) {
  return template.replaceAll(/\{(\w+)\}/g, (_, parameter: string) => {
    const id = objects[ids[parameter] ?? parameter];
    if (id === undefined || id === "")
      throw new Error(`Create an object for {${parameter}} of ${name} in test/support/route-objects.ts.`);
    return encodeURIComponent(id);
  });
}

export function ask(client: Client, { method, path, request: { body, query, headers } }: Case): Promise<Answer> {
  return client.send(method, path, {
    ...(body !== undefined && { body }),
    ...(query && { query }),
    ...(headers && { headers }),
  });
}

/** All permissions that do not open a route. */
export function otherPermissions({ permissions, request }: Case): Permission[] {
  const accepted: readonly string[] = request.permission === undefined ? permissions : [request.permission];
  return allPermissions.filter((permission) => !accepted.includes(permission));
}

/** Status that a member of another workspace gets; null: a success with what they are given of their own. */
export function strangerStatus({ template, request }: Case): number | null {
  if (request.only === "admins") return 403;
  return request.stranger ?? (template.includes("{") ? 404 : null);
}
