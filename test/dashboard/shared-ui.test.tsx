import { expect, test } from "bun:test";
import { change, settled, show, signInAs } from "../support/page.ts";
import { DataTable } from "../../src/surfaces/dashboard/app/ui/data-table.tsx";
import { showUndo, Toasts, undoLatest } from "../../src/surfaces/dashboard/app/ui/toast.tsx";

const paging = { hasPrevious: true, hasNext: false, toPrevious: () => {}, toNext: () => {} };

test("a page behind the last entry keeps the way back", async () => {
  let moves = 0;
  const back = { ...paging, toPrevious: () => void moves++ };
  const table = { label: "Rows", columns: [], rows: [], rowKey: () => "", empty: <p>Nothing yet</p> };
  const place = await show(<DataTable {...table} paging={back} />);
  expect(place.textContent).not.toContain("Nothing yet");
  await change(() => place.querySelector<HTMLButtonElement>("[aria-label='Previous page']")!.click());
  expect(moves).toBe(1);
  const first = await show(<DataTable {...table} paging={{ ...paging, hasPrevious: false }} />);
  expect(first.textContent).toBe("Nothing yet");
});

test("Undo runs once, and the key undoes the latest", async () => {
  signInAs();
  Reflect.set(HTMLElement.prototype, "showPopover", () => {});
  Reflect.set(HTMLElement.prototype, "hidePopover", () => {});
  const undone: string[] = [];
  const place = await show(<Toasts />);
  await change(() => {
    showUndo("First was deleted.", async () => void undone.push("first"));
    showUndo("Second was deleted.", async () => void undone.push("second"));
  });
  await change(() => void expect(undoLatest()).toBe(true));
  await settled();
  expect(undone).toEqual(["second"]);
  await change(() => place.querySelector<HTMLButtonElement>(".toast .link")!.click());
  await settled();
  expect(undone).toEqual(["second", "first"]);
  expect(undoLatest()).toBe(false);
});
