import { expect, test } from "bun:test";
import { startService } from "../support/service.ts";

test("the health report names the version, the user and the key", async () => {
  await using service = await startService({ settings: { ADMIN_EMAIL: "ada@example.com" } });
  const { status, body } = await service.admin.get("/api/v2/health");
  expect(status).toBe(200);
  expect(body).toMatchObject({
    version: "2.0",
    status: "healthy",
    authentication: "user",
    user: { id: service.admin.userId, email: "ada@example.com", role: "admin" },
    apiKey: { name: "admin", usageCount: 1 },
  });
});
