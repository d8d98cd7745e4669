import { afterEach, onTestFinished } from "bun:test";
import { Window } from "happy-dom";
import type { VNode } from "preact";

/**
 * A document for components, in the place of a browser's. Import this file before any file of the dashboard: those
 * look at the document when they are loaded.
 */
const window = new Window({ url: "http://127.0.0.1:8080/" });
const borrowed = [
  "window",
  "document",
  "location",
  "history",
  "localStorage",
  "navigator",
  "HTMLElement",
  "HTMLDialogElement",
  "Element",
  "Node",
  "Event",
  "KeyboardEvent",
  "MouseEvent",
  "CSS",
  "requestAnimationFrame",
  "cancelAnimationFrame",
  "addEventListener",
  "removeEventListener",
  "scrollTo",
  "sessionStorage",
] as const;
for (const name of borrowed) {
  const value: unknown = Reflect.get(window, name);
  const isMethod = /^[a-z]/.test(name) && typeof value === "function";
  Reflect.set(globalThis, name, isMethod ? (value as () => void).bind(window) : value);
}

const { render } = await import("preact");
const { act } = await import("preact/test-utils");
const { entryPushed, newEntry } = await import("../../src/surfaces/dashboard/app/scroll.ts");
const { session } = await import("../../src/surfaces/dashboard/app/session.ts");
const { stopSharing } = await import("../../src/surfaces/dashboard/app/shared-requests.ts");

/** Shows a component; after the test it is taken away. */
export async function show(component: VNode): Promise<HTMLElement> {
  // Not by `afterEach` alone: it holds for one file, the first of a process that imports this one.
  onTestFinished(cleanUp);
  const place = document.createElement("div");
  document.body.append(place);
  await act(() => render(component, place));
  return place;
}

/** Does something that changes what is shown, and waits until it is. */
export async function change(what: () => void | Promise<void>): Promise<void> {
  await act(async () => {
    await what();
  });
}

/** Waits until what was asked for is answered and shown. */
export function settled(): Promise<void> {
  return change(async () => {
    await Bun.sleep(0);
    await Bun.sleep(0);
    // Requests of low priority begin a task later, which takes a millisecond.
    await Bun.sleep(2);
    await Bun.sleep(0);
  });
}

/** Signs a person in, who may do everything unless it is said otherwise. */
export function signInAs({
  permissions = ["*"],
  name = "Ada",
}: { permissions?: string[]; name?: string | null } = {}): void {
  const times = { createdAt: "2026-01-05T10:00:00Z", updatedAt: "2026-01-05T10:00:00Z" };
  session.value = {
    user: { id: "u", email: "ada@example.com", name, role: "admin", isActive: true, timeZone: "UTC", ...times },
    workspace: { id: "u", name: "Ada", role: "owner" },
    isAdmin: true,
    key: { id: "k", name: "page", requiresApproval: false },
    permissions,
    version: "0.0.0",
  };
}

/** What the server answers to the requests of a page: by method and path, with the query. */
export function answerWith(
  answers: Record<string, (body: unknown, headers: Headers) => { status?: number; body: unknown }>,
): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (input: string, init: RequestInit = {}) => {
    const request = `${init.method ?? "GET"} ${input}`;
    asked.push(request);
    const answer = answers[request];
    if (answer === undefined) throw new Error(`Nobody answers ${request}`);
    const { status = 200, body } = answer(
      typeof init.body === "string" ? JSON.parse(init.body) : init.body,
      new Headers(init.headers),
    );
    return Response.json(body, { status });
  }) as unknown as typeof fetch;
  return asked;
}

const realFetch = globalThis.fetch;
afterEach(cleanUp);

async function cleanUp(): Promise<void> {
  globalThis.fetch = realFetch;
  for (const place of [...document.body.children]) {
    await act(() => render(null, place));
    place.remove();
  }
  // A request that nothing answered is not for the next test, which has other answers.
  stopSharing();
  // What is kept for Back belongs to the entry of one test.
  history.replaceState(newEntry(), "");
  entryPushed();
}
