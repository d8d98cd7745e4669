import type { Sql } from "postgres";

/** Runs COPY: a connection, a pool, or a transaction. */
export type Copier = Pick<Sql, "unsafe">;

/** What the driver calls when a COPY begins and when a statement fails. */
type Settled = { resolve(stream: unknown): void; reject(error: unknown): void };

type Stream = { push(piece: Buffer | null): boolean; once(event: "error", listener: (error: unknown) => void): void };

/** Reads what a query returns, as pieces of one line each. All of it is in memory, so the query must have a limit. */
export async function copyOut(connection: Copier, query: string): Promise<Buffer[]> {
  const pieces: Buffer[] = [];
  const running = connection.unsafe(`COPY (${query}) TO STDOUT`);
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const { resolve: began, reject: failed } = hooksOf(running);
  // The driver's stream pauses its socket whenever it is full, after which it sometimes does not resume on Bun 1.4.5. So
  // nothing is left in the stream.
  let isBegun = false;
  void Object.assign(running, {
    // Called with the stream, and once more at the end.
    resolve(value: unknown) {
      if (!isBegun) (value as Stream).push = take;
      if (!isBegun) (value as Stream).once("error", reject);
      isBegun = true;
      began(value);
    },
    reject(error: unknown) {
      failed(error);
      reject(error);
    },
  } satisfies Settled);
  function take(piece: Buffer | null): boolean {
    if (piece === null) resolve();
    // The memory of the socket is used again.
    else pieces.push(Buffer.from(piece));
    return true;
  }
  await Promise.race([running.readable().then(() => promise), promise]);
  return pieces;
}

/** Sends lines to COPY … FROM STDIN on a connection in a transaction. */
export async function copyIn(connection: Copier, into: string, lines: AsyncIterable<Buffer>): Promise<void> {
  const running = connection.unsafe(`COPY ${into} FROM STDIN`);
  const failed = failureOf(running);
  const stream = await Promise.race([running.writable(), failed]);
  stream.on("error", () => {}); // the same error
  try {
    for await (const some of lines) {
      if (stream.write(some)) continue;
      await Promise.race([new Promise<void>((resolve) => stream.once("drain", () => resolve())), failed]);
    }
    await Promise.race([new Promise<void>((resolve) => stream.end(() => resolve())), failed]);
  } catch (error) {
    // Until the server knows, the connection takes no ROLLBACK.
    stream.destroy(error as Error);
    await failed.catch(() => {});
    throw error;
  }
}

/**
 * Rejects when the statement fails. Once the stream exists, the driver considers the statement resolved and tells nobody
 * about errors that follow its last line, such as a full disk.
 */
function failureOf(running: object): Promise<never> {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => {}); // read only while the statement is running
  const { reject: failed } = hooksOf(running);
  Object.assign(running, {
    reject(error: unknown) {
      failed(error);
      reject(error);
    },
  });
  return promise;
}

/** A query of the driver is a promise that also has its `resolve` and `reject`. */
function hooksOf(running: object): Settled {
  const { resolve, reject } = running as Settled;
  return { resolve: resolve.bind(running), reject: reject.bind(running) };
}
