import type { AnyElysia } from "elysia";
import { routesOf } from "./late-routes.ts";

/**
 * Which methods a path takes, asked when none fitted; empty for a path that no route has. Elysia answers 404 for both
 * an unknown path and a wrong method, which leaves a client in the dark about which it was.
 */
export function allowedMethods(app: AnyElysia): (path: string) => string[] {
  let routes: { method: string; pattern: RegExp }[] | null = null;
  return (path) => {
    routes ??= routesOf(app).map(({ method, path: pattern }) => ({ method, pattern: patternOf(pattern) }));
    const methods = new Set(
      routes.filter(({ pattern }) => pattern.test(path.replace(/(.)\/$/, "$1"))).map(({ method }) => method),
    );
    if (methods.has("GET")) methods.add("HEAD");
    return [...methods].toSorted();
  };
}

function patternOf(path: string): RegExp {
  const source = path
    .replace(/(.)\/$/, "$1")
    .replace(/[.+^${}()|[\]\\]/g, "\\$&")
    .replace(/:[^/]+/g, "[^/]+")
    .replace(/\*/g, ".*");
  return new RegExp(`^${source}$`);
}
