import { afterEach, expect, test } from "bun:test";
import { answerWith, change, settled, show } from "../support/page.ts";
import type { CampaignStep, CampaignView } from "../../src/features/campaigns/model.ts";
import { actionKinds } from "../../src/features/network/action-kinds.ts";
import { templateFields } from "../../src/features/network/template.ts";
import { CampaignEditor } from "../../src/surfaces/dashboard/app/pages/campaigns/campaign-editor.tsx";
import { usualRule } from "../../src/surfaces/dashboard/app/pages/campaigns/editor/winner-fields.tsx";
import { defaultRule } from "../../src/features/campaigns/variant-results.ts";
import { variableNames } from "../../src/surfaces/dashboard/app/lead-variables.ts";
import { textLimits } from "../../src/surfaces/dashboard/app/pages/campaigns/editor/texts.ts";
import { navigate, here } from "../../src/surfaces/dashboard/app/router.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { account, button, signIn } from "../support/dashboard.ts";

afterEach(() => (session.value = null));

const steps: CampaignStep[] = [
  {
    type: "branch",
    condition: "connected",
    withinDays: 7,
    yes: [{ type: "wait", days: 1, hours: 2 }],
    no: [{ type: "action", actionType: "visitProfile" }],
  },
  { type: "action", actionType: "sendConnectionRequest", message: "Hello {{firstName|there}}" },
];
const campaign: CampaignView = {
  ...{ id: "c1", name: "Spring", state: "draft", steps, accountIds: ["a1"], winners: {}, version: 3, firstStep: 0 },
  settings: { stopOnReply: true, excludeOtherCampaigns: true, excludeContactedDays: null, allowOverlap: false },
  ...{ startedAt: null, createdAt: "2030-01-01T00:00:00.000Z", updatedAt: "2030-01-01T00:00:00.000Z" },
};
const lead = { id: "l1", firstName: "Ada", lastName: "Byron", company: "Acme", customFields: { Budget: "10" } };
type Answers = Parameters<typeof answerWith>[0];

async function open(answers: Answers = {}, shown: CampaignView = campaign): Promise<HTMLElement> {
  signIn(["*"]);
  answerWith({
    "GET /api/v2/network/accounts": () => ({ body: { success: true, data: { accounts: [account], total: 1 } } }),
    "GET /api/v2/leads?limit=1": () => ({ body: { success: true, data: { leads: [lead] } } }),
    "GET /api/v2/leads/values?field=customField&limit=100": () => {
      return {
        body: {
          success: true,
          data: {
            values: [
              { value: "Budget", leads: 3 },
              { value: "a|b", leads: 1 },
            ],
          },
        },
      };
    },
    ...answers,
  });
  const place = await show(<CampaignEditor campaign={shown} onSaved={() => {}} />);
  await settled();
  return place;
}

const node = (place: HTMLElement, path: string) => place.querySelector<HTMLElement>(`[data-flow="${path}"]`)!;
const nodes = (place: HTMLElement) => [...place.querySelectorAll(".flow-node strong")].map((each) => each.textContent);
const press = (place: HTMLElement, path: string, key: string, modifiers: KeyboardEventInit = {}) =>
  change(
    () => void node(place, path).dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, ...modifiers })),
  );
