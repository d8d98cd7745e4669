import type { Option, Problem } from "./sources.ts";
import { oneOf, text, wholeNumber, type Parse } from "./values.ts";

/** Options of mail to users; part of `serverOptions`. */
export const mailOptions = {
  smtpHost: option<string | null>({
    argument: "HOST",
    parse: mailHost,
    default: null,
    description:
      "Mail server for invitations, sign-in links, and notifications. Without one, everything works by links that you pass on.",
  }),
  smtpPort: option({
    argument: "PORT",
    parse: wholeNumber(1, 65_535),
    default: 587,
    description: "Port of the mail server.",
  }),
  smtpUser: option<string | null>({
    argument: "NAME",
    parse: text,
    default: null,
    description: "User name at the mail server, if it requires one.",
  }),
  smtpPassword: option<string | null>({
    argument: "PASSWORD",
    parse: text,
    default: null,
    secret: true,
    description: "Password at the mail server.",
  }),
  smtpFrom: option<string | null>({
    argument: "ADDRESS",
    parse: sender,
    default: null,
    description: "Sender of all mail, such as outreachd@example.com, or with a name: Outreach <outreachd@example.com>.",
  }),
  smtpTls: option<"starttls" | "implicit" | "none">({
    argument: "MODE",
    parse: oneOf(["starttls", "implicit", "none"]),
    default: "starttls",
    description:
      "Encryption: starttls is required after the greeting (port 587), implicit starts with the connection (port 465), none sends everything, including the password, in the clear.",
  }),
};

export type MailConfig = Readonly<{
  host: string;
  port: number;
  user: string | null;
  password: string | null;
  from: string;
  tls: "starttls" | "implicit" | "none";
}>;

type Values = { publicUrl: string | null } & {
  [K in keyof typeof mailOptions]: (typeof mailOptions)[K] extends Option<infer V> ? V : never;
};

/** Splits the values of these options off from all values. Null: the server sends no mail. */
export function mailConfig<T extends Values>(values: T) {
  const { smtpHost: host, smtpPort: port, smtpUser: user, smtpPassword: password, ...others } = values;
  const { smtpFrom: from, smtpTls: tls, ...rest } = others;
  const problems: Problem[] = [];
  const require = (option: string, isMissing: boolean, message: string) => {
    if (isMissing) problems.push({ option, message });
  };
  require("smtp-from", host !== null && from === null, "Required with smtp-host: the sender of all mail.");
  require("smtp-host", host === null && from !== null, "Required with smtp-from: the mail server.");
  require("smtp-user", user === null && password !== null, "Required with smtp-password.");
  require("smtp-password", user !== null && password === null, "Required with smtp-user.");
  require("public-url", host !== null &&
    values.publicUrl === null, "Required with smtp-host, because mail contains links.");
  const mail: MailConfig | null =
    host === null || from === null ? null : Object.freeze({ host, port, user, password, from, tls });
  return { mail, rest: rest as Omit<T, keyof typeof mailOptions>, problems };
}

function mailHost(value: string): ReturnType<Parse<string>> {
  if (!/^[a-z0-9]([a-z0-9._:-]{0,251}[a-z0-9])?$/i.test(value))
    throw new RangeError(`Expected a host such as smtp.example.com, got "${value.slice(0, 80)}".`);
  return value;
}

function sender(value: string): ReturnType<Parse<string>> {
  const address = /^[^<>"\r\n]*<([^<>\s]+)>$/.exec(value.trim())?.[1] ?? value.trim();
  if (value.length > 320 || !/^[^\s@<>",;]+@[^\s@<>",;]+$/.test(address))
    throw new RangeError(
      `Expected an address such as outreachd@example.com or Outreach <outreachd@example.com>, got "${value.slice(0, 80)}".`,
    );
  return value.trim();
}

function option<T>(definition: Option<T>): Option<T> {
  return definition;
}
