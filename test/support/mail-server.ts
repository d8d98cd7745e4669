import { createRequire } from "node:module";

/** As a mail server receives it, decoded. */
export type ReceivedMail = { from: string; to: string[]; headers: Record<string, string>; text: string };

export type MailServerOptions = {
  /** Required to sign in. */
  user?: { name: string; password: string };
  /** Key and certificate, in PEM: STARTTLS is offered. */
  tls?: { key: string; cert: string; isImplicit?: boolean };
};

type Session = { envelope: { mailFrom: { address: string } | false; rcptTo: { address: string }[] } };
type Done = (error?: Error | null, value?: unknown) => void;

/** The package has no types. */
type SmtpServer = new (options: Record<string, unknown>) => {
  listen(port: number, host: string, done: () => void): { address(): { port: number } };
  on(event: "error", listener: (error: Error) => void): void;
  close(done: () => void): void;
};
const { SMTPServer } = createRequire(import.meta.url)("smtp-server") as { SMTPServer: SmtpServer };

/** A mail server on loopback. */
export async function startMailServer({ user, tls }: MailServerOptions = {}) {
  const received: ReceivedMail[] = [];
  let refusal: { code: number; message: string } | null = null;
  const server = new SMTPServer({
    authOptional: user === undefined,
    disabledCommands: [...(tls === undefined ? ["STARTTLS"] : []), ...(user === undefined ? ["AUTH"] : [])],
    allowInsecureAuth: true,
    secure: tls?.isImplicit ?? false,
    ...(tls !== undefined && { key: tls.key, cert: tls.cert }),
    onAuth(auth: { username: string; password: string }, _session: Session, done: Done) {
      if (auth.username === user?.name && auth.password === user.password) done(null, { user: auth.username });
      else done(Object.assign(new Error("wrong password"), { responseCode: 535 }));
    },
    onRcptTo(_address: unknown, _session: Session, done: Done) {
      if (refusal === null) done();
      else done(Object.assign(new Error(refusal.message), { responseCode: refusal.code }));
    },
    async onData(stream: AsyncIterable<Uint8Array>, { envelope }: Session, done: Done) {
      const chunks: Uint8Array[] = [];
      for await (const chunk of stream) chunks.push(chunk);
      received.push(mailOf(Buffer.concat(chunks).toString("utf8"), envelope));
      done();
    },
  });
  // A client that drops the handshake would end the process.
  server.on("error", () => {});
  const { promise, resolve } = Promise.withResolvers<void>();
  const listening = server.listen(0, "127.0.0.1", resolve);
  await promise;
  return {
    port: listening.address().port,
    received,
    /** Refuses recipients from now on; null: accepts them. */
    refuse(next: typeof refusal): void {
      refusal = next;
    },
    [Symbol.asyncDispose]: () => new Promise<void>((done) => server.close(done)),
  };
}

function mailOf(raw: string, { mailFrom, rcptTo }: Session["envelope"]): ReceivedMail {
  const end = raw.indexOf("\r\n\r\n");
  const lines = raw
    .slice(0, end)
    .replaceAll(/\r\n[ \t]+/g, " ")
    .split("\r\n");
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(":")).toLowerCase(), line.slice(line.indexOf(":") + 2)]),
  );
  return {
    from: mailFrom === false ? "" : mailFrom.address,
    to: rcptTo.map(({ address }) => address),
    headers,
    text: decoded(raw.slice(end + 4), headers["content-transfer-encoding"] ?? "7bit")
      .replaceAll("\r\n", "\n")
      .trim(),
  };
}

function decoded(body: string, encoding: string): string {
  if (encoding === "base64") return Buffer.from(body, "base64").toString("utf8");
  if (encoding !== "quoted-printable") return body;
  const bytes = body
    .replaceAll("=\r\n", "")
    .replaceAll(/=([0-9A-F]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)));
  return Buffer.from(bytes, "latin1").toString("utf8");
}
