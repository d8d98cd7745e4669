import { afterEach, expect, test } from "bun:test";
import { change, settled, show, signInAs } from "../support/page.ts";
import { ValuePicker } from "../../src/surfaces/dashboard/app/pages/leads/value-picker.tsx";

type Value = { value: string; leads: number };

const waiting = new Map<string, (response: Response) => void>();
// The page sends few requests at a time: those that a test leaves open would delay the requests of the next one.
afterEach(async () => {
  for (const respond of waiting.values()) respond(Response.json({ success: true, data: { values: [] } }));
  await settled();
});

/** Responses that the test sends when it likes, by what they contain. */
function heldResponses(): (contains: string, values: Value[]) => Promise<void> {
  waiting.clear();
  globalThis.fetch = ((input: string) => {
    const contains = new URL(input, "http://127.0.0.1").searchParams.get("contains") ?? "";
    return new Promise<Response>((resolve) => waiting.set(contains, resolve));
  }) as unknown as typeof fetch;
  return async (contains, values) => {
    // A request starts once the one before it has ended. If it never does, the test times out.
    while (!waiting.has(contains)) await settled();
    const respond = waiting.get(contains)!;
    waiting.delete(contains);
    respond(Response.json({ success: true, data: { values } }));
    await settled();
  };
}

async function open(isPart: boolean) {
  signInAs();
  const chosen: string[] = [];
  const place = await show(
    <ValuePicker
      label="Company"
      field="company"
      isPart={isPart}
      chosen={[]}
      onChoose={(value) => chosen.push(value)}
    />,
  );
  const input = place.querySelector("input")!;
  const type = (text: string) =>
    change(() => {
      input.value = text;
      input.dispatchEvent(new Event("input", { bubbles: true }));
    });
  const press = (key: string) =>
    change(() => void input.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true })));
  const names = (selector: string) =>
    [...place.querySelectorAll(`${selector} .value-name`)].map(({ textContent }) => textContent);
  return { chosen, type, press, options: () => names("li"), active: () => names('li[aria-selected="true"]') };
}

const engines = { value: "Engines", leads: 3 };
const navy = { value: "Navy", leads: 9 };
const bengal = { value: "Bengal", leads: 20 };

test("until the values for a text arrive, only known values that contain it are suggested", async () => {
  const respond = heldResponses();
  const { type, press, options, chosen } = await open(true);
  await respond("", [navy, engines]);
  expect(options()).toEqual(["Navy", "Engines"]);
  await type("eng");
  expect(options()).toEqual(["Contains “eng”", "Engines"]);
  await press("ArrowDown");
  await press("Enter");
  expect(chosen).toEqual(["Engines"]);
});

test("an option that was selected stays selected when values that come before it arrive", async () => {
  const respond = heldResponses();
  const { type, press, options, active, chosen } = await open(true);
  await respond("", [navy, engines]);
  await type("eng");
  await press("ArrowDown");
  await respond("eng", [bengal, engines]);
  expect(options()).toEqual(["Contains “eng”", "Bengal", "Engines"]);
  expect(active()).toEqual(["Engines"]);
  await press("Enter");
  expect(chosen).toEqual(["Engines"]);
});

test("the first option, which is selected at first, stays selected, too", async () => {
  const respond = heldResponses();
  const { type, press, active, chosen } = await open(false);
  await respond("", [engines, navy]);
  await type("eng");
  expect(active()).toEqual(["Engines"]);
  await respond("eng", [bengal, engines]);
  expect(active()).toEqual(["Engines"]);
  await press("ArrowUp");
  expect(active()).toEqual(["Bengal"]);
  await press("Enter");
  expect(chosen).toEqual(["Bengal"]);
});
