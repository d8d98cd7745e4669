import type { AnyElysia } from "elysia";

/** As `app.route` takes it. */
export type Route = readonly [method: string, path: string, handle: never, hook: object];

/** Elysia's own record of a route. */
type Taken = AnyElysia["router"]["history"][number];

/** A route that an app has, whether it is worked out yet or not. */
export type KnownRoute = { method: string; path: string; take(): Taken };

/** By apps that take their features' routes late; in the order in which they were added. */
const lateRoutes = new WeakMap<AnyElysia, LateRoute[]>();

/**
 * From now on `app` takes in each route of a feature when it is first asked for. Elysia works out all that a route
 * depends on when it takes it in, which for all of them is a tenth of a start, and most are not asked for before the next.
 */
export function takeLate<App extends AnyElysia>(app: App): App {
  lateRoutes.set(app, []);
  return app;
}

export function addRoute(app: AnyElysia, route: Route): void {
  const late = lateRoutes.get(app);
  if (late === undefined) app.route(...route);
  else late.push(new LateRoute(app, route));
}

/** All of them; to take one that is there already costs nothing. */
export function routesOf(app: AnyElysia): KnownRoute[] {
  const late = lateRoutes.get(app) ?? [];
  const taken = new Set(late.map((route) => route.taken));
  const others = app.router.history.filter((route) => !taken.has(route));
  return [...late, ...others.map((route) => ({ method: route.method, path: route.path, take: () => route }))];
}

/** The same app with every route taken in, as it must be before Elysia itself looks for one. */
export function wholeApp<App extends AnyElysia>(app: App): App {
  for (const route of lateRoutes.get(app) ?? []) route.take();
  return app;
}

class LateRoute implements KnownRoute {
  readonly #app: AnyElysia;
  readonly #route: Route;
  taken: Taken | undefined;

  constructor(app: AnyElysia, route: Route) {
    this.#app = app;
    this.#route = route;
  }

  get method(): string {
    return this.#route[0];
  }

  get path(): string {
    return this.#route[1];
  }

  take(): Taken {
    if (this.taken === undefined) {
      this.#app.route(...this.#route);
      this.taken = this.#app.router.history.at(-1)!;
    }
    return this.taken;
  }
}
