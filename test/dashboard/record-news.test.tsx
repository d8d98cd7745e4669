import { expect, test } from "bun:test";
import { change, settled, show, signInAs } from "../support/page.ts";
import { RecordNews } from "../../src/surfaces/dashboard/app/record-news.tsx";

test("nothing is recorded before it is known whether an account has to be selected", async () => {
  signInAs();
  const posted: unknown[] = [];
  const accounts = Promise.withResolvers<Response>();
  globalThis.fetch = (async (_input: string, init: RequestInit = {}) => {
    if (init.method !== "POST") return accounts.promise;
    posted.push(JSON.parse(init.body as string));
    return Response.json({ success: true, data: { isNew: true } });
  }) as unknown as typeof fetch;
  const person = { name: "Ada", profileUrl: "https://network.example/in/ada" };
  const place = await show(<RecordNews event="accepted" person={person} onClose={() => {}} onRecorded={() => {}} />);
  const submit = place.querySelector<HTMLButtonElement>('[type="submit"]')!;
  expect(submit.getAttribute("aria-disabled")).toBe("true");
  await change(() => submit.click());
  await settled();
  expect(posted).toEqual([]);

  const list = [
    { id: "a", name: "Main" },
    { id: "b", name: "Second" },
  ];
  accounts.resolve(Response.json({ success: true, data: { accounts: list, nextCursor: null } }));
  await settled();
  expect(place.querySelectorAll("option")).toHaveLength(2);
  expect(submit.hasAttribute("aria-disabled")).toBe(false);
  await change(() => submit.click());
  await settled();
  expect(posted).toMatchObject([{ event: "accepted", accountId: "a" }]);
});
