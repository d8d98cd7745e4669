import { expect, test } from "bun:test";
import { useState } from "preact/hooks";
import { useResource } from "../../src/surfaces/dashboard/app/resource.ts";
import { DataTable } from "../../src/surfaces/dashboard/app/ui/data-table.tsx";
import { change, settled, show } from "../support/page.ts";

test("a table is dimmed while other rows are loaded, and not while its own are refreshed", async () => {
  const waiting: ((rows: string[]) => void)[] = [];
  const answer = async (...rows: string[]) => {
    await change(() => waiting.shift()?.(rows));
    await settled();
  };
  let refresh = () => {};
  let choose: (filter: string) => void = () => {};
  function Rows() {
    const [filter, setFilter] = useState("all");
    choose = setFilter;
    const rows = useResource(() => new Promise<string[]>((resolve) => waiting.push(resolve)), [filter]);
    refresh = rows.reload;
    const columns = [{ id: "name", header: "Name", cell: (name: string) => name }];
    return (
      <DataTable
        label="Rows"
        columns={columns}
        rows={rows.data}
        rowKey={(name) => name}
        error={rows.error}
        isLoading={rows.isLoading}
        empty={null}
      />
    );
  }
  const place = await show(<Rows />);
  const isBusy = () => place.querySelector("table")?.getAttribute("aria-busy");
  expect(isBusy()).toBe("true");
  await answer("Ada");
  expect(isBusy()).toBe("false");

  await change(() => refresh());
  expect([isBusy(), waiting.length]).toEqual(["false", 1]);
  await answer("Grace");
  expect(place.textContent).toContain("Grace");

  await change(() => choose("mine"));
  expect(isBusy()).toBe("true");
  await answer("Alan");
  expect(isBusy()).toBe("false");
});
