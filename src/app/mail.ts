import { createSmtp } from "../adapters/providers/mail/smtp.ts";
import type { Storage } from "../adapters/storage/storage.ts";
import { Notifier } from "../features/mail/notifier.ts";
import { MailSender } from "../features/mail/sender.ts";
import { MailService } from "../features/mail/service.ts";
import type { Clock, Ids } from "../platform/base/clock.ts";
import type { Log } from "../platform/base/log.ts";
import type { Chore } from "../platform/jobs/maintenance.ts";
import type { Config } from "./config/config.ts";

type MailParts = {
  config: Pick<Config, "mail" | "simulate">;
  storage: Storage;
  clock: Clock;
  ids: Ids;
  log: Log;
  /** URL at which browsers reach the server, or "" while it is unknown. */
  baseUrl: () => string;
};

/** Composes mail to users. A simulation sends none. */
export function composeMail({ config, storage, clock, ids, log, baseUrl }: MailParts) {
  const { mail: store, events, workspaces, users, leads, network: accounts } = storage;
  const provider = config.mail === null || config.simulate ? null : createSmtp(config.mail);
  const service = new MailService({ store, provider, users, clock, ids });
  const chores: Chore[] = [];
  if (provider !== null) {
    const notifier = new Notifier({ store, events, workspaces, accounts, leads, clock, ids, baseUrl });
    const sender = new MailSender({ store, provider, clock, log });
    chores.push(
      { name: "queue notifications", pattern: "*/5 * * * * *", run: () => notifier.collect() },
      { name: "queue daily digests", pattern: "5 */15 * * * *", run: () => notifier.digest() },
      { name: "send mail", pattern: "*/2 * * * * *", run: () => sender.run() },
      { name: "delete old mail", pattern: "45 20 * * * *", run: () => sender.sweep() },
    );
  }
  return { service, chores };
}
