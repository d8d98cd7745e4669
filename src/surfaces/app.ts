import type { App, Overrides } from "../app/app.ts";
import type { Config } from "../app/config/config.ts";
import { createServer } from "../app/server.ts";
import type { SessionParts } from "../app/surfaces.ts";
import { invitationPage } from "./dashboard/join.ts";
import { otherSignIns } from "./dashboard/other-sign-ins.ts";
import { dashboardPages } from "./dashboard/pages.ts";
import { browserSession } from "./dashboard/session.ts";
import { guidePages } from "./docs/guide-pages.ts";
import { mcpEndpoint } from "./mcp/endpoint.ts";

export type { Overrides };

/** The whole service: the API with the dashboard and the tools of assistants. `stop` and errors: see `createServer`. */
export function createApp(config: Config, overrides: Overrides = {}, stop?: AbortSignal): Promise<App> {
  const surfaces = {
    session: (parts: SessionParts) => ({ all: [...browserSession(parts).all, ...otherSignIns(parts).all] }),
    invitation: invitationPage,
    pages: (parts: SessionParts) => ({ all: [...dashboardPages(parts).all, ...guidePages(parts).all] }),
    tools: mcpEndpoint,
  };
  return createServer(config, surfaces, overrides, stop);
}
