import { Type } from "@sinclair/typebox";
import { isoTime, type Clock } from "../../platform/base/clock.ts";
import { ApiError } from "../../platform/base/errors.ts";
import { commit, version } from "../../platform/base/version.ts";
import { queryOf } from "../../platform/http/input.ts";
import { routes } from "../../platform/http/route.ts";
import { apiVersion } from "../../platform/http/error-body.ts";
import { answersJson } from "../../platform/http/openapi.ts";
import type { Caller } from "../../platform/auth/caller.ts";
import type { KeyService } from "./keys/service.ts";
import type { WorkspaceService } from "./service.ts";
import type { UserService } from "./users/service.ts";
import type { Operations } from "../../platform/operations/operations.ts";
import type { Readiness } from "../../platform/operations/readiness.ts";

const nullableText = Type.Union([Type.String(), Type.Null()]);
const HealthReport = Type.Object(
  {
    version: Type.String(),
    status: Type.Union([Type.Literal("healthy"), Type.Literal("degraded"), Type.Literal("maintenance")]),
    message: Type.Union([Type.String(), Type.Null()], {
      description: "Reason why the status is not `healthy`, or null.",
    }),
    authentication: Type.Union([Type.Literal("user"), Type.Literal("global")]),
    user: Type.Union([Type.Object({ id: Type.String(), email: Type.String(), role: Type.String() }), Type.Null()]),
    workspace: Type.Union([Type.Object({ id: Type.String(), name: Type.String(), role: Type.String() }), Type.Null()], {
      description: "Workspace of the key and the role of the user in it; null for a global key.",
    }),
    apiKey: Type.Object({ name: nullableText, permissions: Type.Array(Type.String()), usageCount: Type.Integer() }),
    server: Type.Object(
      {
        version: Type.String(),
        commit: nullableText,
        schema: Type.Integer({ description: "Number of the newest migration of the database." }),
      },
      { description: "Build of the server. `version` above is the version of the API." },
    ),
    timestamp: Type.String({ format: "date-time" }),
    simulation: Type.Boolean({
      description: "true if this server is a simulation. `timestamp` is then the simulated time.",
    }),
  },
  { $id: "HealthReport" },
);
const Probe = Type.Object({
  status: Type.String(),
  simulation: Type.Optional(Type.Literal(true, { description: "Present only if this server is a simulation." })),
});

/** Read without a schema: a probe is never refused. */
const exclude = {
  name: "exclude",
  in: "query",
  schema: { type: "string" as const, enum: ["database", "files", "clock", "requests"] },
  description:
    "Check to leave out. Load balancers leave out `files` if all nodes use one bucket: while that is unavailable, only requests that need files fail. May be repeated; unknown names are ignored.",
};

export function healthRoutes(
  { users, workspaces, keys }: { users: UserService; workspaces: WorkspaceService; keys: KeyService },
  clock: Clock,
  {
    readiness,
    operations,
    isSimulation,
    schema,
  }: { readiness: Readiness; operations: Operations; isSimulation: boolean; schema: number },
) {
  const mark = isSimulation ? { simulation: true as const } : {};
  const report = async (caller: Caller) => {
    const [user, workspace, usageCount, problem] = await Promise.all([
      caller.userId === null ? null : users.get(caller.userId),
      caller.workspaceId === null ? null : workspaces.get(caller.workspaceId),
      keys.usageCount(caller.keyId),
      readiness.problem(),
    ]);
    const operation = operations.report();
    const isFine = problem === null || operation.status !== "healthy";
    return {
      version: apiVersion,
      status: isFine ? operation.status : "degraded",
      message: isFine ? operation.message : `${problem[0]?.toUpperCase()}${problem.slice(1)}.`,
      authentication: user === null ? "global" : "user",
      user: user && { id: user.id, email: user.email, role: user.role },
      workspace: workspace && { id: workspace.id, name: workspace.name, role: caller.memberRole ?? "" },
      apiKey: { name: caller.keyName, permissions: caller.permissions, usageCount },
      server: { version, commit, schema },
      timestamp: isoTime(clock.now()),
      simulation: isSimulation,
    };
  };

  return routes("")
    .get("/api/v2/health", async ({ caller }) => report(caller), {
      callerOnly: null,
      docs: answersJson(HealthReport, {
        tag: "Health",
        summary: "Get service health and the current identity",
        description: "Counts as a tenth of a request toward the rate limits.",
      }),
    })
    .get("/healthz", () => ({ status: "ok", ...mark }), {
      docs: {
        ...answersJson(Probe, { tag: "Health", summary: "Check liveness", description: "No API key required." }),
        security: [],
      },
    })
    .get(
      "/readyz",
      async ({ request }) => {
        const excluded = [queryOf(request.url)["exclude"]].flat();
        const checks = (await readiness.failures()).filter(
          ({ check }) => check === "node" || !excluded.includes(check),
        );
        if (checks.length === 0) return { status: "ready", ...mark };
        const message = `Not ready: ${checks.map(({ reason }) => reason).join("; ")}.`;
        throw new ApiError("SERVICE_UNAVAILABLE", { message, details: { checks } });
      },
      {
        docs: {
          ...answersJson(Probe, {
            tag: "Health",
            summary: "Check readiness",
            description:
              "Whether the server can serve requests and run jobs. Otherwise, returns 503 and, as `details.checks`, the `check` that failed and the `reason`: `node` (it is starting or stopping), `database`, `files`, `clock` (the time of the database is unknown), or `requests` (requests fail). No API key required.",
          }),
          parameters: [exclude],
          security: [],
        },
      },
    );
}
