import { afterEach } from "bun:test";
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
] as const;
for (const name of borrowed) {
  const value: unknown = Reflect.get(window, name);
  const isMethod = /^[a-z]/.test(name) && typeof value === "function";
  Reflect.set(globalThis, name, isMethod ? (value as () => void).bind(window) : value);
}

const { render } = await import("preact");
const { act } = await import("preact/test-utils");

/** Shows a component; after the test it is taken away. */
export async function show(component: VNode): Promise<HTMLElement> {
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

/** What the server answers to the requests of a page: by method and path, with the query. */
export function answerWith(answers: Record<string, (body: unknown) => { status?: number; body: unknown }>): string[] {
  const asked: string[] = [];
  globalThis.fetch = (async (input: string, init: RequestInit = {}) => {
    const request = `${init.method ?? "GET"} ${input}`;
    asked.push(request);
    const answer = answers[request];
    if (answer === undefined) throw new Error(`Nobody answers ${request}`);
    const { status = 200, body } = answer(typeof init.body === "string" ? JSON.parse(init.body) : init.body);
    return Response.json(body, { status });
  }) as unknown as typeof fetch;
  return asked;
}

const realFetch = globalThis.fetch;
afterEach(async () => {
  globalThis.fetch = realFetch;
  for (const place of [...document.body.children]) {
    await act(() => render(null, place));
    place.remove();
  }
});
