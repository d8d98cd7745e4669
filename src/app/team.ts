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
import type { Caller } from "../platform/auth/caller.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Config } from "./config/config.ts";
import { composeMail } from "./mail.ts";

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
  const mail = composeMail({ config, storage, clock: realClock, ids, log, baseUrl });
  const { openId } = config;
  const signIn = new SignInService({
    provider: openId && createOpenIdProvider(openId),
    policy: openId?.policy ?? closed,
    ...{ store: storage.identities, users: storage.users, sessions, clock: realClock, ids, log },
    sendLink: mail.service.isAvailable ? (user, path) => mail.service.sendSignInLink(user, baseUrl() + path) : null,
  });
  const invitations = new InvitationService({
    ...{ store: storage.invitations, keys, ring: keyRing, baseUrl },
    ...{ clock: realClock, ids },
    async sendMail(invitation, { userId }, url) {
      const [workspace, inviter] = await Promise.all([
        storage.workspaces.get(invitation.workspaceId),
        userId === null ? null : storage.users.get(userId),
      ]);
      const name = inviter && (inviter.name ?? inviter.email);
      return mail.service.sendInvitation(invitation, workspace?.name ?? "", name, url);
    },
  });
  const chores: Chore[] = [
    { name: "delete expired sessions", pattern: "25 15 * * * *", run: () => sessions.sweep() },
    { name: "delete expired invitations", pattern: "40 15 * * * *", run: () => invitations.sweep() },
    { name: "delete old use of keys", pattern: "55 25 3 * * *", run: () => keys.forgetUsage() },
    ...mail.chores,
  ];
  return {
    users,
    workspaces,
    members: new MemberService({ workspaces: storage.workspaces, ring: keyRing, clock, handOver }),
    keys,
    invitations,
    sessions,
    signIn,
    mail: mail.service,
    userOf: async ({ userId }: Caller) => (userId === null ? null : storage.users.get(userId)),
    chores,
  };
}

/** Applies while there is no issuer. */
const closed = { domains: [], trustsAddresses: false, role: null, workspaceId: null };
