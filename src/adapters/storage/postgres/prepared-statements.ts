import type { Sql, TransactionSql } from "postgres";

/** More than the texts that recur. Each connection keeps what it has prepared, at about 20 kB of the server's memory. */
const maxStatements = 500;

/**
 * The driver's own option of statements that need a connection to themselves, such as `BEGIN`. Otherwise it sends a
 * statement on a busy connection, and completes it once it knows the types of its parameters. If the statement before
 * ends in between, pgbouncer in transaction mode takes the connection away, and no answer ever comes.
 */
const alone = { onexecute: () => false };

/**
 * The client for drizzle, which prepares no statement by itself. PostgreSQL parses and plans an unprepared statement each
 * time, and the driver waits for the types of its parameters before it sends them. Statements are prepared from their
 * second use on, because the text of some depends on the number of their parameters. `mayShare`: whether
 * statements outside of transactions may be sent on a connection that is busy.
 */
export function preparing(client: Sql, mayShare: boolean): Sql {
  const used = new Set<string>();
  const prepared = new Set<string>();

  function isPrepared(text: string): boolean {
    if (prepared.has(text)) return true;
    if (prepared.size >= maxStatements) return false;
    if (used.delete(text)) {
      prepared.add(text);
      return true;
    }
    if (used.size >= maxStatements) used.clear();
    used.add(text);
    return false;
  }

  function wrapped<Client extends Sql | TransactionSql>(client: Client, placing: object): Client {
    return new Proxy(client, {
      get(target, name) {
        if (name === "unsafe")
          return (text: string, parameters: never[] = []) =>
            target.unsafe(text, parameters, { prepare: parameters.length > 0 && isPrepared(text), ...placing });
        if (name === "begin" || name === "savepoint") {
          type Run = (...parameters: unknown[]) => unknown;
          const start = (Reflect.get(target, name) as Run).bind(target);
          return (...parameters: unknown[]) => {
            const work = parameters.pop() as (inner: TransactionSql) => unknown;
            return start(...parameters, (inner: TransactionSql) => work(wrapped(inner, {})));
          };
        }
        return Reflect.get(target, name) as unknown;
      },
    });
  }

  return wrapped(client, mayShare ? {} : alone);
}
