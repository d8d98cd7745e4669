import { undoLatest } from "../../src/surfaces/dashboard/app/ui/toast.tsx";
import { expect, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import type { ActionView } from "../../src/features/network/action-model.ts";
import { entryOfAction } from "../../src/surfaces/dashboard/app/pages/leads/timeline.tsx";
import { EnrollChosenDialog } from "../../src/surfaces/dashboard/app/pages/leads/enroll-chosen.tsx";
import { ScheduleDialog } from "../../src/surfaces/dashboard/app/pages/leads/schedule-dialog.tsx";
import { LeadsPage } from "../../src/surfaces/dashboard/app/pages/leads/lead-list.tsx";
import { button } from "../support/dashboard.ts";
import { runningBulkJob } from "../../src/surfaces/dashboard/app/pages/leads/bulk-job.tsx";
import { LeadForm } from "../../src/surfaces/dashboard/app/pages/leads/lead-form.tsx";
import { navigate } from "../../src/surfaces/dashboard/app/router.tsx";
import type { LeadView } from "../../src/features/leads/model.ts";

function lead(change: Partial<LeadView> = {}): LeadView {
  const none = { phone: null, networkUrl: null, industry: null, location: null, source: null, notes: null };
  const times = { createdAt: "2026-01-05T10:00:00Z", updatedAt: "2026-01-05T10:00:00Z" };
  const texts = { firstName: "Ada", lastName: "Lovelace", email: "ada@example.com", company: "Engines", title: null };
  return {
    id: "l1",
    ...texts,
    ...none,
    status: "new",
    tags: [],
    customFields: {},
    assignedTo: null,
    ...times,
    ...change,
  };
}

const page = (leads: LeadView[]) => ({ success: true, data: { leads, total: leads.length, limit: 50, offset: 0 } });

const noViews = { "GET /api/v2/leads/views": () => ({ body: { data: { views: [], nextCursor: null } } }) };

test("the list renders values as plain text", async () => {
  signInAs();
  navigate("/leads");
  const name = "<img src=x onerror=alert(1)>";
  answerWith({
    "GET /api/v2/leads?sort=-createdAt&limit=50&offset=0": () => ({ body: page([lead({ firstName: name })]) }),
  });
  const place = await show(<LeadsPage />);
  await settled();
  expect(place.querySelector("tbody a")?.textContent).toBe(`${name} Lovelace`);
  expect(place.querySelector("tbody img")).toBeNull();
});

test("owners are shown as initials where leads have some, and the list can be narrowed to one's own", async () => {
  signInAs();
  navigate("/leads?assignedTo=me");
  const grace = { userId: "u2", email: "grace@example.com", name: "Grace Hopper", role: "member", isActive: true };
  answerWith({
    "GET /api/v2/leads?assignedTo=me&sort=-createdAt&limit=50&offset=0": () => ({
      body: page([lead({ assignedTo: "u2" }), lead({ id: "l2", assignedTo: "gone" }), lead({ id: "l3" })]),
    }),
    "GET /api/v2/members": () => ({ body: { success: true, data: { members: [grace], nextCursor: null } } }),
  });
  const place = await show(<LeadsPage />);
  await settled();
  await settled();
  const initials = [...place.querySelectorAll(".initials")];
  expect(initials.map((each) => [each.textContent, each.getAttribute("aria-label")])).toEqual([
    ["GH", "Grace Hopper"],
    ["AM", "A former member"],
  ]);
});

test("requests the filters and the order in the URL, and offers to clear them without matches", async () => {
  signInAs();
  navigate("/leads?q=nobody&status=active&sort=company&offset=50");
  const asked = answerWith({
    ...noViews,
    "GET /api/v2/leads?q=nobody&status=active&sort=company&limit=50&offset=50": () => ({ body: page([]) }),
  });
  const place = await show(<LeadsPage />);
  await settled();
  expect(asked.filter((request) => request.startsWith("GET /api/v2/leads?"))).toHaveLength(1);
  expect(place.textContent).toContain("No matching leads");
  expect(place.querySelector('a[href="/app/leads"]')).not.toBeNull();
});

test("a list that fails to load shows the error, and can be reloaded", async () => {
  signInAs();
  navigate("/leads");
  let isBroken = true;
  const message = "The service could not do this now. Try again in a moment.";
  answerWith({
    "GET /api/v2/leads?sort=-createdAt&limit=50&offset=0": () =>
      isBroken ? { status: 503, body: { code: "SERVICE_UNAVAILABLE", message } } : { body: page([lead()]) },
  });
  const place = await show(<LeadsPage />);
  await settled();
  expect(place.querySelector("[role=alert]")?.textContent).toContain(message);
  isBroken = false;
  await change(() => place.querySelector<HTMLButtonElement>("[role=alert] button")?.click());
  await settled();
  expect(place.textContent).toContain("Ada Lovelace");
});

test("without the write permission, leads cannot be selected, created, or imported", async () => {
  signInAs({ permissions: ["leads:read"] });
  navigate("/leads");
  answerWith({ "GET /api/v2/leads?sort=-createdAt&limit=50&offset=0": () => ({ body: page([lead()]) }) });
  const place = await show(<LeadsPage />);
  await settled();
  expect(place.querySelectorAll("input[type=checkbox]")).toHaveLength(0);
  expect(place.textContent).not.toContain("New lead");
});

test("sends only changes, and does not overwrite other users' changes unnoticed", async () => {
  signInAs();
  const sent: { body: unknown; ifMatch: string | null }[] = [];
  let isStale = true;
  answerWith({
    "PUT /api/v2/leads/l1": (body, headers) => {
      sent.push({ body, ifMatch: headers.get("if-match") });
      if (!isStale) return { body: { success: true, data: lead({ title: "Countess" }) } };
      isStale = false;
      return { status: 412, body: { code: "PRECONDITION_FAILED", message: "It was changed." } };
    },
  });
  const saved: string[] = [];
  const place = await show(
    <LeadForm
      lead={lead()}
      etag={'"3"'}
      onSaved={({ lead: { title } }) => saved.push(title ?? "")}
      onClose={() => {}}
    />,
  );
  const field = place.querySelector<HTMLInputElement>("[data-path=title]")!;
  await change(() => {
    field.value = "Countess";
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
  const submit = () =>
    change(async () => {
      place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
      await Bun.sleep(0);
    });
  await submit();
  expect(place.querySelector("[role=alert]")?.textContent).toContain("Another user changed this lead");
  expect(saved).toEqual([]);
  await submit();
  expect(saved).toEqual(["Countess"]);
  expect(sent).toEqual([
    { body: { title: "Countess" }, ifMatch: '"3"' },
    { body: { title: "Countess" }, ifMatch: null },
  ]);
});

test("skips outdated searches while the user types", async () => {
  signInAs();
  navigate("/leads?q=a");
  const answers: (() => void)[] = [];
  const asked: string[] = [];
  globalThis.fetch = ((url: string) => {
    const { pathname, searchParams } = new URL(url, "http://localhost");
    if (pathname !== "/api/v2/leads") return Promise.resolve(Response.json({ data: { views: [], nextCursor: null } }));
    asked.push(searchParams.get("q") ?? "");
    const found = Response.json(page([lead({ firstName: asked.at(-1) ?? "" })]));
    return new Promise<Response>((resolve) => answers.push(() => resolve(found)));
  }) as unknown as typeof fetch;
  const place = await show(<LeadsPage />);
  await settled();
  for (const q of ["ad", "ada", "adal"]) {
    await change(() => navigate(`/leads?q=${q}`, { replace: true }));
    await settled();
  }
  expect(asked).toEqual(["a"]);
  answers.shift()?.();
  await settled();
  expect(asked).toEqual(["a", "adal"]);
  answers.shift()?.();
  await settled();
  expect(place.querySelector("tbody a")?.textContent).toBe("adal Lovelace");
});

const networkUrl = "https://network.example/in/ada";
const noAccounts = {
  "GET /api/v2/network/accounts": () => ({ body: { success: true, data: { accounts: [], total: 0 } } }),
};

test("warns about unreachable leads before scheduling, and keeps the report open", async () => {
  signInAs();
  let isDone = false;
  answerWith({
    ...noAccounts,
    "POST /api/v2/network/scheduleNetworkAction": () => ({ body: { success: true, data: { isNew: true } } }),
  });
  const leads = [lead({ networkUrl }), lead({ id: "l2", firstName: "Grace", lastName: null })];
  const place = await show(<ScheduleDialog leads={leads} onClose={() => {}} onDone={() => (isDone = true)} />);
  await settled();
  expect(place.textContent).toContain("1 of 2 leads have no profile URL");
  await change(async () => {
    place.querySelector("form")!.dispatchEvent(new Event("submit", { bubbles: true, cancelable: true }));
    await Bun.sleep(0);
  });
  await settled();
  expect(place.textContent).toContain("Scheduled for 1 lead");
  expect(place.textContent).toContain("Grace has no profile URL");
  expect(isDone).toBe(false);
  await change(() => button(place, "Done").click());
  expect(isDone).toBe(true);
});

test("enrolls selected leads after showing how many can be enrolled", async () => {
  signInAs();
  const sent: unknown[] = [];
  const draft = { id: "c1", name: "Spring", state: "draft" };
  answerWith({
    "GET /api/v2/campaigns": () => ({
      body: { success: true, data: { campaigns: [draft, { id: "c2", name: "Old", state: "canceled" }] } },
    }),
    "POST /api/v2/campaigns/c1/enroll": (body) => {
      sent.push(body);
      const results = [{ leadId: "l2", outcome: "doNotContact" }];
      return { body: { success: true, data: { enrolled: 1, skipped: 1, hasMore: false, dryRun: true, results } } };
    },
  });
  let enrolled = 0;
  const place = await show(
    <EnrollChosenDialog ids={["l1", "l2"]} onClose={() => {}} onEnrolled={() => (enrolled += 1)} />,
  );
  await settled();
  await settled();
  expect(place.textContent).toContain("1 lead can be enrolled. 1 lead cannot:On the do-not-contact list: 1");
  await change(() => button(place, "Enroll 1 lead").click());
  await settled();
  expect(sent).toEqual([
    { leadIds: ["l1", "l2"], dryRun: true },
    { leadIds: ["l1", "l2"], dryRun: false },
  ]);
  expect(enrolled).toBe(1);
});

test("all leads that match are changed by a job, with the filter, and its progress is shown", async () => {
  signInAs();
  navigate("/leads?companyContains=acme&companyContains=works&hasEmail=true");
  const sent: unknown[] = [];
  const job = { id: "j1", type: "lead_bulk", status: "running", progress: 40, metadata: {} };
  answerWith({
    "GET /api/v2/leads?hasEmail=true&companyContains=acme&companyContains=works&sort=-createdAt&limit=50&offset=0":
      () => ({
        body: { success: true, data: { leads: [lead()], total: 120, limit: 50, offset: 0 } },
      }),
    "POST /api/v2/leads/bulk": (body) => {
      sent.push(body);
      return { status: 202, body: { success: true, data: job } };
    },
    "GET /api/v2/users/jobs/j1": () => ({
      body: { success: true, data: { ...job, message: "48 of 120 leads processed" } },
    }),
  });
  const place = await show(<LeadsPage />);
  await settled();
  await change(() => place.querySelector<HTMLInputElement>("tbody input[type=checkbox]")!.click());
  await change(() => button(place, "Select all 120").click());
  expect(place.textContent).toContain("All 120 selected");
  await change(() => button(place, "Set status").click());
  await change(() => button(place, "Qualified").click());
  await settled();
  await settled();
  expect(sent).toEqual([{ filter: { companyContains: ["acme", "works"], hasEmail: true }, status: "qualified" }]);
  expect(place.querySelector("[role=progressbar]")?.getAttribute("aria-valuenow")).toBe("40");
  expect(place.textContent).toContain("48 of 120 leads processed");
  runningBulkJob.value = null;
});

test("a status set for leads on the page can be undone, each to what it was", async () => {
  signInAs();
  navigate("/leads");
  const sent: unknown[] = [];
  const leads = [lead(), { ...lead(), id: "l2", status: "converted" }];
  answerWith({
    "GET /api/v2/leads?sort=-createdAt&limit=50&offset=0": () => ({
      body: { success: true, data: { leads, total: 2, limit: 50, offset: 0 } },
    }),
    "POST /api/v2/leads/bulk/update": (body) => {
      sent.push(body);
      return { body: { success: true, data: { changed: 2, failed: [] } } };
    },
  });
  const place = await show(<LeadsPage />);
  await settled();
  for (const box of place.querySelectorAll<HTMLInputElement>("tbody input[type=checkbox]"))
    await change(() => box.click());
  await change(() => button(place, "Set status").click());
  await change(() => button(place, "Qualified").click());
  await settled();
  expect(undoLatest()).toBe(true);
  await settled();
  expect(sent).toEqual([
    { ids: ["l1", "l2"], status: "qualified" },
    { ids: ["l1"], status: "new" },
    { ids: ["l2"], status: "converted" },
  ]);
});

const queuedAt = "2030-06-03T09:00:00.000Z";
const dueAt = "2030-06-04T08:00:00.000Z";

function actionOf(change: Partial<ActionView>): ActionView {
  const base = { jobId: "j1", actionType: "sendMessage", state: "scheduled", status: "", pendingReason: null };
  // The rest of an action is not read.
  return { ...base, carriedOutAt: null, scheduledFor: null, updatedAt: queuedAt, ...change } as ActionView;
}

test("what waits is shown at the time for which it is scheduled, with the reason", () => {
  signInAs();
  const waiting = actionOf({ pendingReason: "outsideWorkingHours", scheduledFor: dueAt });
  expect(entryOfAction(waiting).at).toBe(dueAt);
  expect(entryOfAction(waiting).detail).toMatch(/^Outside working hours · opens /);
});

test("what was done is shown at the time when it was done, what will not be at the last change", () => {
  signInAs();
  const done = actionOf({ state: "completed", status: "Completed", carriedOutAt: dueAt });
  expect(entryOfAction(done)).toMatchObject({ at: dueAt, detail: null });
  const paused = actionOf({ pendingReason: "accountPaused" });
  expect(entryOfAction(paused)).toMatchObject({
    at: queuedAt,
    detail: "Account is paused · resume the account to send",
  });
  const refused = actionOf({
    state: "skipped",
    status: "On the list. Remove the entry: DELETE /api/v2/suppressions/1.",
  });
  expect(entryOfAction(refused)).toMatchObject({ at: queuedAt, detail: "On the list. Remove the entry." });
});
