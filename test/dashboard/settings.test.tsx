import { afterEach, expect, test } from "bun:test";
import { answerWith, change, show } from "../support/page.ts";
import { permissions, type KeyView } from "../../src/platform/auth/key-model.ts";
import type { SuppressionView } from "../../src/features/suppression/model.ts";
import { setQuery } from "../../src/surfaces/dashboard/app/router.tsx";
import { session } from "../../src/surfaces/dashboard/app/session.ts";
import { BackupList } from "../../src/surfaces/dashboard/app/pages/settings/backups.tsx";
import { KeyList } from "../../src/surfaces/dashboard/app/pages/settings/keys.tsx";
import { permissionGroups } from "../../src/surfaces/dashboard/app/pages/settings/permission-labels.ts";
import { SettingsPage } from "../../src/surfaces/dashboard/app/pages/settings/settings.tsx";
import { SuppressionList } from "../../src/surfaces/dashboard/app/pages/settings/suppression.tsx";
import { changesOf, valuesOf } from "../../src/surfaces/dashboard/app/pages/settings/account-values.ts";
import { formatWeek } from "../../src/surfaces/dashboard/app/ui/week-editor.tsx";
import { account, button, signIn } from "../support/dashboard.ts";

afterEach(() => {
  session.value = null;
  setQuery({ part: null });
});

const key: KeyView = {
  id: "k1",
  userId: "u1",
  name: "<img src=x onerror=alert(1)>",
  hint: "oak_12",
  permissions: ["leads:read"],
  requiresApproval: false,
  rateLimits: null,
  allowedNetworks: null,
  isActive: true,
  usageCount: 3,
  expires_at: null,
  created_at: "2030-01-01T00:00:00.000Z",
  last_used_at: null,
};

test("shows only the settings that the key has permissions for", async () => {
  signIn(["users:read"]);
  const place = await show(<SettingsPage />);
  expect([...place.querySelectorAll("[role=tab]")].map((tab) => tab.textContent)).toEqual([
    "People",
    "Workspace",
    "Profile",
  ]);
});

test("the secret of a new key is shown once, and not closed by accident", async () => {
  signIn(["*"]);
  answerWith({
    "GET /api/v2/keys": () => ({ body: { success: true, data: { keys: [key], total: 1 } } }),
    "POST /api/v2/keys/k1/regenerate": () => ({ body: { success: true, data: { ...key, key: "oak_secret" } } }),
    "GET /api/v2/credits/budgets/k1": () => ({ body: { success: true, data: null } }),
  });
  const place = await show(<KeyList />);
  await change(() => Bun.sleep(0));
  expect(place.querySelector("img")).toBeNull();
  await change(() => button(place, key.name).click());
  await change(() => button(place, "Regenerate…").click());
  await change(() => button(place, "Regenerate key").click());
  await change(() => Bun.sleep(0));
  expect(place.querySelector<HTMLInputElement>(".copy input")?.value).toBe("oak_secret");
  await change(() => button(place, "Close").click());
  expect(place.querySelector("[role=alert]")?.textContent).toContain("can’t view the key again");
  await change(() => button(place, "I have stored it").click());
  expect(place.textContent).not.toContain("oak_secret");
});

test("an unavailable backup location is reported, not shown as empty", async () => {
  signIn(["*"]);
  const settings = { place: "/mnt/nas", schedule: null, keep: 7 };
  const problem = "The place for backups /mnt/nas can't be used: it is gone.";
  answerWith({
    "GET /api/v2/backups": () => ({
      body: { success: true, data: { backups: [], running: null, last: null, problem, ...settings } },
    }),
  });
  const place = await show(<BackupList />);
  await change(() => Bun.sleep(0));
  expect(place.querySelector("[role=alert]")?.textContent).toBe(problem);
  expect(place.textContent).toContain("Backups unavailable");
  expect(place.textContent).not.toContain("No backups yet");
});

test("an erased entry shows its hash, and a failed load can be retried", async () => {
  signIn(["leads:read"]);
  const entry: SuppressionView = {
    id: "s1",
    kind: "email",
    scope: "team",
    value: null,
    hash: "sha256:email:0123456789abcdef0123456789abcdef",
    reason: null,
    source: "erasure",
    createdAt: "2030-01-01T00:00:00.000Z",
  };
  let isDown = true;
  answerWith({
    "GET /api/v2/suppressions?limit=50": () =>
      isDown
        ? { status: 503, body: { error: true, code: "SERVICE_UNAVAILABLE", message: "Try again in a moment." } }
        : { body: { success: true, data: { suppressions: [entry], total: 1, limit: 50, nextCursor: null } } },
  });
  const place = await show(<SuppressionList />);
  await change(() => Bun.sleep(0));
  expect(place.querySelector("[role=alert]")?.textContent).toContain("Try again in a moment.");
  isDown = false;
  await change(() => button(place, "Try again").click());
  await change(() => Bun.sleep(0));
  expect(place.querySelector("table")?.textContent).toContain("Hashed entry");
  expect([...place.querySelectorAll("button")].some(({ textContent }) => textContent === "Add")).toBe(false);
});

test("the account form sends only changes, and nested objects as a whole", () => {
  const values = valuesOf(account);
  expect(changesOf(values, account)).toEqual({});
  expect(
    changesOf({ ...values, "caps.invites.day": "12", "spacing.minSeconds": "60", isWithdrawing: true }, account),
  ).toEqual({
    caps: { all: { week: null }, invites: { day: 12 } },
    spacing: { medianSeconds: 240, minSeconds: 60 },
    withdrawAfterDays: 21,
  });
  expect(changesOf({ ...values, isWarmingUp: false, "caps.all.week": "" }, account)).toEqual({
    caps: {},
    warmUp: null,
  });
});

test("a warm-up keeps its start date when its numbers change", () => {
  expect(changesOf({ ...valuesOf(account), "warmUp.perDay": "8" }, account)).toEqual({
    warmUp: { perDay: 8, addPerDay: 3, startedAt: "2030-01-01T00:00:00.000Z" },
  });
});

test("every permission has a label", () => {
  const known = permissionGroups.flatMap(({ permissions }) => Object.keys(permissions));
  expect(known.toSorted()).toEqual([...permissions].toSorted());
});

test("groups days with the same hours", () => {
  expect(formatWeek(account.workingHours)).toBe("Mon–Fri 09:00–18:00");
  const off = { ...account.workingHours, monday: [], wednesday: [{ from: "00:00", to: "24:00" }] };
  expect(formatWeek(off)).toBe("Tue 09:00–18:00; Wed 00:00–24:00; Thu–Fri 09:00–18:00");
});
