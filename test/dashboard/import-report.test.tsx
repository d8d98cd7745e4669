import { expect, spyOn, test } from "bun:test";
import { answerWith, change, settled, show, signInAs } from "../support/page.ts";
import { ImportJob } from "../../src/surfaces/dashboard/app/pages/import/import-job.tsx";
import type { JobView } from "../../src/platform/jobs/model.ts";

const ok = (data: object) => () => ({ body: { success: true, data } });

function job(counts: object): JobView {
  const metadata = { rows: 0, created: 0, updated: 0, skipped: 0, failed: 0, dryRun: false, ...counts };
  const times = { createdAt: "2026-01-05T10:00:00Z", completedAt: "2026-01-05T10:00:00Z" };
  return {
    id: "j",
    userId: "u",
    type: "lead_import",
    status: "completed",
    message: "",
    progress: 100,
    metadata,
    ...times,
  };
}

let isKept = true;

function answers(started: JobView, causes: object[]) {
  answerWith({
    "GET /api/v2/users/jobs/j": ok(started),
    "GET /api/v2/leads/import/j/causes": ok({ causes }),
    "GET /api/v2/leads/import/j/failed-rows": () =>
      isKept ? { body: "rows" } : { status: 409, body: { success: false, error: "Not kept", code: "CONFLICT" } },
    "GET /api/v2/leads/import/j/report?outcome=&afterRow=0&limit=50": ok({ rows: [], nextRow: null }),
    "GET /api/v2/leads/import/j/report?afterRow=0&limit=50": ok({ rows: [], nextRow: null }),
  });
}

const nothing = () => {};
const controls = { onChange: nothing, onImport: nothing, onAnother: nothing };

test("if all people are known, updating them is the first thing offered", async () => {
  signInAs();
  const started = job({ rows: 300, skipped: 300, onDuplicate: "skip" });
  answers(started, [{ outcome: "skipped", path: "", message: "Already a lead.", rows: 300, samples: [] }]);
  let updates = 0;
  const place = await show(<ImportJob started={started} {...controls} onUpdate={() => void updates++} />);
  await settled();
  expect(place.textContent).toContain("All 300 people are among your leads already");
  const update = [...place.querySelectorAll("button")].find(({ textContent }) =>
    textContent?.startsWith("Update the"),
  )!;
  expect(update.textContent).toBe("Update the 300 existing leads");
  expect(place.querySelectorAll(".button.primary")).toHaveLength(1);
  await change(() => update.click());
  expect(updates).toBe(1);
});

test("causes show how many rows, which, and who; failed rows can be downloaded", async () => {
  signInAs();
  const started = job({ rows: 9, created: 2, skipped: 1, failed: 6, onDuplicate: "skip", doNotContact: 1 });
  answers(started, [
    {
      ...{ outcome: "failed", path: "email", message: "… is not an email address.", rows: 6 },
      samples: [{ row: 3, detail: '"x" is not an email address.', leadId: null, name: null }],
    },
    {
      ...{ outcome: "skipped", path: "", message: "On the do-not-contact list.", rows: 1 },
      samples: [{ row: 5, detail: null, leadId: "l", name: "Ada Lovelace" }],
    },
  ]);
  const place = await show(<ImportJob started={started} {...controls} onUpdate={nothing} />);
  await settled();
  const causes = [...place.querySelectorAll(".cause")].map(({ textContent }) => textContent);
  expect(causes[0]).toBe('6Failedemail … is not an email address.Row 3: "x" is not an email address. · and 5 more');
  expect(causes[1]).toContain("Row 5: Ada Lovelace");
  expect(place.textContent).not.toContain("existing lead");
  const download = [...place.querySelectorAll("button")].find(({ textContent }) =>
    textContent?.startsWith("Download"),
  )!;
  expect(download.textContent).toBe("Download 6 failed rows");
  const made: Blob[] = [];
  const createUrl = spyOn(URL, "createObjectURL").mockImplementation((content) => `blob:${made.push(content as Blob)}`);
  await change(() => download.click());
  expect(await made[0]!.text()).toContain("rows");
  createUrl.mockRestore();
  // Once the server keeps them no longer, the file is asked for.
  isKept = false;
  await settled();
  await change(() => download.click());
  await settled();
  expect(place.textContent).toContain("Select the imported file again");
});
