import { createOpenIdProvider } from "../adapters/providers/sign-in/openid.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import type { ConnectorName } from "../features/network/account-model.ts";
import { InvitationService } from "../features/workspaces/invitations/service.ts";
import { KeyService } from "../features/workspaces/keys/service.ts";
import { MemberService, type HandOver, type Successors } from "../features/workspaces/members/service.ts";
import { WorkspaceService } from "../features/workspaces/service.ts";
import { SessionService } from "../features/workspaces/sessions/service.ts";
import { SignInService } from "../features/workspaces/sign-in/service.ts";
import { UserService } from "../features/workspaces/users/service.ts";
import type { KeyRing } from "../platform/auth/access.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { Config } from "./config/config.ts";

type TeamParts = {
  config: Config;
  storage: Storage;
  /** Connector of the account that a new workspace starts with. */
  connector: ConnectorName;
  keyRing: KeyRing;
  clock: Clock;
  realClock: Clock;
  ids: Ids;
  handOver: Record<keyof Successors, HandOver>;
  /** URL at which browsers reach the server, or "" while it is unknown. */
  baseUrl: () => string;
  log: Log;
};

/** Composes users, workspaces, members, keys, and sessions. */
export function composeTeam({
  config,
  storage,
  connector,
  keyRing,
  clock,
  realClock,
  ids,
  handOver,
  baseUrl,
  log,
}: TeamParts) {
  const defaults = { timeZone: config.timeZone, connector, credits: config.defaultCredits };
  const users = new UserService(storage.users, keyRing, clock, ids, defaults);
  const workspaces = new WorkspaceService({ store: storage.workspaces, users: storage.users, clock, ids, defaults });
  const keys = new KeyService({
    keys: storage.keys,
    workspaces,
    ring: keyRing,
    hasBudget: async (keyId) => (await storage.credits.budget(keyId, clock.now())) !== null,
    clock,
    ids,
  });
  // People who watch a simulation live in real time: simulating a month must not sign them out.
  const sessions = new SessionService({
    ...{ store: storage.sessions, ring: keyRing, users, workspaces: storage.workspaces, keys },
    ...{ clock: realClock, ids },
  });
  const { openId } = config;
  const signIn = new SignInService({
    provider: openId && createOpenIdProvider(openId),
    policy: openId?.policy ?? closed,
    ...{ store: storage.identities, users: storage.users, sessions, clock: realClock, ids, log },
  });
  return {
    users,
    workspaces,
    members: new MemberService({ workspaces: storage.workspaces, ring: keyRing, clock, handOver }),
    keys,
    invitations: new InvitationService({
      ...{ store: storage.invitations, keys, ring: keyRing, baseUrl },
      ...{ clock: realClock, ids },
    }),
    sessions,
    signIn,
  };
}

/** Applies while there is no issuer. */
const closed = { domains: [], trustsAddresses: false, role: null, workspaceId: null };
