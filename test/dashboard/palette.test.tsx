import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { fixedCommands } from "../../src/surfaces/dashboard/app/palette/commands.ts";
import { CommandPalette } from "../../src/surfaces/dashboard/app/palette/palette.tsx";
import { ranked } from "../../src/surfaces/dashboard/app/palette/ranking.ts";
import { here } from "../../src/surfaces/dashboard/app/router.tsx";

const ok = (data: object) => () => ({ body: { success: true, data } });
const labels = (text: string) => ranked(fixedCommands(), text).map(({ label }) => label);

test("commands are found by parts, initials, other words, and with a mistake less than a letter", () => {
  signInAs();
  expect(labels("impl")[0]).toBe("Import leads");
  expect(labels("csv")[0]).toBe("Import leads");
  expect(labels("dark")[0]).toBe("Dark theme");
  expect(labels("camp")[0]).toBe("Campaigns");
  expect(labels("xyzzy")).toEqual([]);
});

test("only what the key may do is offered", () => {
  signInAs({ permissions: ["leads:read"] });
  const offered = fixedCommands().map(({ label }) => label);
  expect(offered).toContain("Leads");
  expect(offered).not.toContain("Import leads");
  expect(offered).not.toContain("Queue");
});

function press(input: Element, key: string): Promise<void> {
  return change(() => void input.dispatchEvent(new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true })));
}

test("leads and campaigns are found by name, and Enter opens the one that the arrow keys selected", async () => {
  signInAs();
  const campaign = { id: "c", name: "Adagio", state: "running" };
  const lead = { id: "l", firstName: "Ada", lastName: "Lovelace", email: null, company: "Engines", title: null };
  answerWith({
    "GET /api/v2/campaigns": ok({ campaigns: [campaign], nextCursor: null }),
    "GET /api/v2/leads?q=ada&limit=8": ok({ leads: [lead] }),
  });
  let closed = 0;
  const place = await show(<CommandPalette onClose={() => closed++} />);
  await settled();
  const input = place.querySelector("input")!;
  await change(() => {
    input.value = "ada";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await settled();
  const options = [...place.querySelectorAll("[role=option]")];
  const texts = options.map(({ textContent }) => textContent);
  expect(texts[0]).toBe("Adagiorunning");
  expect(texts.at(-1)).toBe("Ada LovelaceEngines");
  expect(input.getAttribute("aria-activedescendant")).toBe(options[0]!.id);
  await press(input, "ArrowUp");
  expect(place.querySelector("[aria-selected=true]")?.textContent).toBe("Ada LovelaceEngines");
  await press(input, "Enter");
  expect(closed).toBe(1);
  expect(here.value.path).toBe("/leads/l");
});

test("says that nothing was found", async () => {
  signInAs({ permissions: [] });
  answerWith({});
  const place = await show(<CommandPalette onClose={() => {}} />);
  const input = place.querySelector("input")!;
  await change(() => {
    input.value = "zzzz";
    input.dispatchEvent(new Event("input", { bubbles: true }));
  });
  expect(place.querySelector("[role=status]")?.textContent).toBe("Nothing found for “zzzz”.");
});
