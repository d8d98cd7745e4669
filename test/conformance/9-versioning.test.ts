import { afterAll, expect } from "bun:test";
import { startService } from "../support/service.ts";
import { ask, section } from "./support.ts";

const service = await startService();
afterAll(() => service[Symbol.asyncDispose]());

section("9 Versioning", (says) => {
  says("the version is carried in the path prefix /api/v2", async () => {
    expect((await fetch(`${service.url}/api/v1/health`)).status).toBe(404);
    expect((await ask(service, "GET", "/health")).status).toBe(200);
  });
  says("the version field of health bodies is 2.0", async () =>
    expect((await ask(service, "GET", "/health")).body["version"]).toBe("2.0"),
  );
  says("the version field of error bodies is 2.0", async () =>
    expect((await ask(service, "GET", "/nowhere")).body["version"]).toBe("2.0"),
  );
  says("legacy routes and global keys remain supported", async () => {
    const { key } = await service.globalKey();
    const { status, body } = await ask(service, "GET", `/users/jobs/userJobStatus/${service.admin.userId}`, { key });
    expect([status, body["success"]]).toEqual([200, true]);
  });
});
