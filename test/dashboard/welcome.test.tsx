import { expect, test } from "bun:test";
import { answerWith, change, show, signInAs } from "../support/page.ts";
import { AboutYou } from "../../src/surfaces/dashboard/app/pages/welcome/about-you.tsx";
import { HoursForm } from "../../src/surfaces/dashboard/app/pages/welcome/hours-form.tsx";
import { dayNames } from "../../src/surfaces/dashboard/app/ui/week-editor.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import type { AccountView, WeekView } from "../../src/features/network/account-model.ts";

async function submit(place: HTMLElement): Promise<void> {
  await change(async () => {
    place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await Bun.sleep(0);
  });
}

test("the name is saved, and the page updates immediately", async () => {
  signInAs({ name: null });
  answerWith({
    "PATCH /api/v2/users/me": (body) => ({
      body: { success: true, data: { ...session.value?.user, ...(body as object) } },
    }),
  });
  let isSaved = false;
  const place = await show(<AboutYou onSaved={() => (isSaved = true)} />);
  const field = place.querySelector<HTMLInputElement>("[data-path=name]")!;
  await change(() => {
    field.value = " Ada ";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  await submit(place);
  expect(isSaved).toBe(true);
  expect(session.value?.user.name).toBe("Ada");
});

test("unselected days are days off, and midnight ends a day", async () => {
  signInAs();
  const span = [{ from: "09:00", to: "24:00" }];
  const off: WeekView["monday"] = [];
  const weekend = { saturday: off, sunday: off };
  const workingHours = { monday: span, tuesday: span, wednesday: span, thursday: span, friday: span, ...weekend };
  const account = { id: "a", timeZone: "Europe/Berlin", workingHours } as AccountView;
  const sent: unknown[] = [];
  answerWith({
    "PATCH /api/v2/network/accounts/a": (body) => {
      sent.push(body);
      return { body: { success: true, data: account } };
    },
  });
  const place = await show(<HoursForm account={account} onSaved={() => {}} onSkip={() => {}} />);
  const boxes = [...place.querySelectorAll<HTMLInputElement>("input[type=checkbox]")];
  expect(boxes.map(({ checked }) => checked)).toEqual([true, true, true, true, true, false, false]);
  await change(() => boxes[4]?.click());
  await submit(place);
  expect(sent).toEqual([
    {
      timeZone: "UTC",
      workingHours: { monday: span, tuesday: span, wednesday: span, thursday: span, friday: [], ...weekend },
    },
  ]);
});

test("different hours are shown by day, with the error at its day", async () => {
  signInAs();
  const workingHours = Object.fromEntries(
    Object.keys(dayNames).map((day, index) => [day, index < 2 ? [{ from: `0${8 + index}:00`, to: "17:00" }] : []]),
  ) as WeekView;
  const account = { id: "a", timeZone: "UTC", workingHours } as AccountView;
  const message = 'Expected "to" behind "from".';
  answerWith({
    "PATCH /api/v2/network/accounts/a": () => ({
      status: 400,
      body: { message, details: { errors: [{ path: "workingHours.tuesday", message }] } },
    }),
  });
  const place = await show(<HoursForm account={account} onSaved={() => {}} onSkip={() => {}} />);
  const times = [...place.querySelectorAll<HTMLInputElement>("input[type=time]")];
  expect(times.map(({ value }) => value)).toEqual(["08:00", "17:00", "09:00", "17:00"]);
  await submit(place);
  expect(place.querySelector('[data-path="workingHours.tuesday"] [role=alert]')?.textContent).toBe(message);
});
