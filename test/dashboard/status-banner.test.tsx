import { afterEach, expect, test } from "bun:test";
import { api } from "../../src/surfaces/dashboard/app/api.ts";
import { serverStatus } from "../../src/surfaces/dashboard/app/server-status.ts";
import { StatusBanner } from "../../src/surfaces/dashboard/app/status-banner.tsx";
import { change, settled, show, signInAs } from "../support/page.ts";

afterEach(() => (serverStatus.value = "healthy"));

/** A server that reports this status with every response. */
function serverWith(status: () => string | null, message: string): void {
  globalThis.fetch = (async () => {
    const told = status();
    return Response.json({ success: true, message }, { headers: told === null ? {} : { "x-server-status": told } });
  }) as unknown as typeof fetch;
}

test.each([
  ["maintenance", "Maintenance. Back at noon."],
  ["degraded", "The server needs attention. Back at noon."],
])("a server that is in the status %s is shown with its reason, until it is healthy", async (status, shown) => {
  signInAs();
  let told: string | null = status;
  serverWith(() => told, "Back at noon.");
  const banner = await show(<StatusBanner />);
  expect(banner.textContent).toBe("");
  await change(() => void api.get("/leads"));
  await settled();
  expect(banner.textContent).toBe(shown);
  expect(banner.querySelector("[role=status]")).not.toBeNull();
  told = null;
  await change(() => void api.get("/leads"));
  await settled();
  expect(banner.textContent).toBe("");
});