const selected = (place: HTMLElement) => place.querySelector<HTMLElement>("[aria-current=true]")?.dataset["flow"];
async function type(field: HTMLTextAreaElement | HTMLInputElement, text: string): Promise<void> {
  await change(() => {
    field.value = text;
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

test("limits and variables are those of the server", () => {
  for (const [type, limits] of Object.entries(textLimits))
    expect(actionKinds[type as keyof typeof actionKinds].maxText).toEqual(limits);
  const withText = Object.entries(actionKinds).filter(([, { text }]) => text !== "none");
  expect(withText.map(([type]) => type).toSorted()).toEqual(Object.keys(textLimits).toSorted());
  expect(new Set(variableNames)).toEqual(new Set(templateFields));
});

test("the arrow keys select, Alt and an arrow key moves, and undo and redo go back and forth", async () => {
  const place = await open();
  await press(place, "start", "ArrowDown");
  expect(selected(place)).toBe("0");
  await press(place, "0", "ArrowDown");
  expect(selected(place)).toBe("0.yes.0");
  await press(place, "0.yes.0", "ArrowRight");
  expect(selected(place)).toBe("0.no.0");
  const before = nodes(place);
  await press(place, "0.no.0", "ArrowDown", { altKey: true });
  expect(selected(place)).toBe("1");
  expect(nodes(place)).toEqual([
    "Start",
    "Connected?",
    "Wait 1 day and 2 hours",
    "Profile visit",
    "Connection request",
  ]);
  await press(place, "1", "z", { ctrlKey: true });
  expect(nodes(place)).toEqual(before);
  expect(selected(place)).toBe("0.no.0");
  await press(place, "0.no.0", "Z", { ctrlKey: true, shiftKey: true });
  expect(selected(place)).toBe("1");
  await press(place, "1", "Delete");
  expect(nodes(place)).not.toContain("Profile visit");
});

test("a step is added by the keyboard, in an empty side, too", async () => {
  const place = await open();
  await press(place, "0.no.0", "Delete");
  expect(selected(place)).toBe("0");
  await press(place, "gap 0.no 0", "a");
  const item = [...place.querySelectorAll<HTMLElement>("[role=menuitem]")].find(
    (each) => each.textContent === "Message",
  )!;
  await change(() => item.click());
  expect(selected(place)).toBe("0.no.0");
  expect(node(place, "0.no.0").textContent).toContain("Text is missing");
});

test("a note is counted while somebody types, as the network counts it, with the values of a lead", async () => {
  const place = await open({}, { ...campaign, accountIds: ["a1"] });
  await press(place, "1", "Enter");
  const area = () => place.querySelector<HTMLTextAreaElement>("textarea")!;
  expect(place.querySelector(".counter")!.textContent).toContain("9 / 300");
  expect(place.querySelector(".message-preview blockquote")!.textContent).toBe("Hello Ada");
  await type(area(), "😀".repeat(150));
  expect(place.querySelector(".counter")!.textContent).toContain("300 / 300");
  expect(area().getAttribute("aria-invalid")).toBeNull();
  await type(area(), `${"😀".repeat(150)}!`);
  expect(place.querySelector("[role=status].visually-hidden")!.textContent).toContain("too long by 1");
  expect(area().getAttribute("aria-invalid")).toBe("true");
  await type(area(), "<b>{{customFields.Budget}}</b> {{nobody}}");
  expect(place.querySelector(".message-preview blockquote")!.textContent).toBe("<b>10</b>");
  expect(place.querySelector("b")).toBeNull();
  expect(place.querySelector(".message-problem")!.textContent).toBe("There is no variable {{nobody}}.");
});

test("the values of any lead are found by a search, by the keyboard, too", async () => {
  const grace = { ...lead, id: "l2", firstName: "Grace", lastName: "Hopper", company: "Navy" };
  const list = (leads: object[]) => () => ({ body: { success: true, data: { leads } } });
  const place = await open({
    "GET /api/v2/leads?limit=8": list([lead]),
    "GET /api/v2/leads?q=gra&limit=8": list([grace]),
    "GET /api/v2/leads?q=nobody&limit=8": list([]),
  });
  await press(place, "1", "Enter");
  const picker = () => place.querySelector<HTMLInputElement>("[role=combobox]")!;
  const key = (name: string) =>
    change(
      () => void picker().dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })),
    );
  const options = () => [...place.querySelectorAll(".lead-picker [role=option]")].map((each) => each.textContent);
  expect(picker().value).toBe("Ada Byron, Acme");
  await key("ArrowDown");
  await settled();
  expect(options()).toEqual(["Ada ByronAcme", "No lead (fallbacks)"]);
  await type(picker(), "gra");
  await settled();
  expect(options()).toEqual(["Grace HopperNavy"]);
  await key("Enter");
  expect(picker().value).toBe("Grace Hopper, Navy");
  expect(place.querySelector(".message-preview blockquote")!.textContent).toBe("Hello Grace");
  await type(picker(), "nobody");
  await settled();
  expect(place.querySelector(".lead-picker")!.textContent).toContain("No lead matches.");
  await key("Escape");
  expect(picker().value).toBe("Grace Hopper, Navy");
  await key("ArrowDown");
  await settled();
  await key("ArrowUp");
  await key("Enter");
  expect(picker().value).toBe("No lead (fallbacks)");
  expect(place.querySelector(".message-preview")).toBeNull();
});

test("the menu of variables has the custom fields of all leads, except names that a variable cannot have", async () => {
  const place = await open();
  await press(place, "1", "Enter");
  const custom = [...place.querySelectorAll('optgroup[label="Custom fields"] option')];
  expect(custom.map((each) => (each as HTMLOptionElement).value)).toEqual(["{{customFields.Budget|}}"]);
});

test("a text becomes variants, and the last one becomes the text again", async () => {
  const sent: { steps: CampaignStep[] }[] = [];
  const place = await open({
    "PATCH /api/v2/campaigns/c1": (body) => {
      sent.push(body as { steps: CampaignStep[] });
      return { body: { success: true, data: { ...campaign, version: 4 } } };
    },
  });
  await press(place, "1", "Enter");
  await change(() => button(place, "Compare with another text (A/B)").click());
  expect([...place.querySelectorAll(".variant-share")].map((each) => each.textContent)).toEqual(["50 %", "50 %"]);
  await change(() => button(place, "Save").click());
  await settled();
  const note = { message: "Hello {{firstName|there}}", weight: 1 };
  expect(sent[0]).toMatchObject({
    version: 3,
    steps: [
      {},
      {
        variants: [
          { name: "A", ...note },
          { name: "B", ...note },
        ],
      },
    ],
  });
  await change(() => button(place, "Remove variant A").click());
  expect(place.querySelector(".variant")).toBeNull();
  expect(place.querySelector("textarea")!.value).toBe(note.message);
});

