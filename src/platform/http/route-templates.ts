import type { AnyElysia } from "elysia";
import { routesOf } from "./late-routes.ts";

/** `templates` are by method, those in `rest` for all that begins as this place does. */
type Node = {
  next: Map<string, Node>;
  anyNext: Node | null;
  templates: Map<string, string>;
  rest: Map<string, string>;
};

/**
 * The template of the route that takes a request, such as `/api/v2/leads/{leadId}`; null when none does. There are as
 * many as the source has routes, whatever clients ask for, so that they may name what is counted.
 */
export function routeTemplates(app: AnyElysia): (method: string, path: string) => string | null {
  let root: Node | null = null;
  return (asked, path) => {
    const method = asked === "HEAD" ? "GET" : asked;
    // A path without parameters is its own template, so that many requests, and those of a start, need no tree.
    if (app.router.static[path]?.[method] !== undefined && !path.endsWith("/")) return path;
    return find((root ??= treeOf(app)), partsOf(path), 0, method);
  };
}

function treeOf(app: AnyElysia): Node {
  const root = node();
  for (const { method, path } of routesOf(app)) {
    const parts = partsOf(path);
    const hasRest = parts.at(-1) === "*";
    let place = root;
    for (const part of hasRest ? parts.slice(0, -1) : parts)
      place = part.startsWith(":") ? (place.anyNext ??= node()) : child(place, part);
    const template = path.replaceAll(/:([^/]+)/g, "{$1}").replace(/(.)\/$/, "$1");
    (hasRest ? place.rest : place.templates).set(method, template);
  }
  return root;
}

function find(place: Node, parts: readonly string[], index: number, method: string): string | null {
  const part = parts[index];
  if (part === undefined) return templateIn(place.templates, method);
  const exact = place.next.get(part);
  const found = exact === undefined ? null : find(exact, parts, index + 1, method);
  return found ?? (place.anyNext && find(place.anyNext, parts, index + 1, method)) ?? templateIn(place.rest, method);
}

function templateIn(templates: Map<string, string>, method: string): string | null {
  return templates.get(method) ?? templates.get("ALL") ?? null;
}

function partsOf(path: string): string[] {
  const parts = path.split("/");
  if (parts.length > 2 && parts.at(-1) === "") parts.pop();
  return parts;
}

function child(place: Node, part: string): Node {
  const existing = place.next.get(part) ?? node();
  place.next.set(part, existing);
  return existing;
}

function node(): Node {
  return { next: new Map(), anyNext: null, templates: new Map(), rest: new Map() };
}
