import type { Transporter } from "nodemailer";
import type { MailProvider } from "../../../features/mail/mail-provider.ts";
import type { SendResult } from "../../../features/mail/model.ts";

export type SmtpSettings = Readonly<{
  host: string;
  port: number;
  user: string | null;
  password: string | null;
  from: string;
  /** starttls: encrypted after the greeting, or not at all if `isOptional`; implicit: from the first byte. */
  tls: "starttls" | "implicit" | "none";
}>;

const timeoutMs = 30_000;
const maxReasonLength = 300;

/** A mail server, by SMTP. Nothing is sent in the clear unless `tls` is none. */
export function createSmtp(settings: SmtpSettings): MailProvider {
  let loading: Promise<Transporter> | null = null;
  const transporter = () => (loading ??= createTransporter(settings));

  return {
    async send({ id, recipient, subject, body }) {
      try {
        const sent = await (
          await transporter()
        ).sendMail({
          from: settings.from,
          to: recipient,
          subject,
          text: body,
          // The same at each attempt, so that mail programs recognize a repetition.
          messageId: `<${id}@${domainOf(settings.from)}>`,
          // RFC 3834: no vacation notices in return.
          headers: { "Auto-Submitted": "auto-generated" },
        });
        return (sent.accepted ?? []).length > 0
          ? { isSent: true }
          : failed("The mail server accepted no recipient.", true);
      } catch (error) {
        return failureOf(error);
      }
    },
  };
}

/** Loaded with the first mail: it also loads Node's net and tls. */
async function createTransporter({ host, port, user, password, tls }: SmtpSettings): Promise<Transporter> {
  const { createTransport } = await import("nodemailer");
  return createTransport({
    host,
    port,
    secure: tls === "implicit",
    requireTLS: tls === "starttls",
    ignoreTLS: tls === "none",
    ...(user !== null && { auth: { user, pass: password ?? "" } }),
    connectionTimeout: timeoutMs,
    greetingTimeout: timeoutMs,
    socketTimeout: timeoutMs,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
}

function failureOf(error: unknown): SendResult {
  const {
    message = String(error),
    responseCode,
    code,
  } = error as { message?: string; responseCode?: number; code?: string };
  // A wrong password or sender is the operator's to correct: the mail is not lost meanwhile.
  const isFinal = (responseCode ?? 0) >= 500 && code === "EENVELOPE";
  return failed(message, isFinal);
}

function failed(reason: string, isFinal: boolean): SendResult {
  return { isSent: false, isFinal, reason: reason.slice(0, maxReasonLength) };
}

/** Of an address that may have a name: "outreachd <noreply@example.com>". */
function domainOf(from: string): string {
  return /@([^\s>]+)>?\s*$/.exec(from)?.[1] ?? "localhost";
}
