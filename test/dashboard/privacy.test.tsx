import { beforeEach, expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { button } from "../support/dashboard.ts";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { ErasePersonDialog } from "../../src/surfaces/dashboard/app/pages/privacy/erase-person.tsx";
import type { ErasureView } from "../../src/features/privacy/model.ts";

beforeEach(() => signInAs());

const found: ErasureView = {
  dryRun: true,
  jobId: null,
  identifiers: {
    emails: ["ada@example.com"],
    profileUrls: ["https://network.example/in/ada"],
    phones: [],
    leadIds: [],
  },
  records: { leads: 1, actions: 2 },
  mentions: { events: 1 },
};
const job = { id: "j1", type: "person_erasure", status: "completed", message: "Erased", progress: 100 };

/** The dialog for one lead, and the requests it sent. */
async function dialog(answer: (body: { dryRun: boolean }) => Partial<ErasureView>) {
  const sent: unknown[] = [];
  let erased = 0;
  answerWith({
    "POST /api/v2/privacy/erase": (body) => {
      sent.push(body);
      return { body: { success: true, data: { ...found, ...answer(body as { dryRun: boolean }) } } };
    },
    "GET /api/v2/users/jobs/j1": () => ({
      body: { success: true, data: { ...job, metadata: { records: { leads: 1, actions: 2 } } } },
    }),
  });
  const person = { leadId: "l1" };
  const place = await show(
    <ErasePersonDialog person={person} name="Ada" onClose={() => {}} onErased={() => (erased += 1)} />,
  );
  await settled();
  return { place, sent, erased: () => erased };
}

test("shows what is deleted and what stays before erasing", async () => {
  const { place, sent } = await dialog(() => ({}));
  expect(sent).toEqual([{ leadId: "l1", scope: "team", follow: true, dryRun: true }]);
  const text = place.textContent;
  for (const words of ["ada@example.com", "Leads: 1", "Network actions: 2", "Events about others: 1", "Backups"])
    expect(text).toContain(words);
});

test("members search only their own data", async () => {
  session.value = { ...session.value!, isAdmin: false };
  const { place, sent } = await dialog(() => ({}));
  expect(sent).toEqual([{ leadId: "l1", scope: "user", follow: true, dryRun: true }]);
  expect(place.querySelector("select")).toBeNull();
});

test("follows the erasure to its end, and suppresses the person only if selected", async () => {
  const { place, sent, erased } = await dialog(({ dryRun }) => (dryRun ? {} : { dryRun, jobId: "j1" }));
  const keptOff = [...place.querySelectorAll<HTMLInputElement>("input[type=checkbox]")].at(-1);
  expect(keptOff?.checked).toBe(true);
  await change(() => keptOff?.click());
  await change(() => button(place, "Erase permanently").click());
  await settled();
  await settled();
  expect(sent.at(-1)).toEqual({ leadId: "l1", scope: "team", follow: true, suppress: false, dryRun: false });
  expect(place.textContent).toContain("3 entries erased");
  expect(erased()).toBe(0);
  await change(() => button(place, "Close").click());
  expect(erased()).toBe(1);
});
