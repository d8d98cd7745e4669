import { ApiError } from "../base/errors.ts";
import type { Route } from "./route.ts";

/** All routes of the server. */
export class RouteTable {
  readonly routes: readonly Route[];
  /** Built on first use; most servers never need them. */
  #patterns: { route: Route; pattern: RegExp }[] | null = null;

  constructor(lists: readonly { readonly all: readonly Route[] }[]) {
    this.routes = lists.flatMap(({ all }) => all);
  }

  /** The route for a request that is made inside the server, with its path parameters; null if there is none. */
  find(method: string, path: string): { route: Route; params: Record<string, string> } | null {
    const [found] = this.#matching(path)
      .filter(({ route }) => route.method === method)
      .toSorted((one, other) => parametersIn(one.route) - parametersIn(other.route));
    return found === undefined ? null : { route: found.route, params: decoded(found.params) };
  }

  /** The error for a request that no route accepts: METHOD_NOT_ALLOWED if the path exists, or else NOT_FOUND. */
  noRoute(method: string, path: string): ApiError {
    const methods = new Set<string>(this.#matching(path).map(({ route }) => route.method));
    if (methods.has("GET")) methods.add("HEAD");
    const allow = [...methods].toSorted();
    if (allow.length > 0)
      return new ApiError("METHOD_NOT_ALLOWED", {
        message: `${path} does not support ${method}. Supported methods: ${allow.join(", ")}.`,
        details: { allow },
        headers: { allow: allow.join(", ") },
      });
    return new ApiError("NOT_FOUND", {
      message: `Route ${method} ${path} not found. See /docs for all routes.`,
      details: { resource: "route", id: `${method} ${path}` },
    });
  }

  #matching(path: string): { route: Route; params: Record<string, string> }[] {
    this.#patterns ??= this.routes.map((route) => ({ route, pattern: patternOf(route.path) }));
    const plain = path.replace(/(.)\/$/, "$1");
    return this.#patterns.flatMap(({ route, pattern }) => {
      const match = pattern.exec(plain);
      return match === null ? [] : [{ route, params: { ...match.groups } }];
    });
  }
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/:([^/]+)/g, "(?<$1>[^/]+)")
    .replace(/\*/g, ".*");
  return new RegExp(`^${source}$`);
}

/** Exact paths take precedence over parameters, and parameters over the rest of a path. */
function parametersIn({ path }: Route): number {
  return path.endsWith("*") ? Number.POSITIVE_INFINITY : path.split(":").length;
}

function decoded(params: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(params).map(([name, value]) => [name, decodeURIComponent(value)]));
}