test("the winner of a test is chosen automatically if wanted, and never by a rule without a test", async () => {
  const sent: { steps: Extract<CampaignStep, { type: "action" }>[] }[] = [];
  const answers: Answers = {
    "PATCH /api/v2/campaigns/c1": (body) => {
      sent.push(body as (typeof sent)[number]);
      return { body: { success: true, data: { ...campaign, version: 4 } } };
    },
  };
  expect(usualRule).toEqual(defaultRule);
  const place = await open(answers);
  const box = () => place.querySelector<HTMLInputElement>('[data-path="steps.1.autoWinner"]');
  const field = (name: string) => place.querySelector<HTMLInputElement>(`[data-path="steps.1.autoWinner.${name}"]`);
  const save = async () => {
    await change(() => button(place, "Save").click());
    await settled();
    return sent.at(-1)!.steps[1]!;
  };
  await press(place, "1", "Enter");
  expect(box()).toBeNull();
  await change(() => button(place, "Compare with another text (A/B)").click());
  expect(box()!.checked).toBe(false);
  await change(() => box()!.click());
  expect([field("outcome")!.value, field("minSent")!.value, field("confidence")!.value]).toEqual([
    "connected",
    "100",
    "95",
  ]);
  await change(() => {
    field("minSent")!.value = "40";
    field("minSent")!.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect((await save()).autoWinner).toEqual({ minSent: 40 });
  await change(() => button(place, "Remove variant B").click());
  expect(box()).toBeNull();
  const single = await save();
  expect(single.message).toBe("Hello {{firstName|there}}");
  expect(single).not.toHaveProperty("autoWinner");
  expect(single).not.toHaveProperty("variants");
});

test("an error of the server selects the step and is shown at its field until the steps change", async () => {
  const errors = [{ path: "steps.0.yes.0.hours", message: "Too many hours." }];
  const place = await open({
    "PATCH /api/v2/campaigns/c1": () => {
      return { status: 400, body: { error: true, code: "VALIDATION_ERROR", message: "Wrong.", details: { errors } } };
    },
  });
  await press(place, "1", "d", { ctrlKey: true });
  await change(() => button(place, "Save").click());
  await settled();
  expect(selected(place)).toBe("0.yes.0");
  const field = () => place.querySelector('[data-path="steps.0.yes.0.hours"]')!;
  expect(field().getAttribute("aria-invalid")).toBe("true");
  expect(node(place, "0.yes.0").textContent).toContain("Too many hours.");
  await type(field() as HTMLInputElement, "3");
  expect(field().getAttribute("aria-invalid")).toBeNull();
});

test("if another tab has edited the campaign, a person decides what is kept", async () => {
  const theirs: CampaignView = { ...campaign, version: 4, steps: [{ type: "wait", days: 9 }] };
  const versions: unknown[] = [];
  const place = await open({
    "PATCH /api/v2/campaigns/c1": (body) => {
      const { version } = body as { version: number };
      versions.push(version);
      if (version !== 4) return { status: 409, body: { error: true, code: "CONFLICT", message: "Edited." } };
      return { body: { success: true, data: { ...campaign, version: 5 } } };
    },
    "GET /api/v2/campaigns/c1": () => ({ body: { success: true, data: theirs } }),
  });
  await press(place, "1", "Delete");
  await change(() => button(place, "Save").click());
  await settled();
  expect(place.querySelector("[role=alert]")!.textContent).toContain("edited in another tab");
  expect(nodes(place)).not.toContain("Wait 9 days");
  await change(() => button(place, "Overwrite with mine").click());
  await settled();
  expect(versions).toEqual([3, 4]);
  expect(place.querySelector("[role=alert]")).toBeNull();
});

test("unsaved changes hold back a link until a person discards or saves them", async () => {
  navigate("/campaigns/c1?part=steps");
  const place = await open();
  await change(() => navigate("/campaigns/c1?part=preview"));
  expect(here.value.query.get("part")).toBe("preview");
  await change(() => navigate("/campaigns/c1?part=steps"));
  await press(place, "1", "Delete");
  await change(() => navigate("/leads"));
  expect(here.value.path).toBe("/campaigns/c1");
  await change(() => button(place, "Stay").click());
  expect(here.value.path).toBe("/campaigns/c1");
  await change(() => navigate("/leads"));
  await change(() => button(place, "Discard changes").click());
  expect(here.value.path).toBe("/leads");
});

test("a running campaign can be read, and its settings changed, but not its steps", async () => {
  const place = await open({}, { ...campaign, state: "running" });
  expect(place.textContent).toContain("Pause the campaign to change its steps.");
  expect(place.querySelector(".flow-plus")).toBeNull();
  await press(place, "1", "Delete");
  expect(nodes(place)).toContain("Connection request");
  await press(place, "1", "Enter");
  expect(place.querySelector(".flow-panel fieldset")!.hasAttribute("disabled")).toBe(true);
  await press(place, "start", "Enter");
  expect(place.querySelector(".flow-panel fieldset")!.hasAttribute("disabled")).toBe(false);
});
