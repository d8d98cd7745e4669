import { concernsPerson } from "../../../../features/privacy/decisions.ts";
import {
  identifyPerson,
  type Addresses,
  type Reached,
  type ReachedProspect,
} from "../../../../features/privacy/identify.ts";
import { mentionsOf } from "../../../../features/privacy/mentions.ts";
import type { PersonIdentity, PersonQuery, PersonRecord, PersonScope } from "../../../../features/privacy/model.ts";
import {
  isLeadOfPerson,
  isProspectOfPerson,
  leadKeysOfPerson,
  prospectKeysOfPerson,
  suppressionKeysOfPerson,
} from "../../../../features/privacy/person-keys.ts";
import { maxNamesakes } from "../../../../features/prospecting/directory-decisions.ts";
import { seqOf } from "../../prospect-seq.ts";
import type { ProspectIndex } from "../directory/prospect-index.ts";
import type { ProspectRows } from "../directory/prospect-rows.ts";
import type { Engine } from "../engine.ts";
import type { LeadRows } from "../lead-rows.ts";
import type { Place } from "../../../../features/privacy/place-model.ts";
import { places } from "../../../../features/privacy/places.ts";
import { among, exceptSql, ownerSql, ownSql } from "./place-sql.ts";
import { prepared } from "../prepared.ts";

/** Rows of a place per read. */
const pageRows = 500;

type Parts = { engine: Engine; leads: LeadRows; prospects: ProspectRows; index: ProspectIndex };
type User = { id: string; seq: number };

/** Finds a person in all stored data. Places without an index are scanned in the reader thread. */
export function createPersonSearch({ engine, leads, prospects, index }: Parts) {
  const { database, reader, phoneRegion } = engine;
  const allUsers = prepared<User, []>(database, "SELECT id, seq FROM workspaces");
  const oneUser = prepared<User, [string]>(database, "SELECT id, seq FROM workspaces WHERE id = ?");
  const currentLead = prepared<{ id: string; owner: number }, [string, string]>(
    database,
    "SELECT id, owner FROM leads WHERE id = coalesce((SELECT lead_id FROM merged_leads WHERE id = ?), ?)",
  );
  const mergedIds = prepared<{ id: string }, [string]>(database, "SELECT id FROM merged_leads WHERE lead_id = ?");

  const usersIn = ({ workspaceId }: PersonScope): User[] =>
    workspaceId === null ? allUsers.all() : oneUser.all(workspaceId);

  function identify(scope: PersonScope, given: PersonQuery, follow: boolean): Promise<PersonIdentity | null> {
    const users = usersIn(scope);
    return identifyPerson(given, follow, {
      async lead(id) {
        const found = currentLead.get(id, id);
        const user = users.find(({ seq }) => seq === found?.owner);
        return user === undefined ? null : leads.get(user.id, found!.id)!.lead;
      },
      mergedInto: async (leadIds) => leadIds.flatMap((id) => mergedIds.all(id).map((row) => row.id)),
      leadsWith: async (addresses) => users.flatMap((user) => leadsWith(user, addresses)),
      async prospectsWith(addresses) {
        const found: ReachedProspect[] = [];
        for (const user of users) found.push(...(await prospectsWith(user, addresses)));
        return found;
      },
      seenElsewhere: (identity) => seenElsewhere(users, identity),
    });
  }

  function leadsWith({ id, seq: owner }: User, addresses: Addresses) {
    const keys = leadKeysOfPerson(owner, addresses);
    const candidates = keys.flatMap((key) => [...leads.candidates(id, owner, key)]).map(({ lead }) => lead);
    return candidates.filter((lead) => isLeadOfPerson(lead, addresses));
  }

  async function prospectsWith({ seq: owner }: User, addresses: Addresses) {
    const keys = prospectKeysOfPerson(addresses);
    const next = prospects.next(owner);
    if (keys.length === 0 || next === 0) return [];
    const pairs = await index.find(owner, keys, maxNamesakes, next);
    const numbers = new Set([...pairs].filter((_, at) => at % 2 === 1));
    const rows = [...numbers].map((number) => prospects.get(owner, number)).filter((row) => row !== null);
    return rows
      .filter(({ content }) => isProspectOfPerson(content, addresses))
      .map(({ number, content }) => {
        const seq = seqOf(owner, number);
        return { ...content, numbers: [seq, ...prospects.formerSeqs(seq)] };
      });
  }

  /** Profiles that received actions for the leads, and addresses that were enriched together. */
  function seenElsewhere(users: readonly User[], identity: PersonIdentity): Promise<Reached[]> {
    const json = JSON.stringify({ ...identity, users: users.map(({ id }) => id) });
    return reader.all<Reached>({
      sql: `SELECT NULL AS email, profile_key AS networkUrl FROM network_actions
          WHERE lead_id ${among("leadIds")} AND workspace_id ${among("users")}
        UNION SELECT NULL, profile_key FROM campaign_enrollments
          WHERE lead_id ${among("leadIds")} AND workspace_id ${among("users")}
        UNION SELECT email, network FROM enrichment_results
          WHERE (email ${among("emails")} OR network ${among("profiles")})
            AND (SELECT id FROM workspaces WHERE seq = owner) ${among("users")}`,
      params: [json],
    });
  }

  async function* records(scope: PersonScope, identity: PersonIdentity): AsyncGenerator<PersonRecord[], void, void> {
    const mentions = mentionsOf(identity);
    const suppressions = suppressionKeysOfPerson(identity, phoneRegion).map((key) => Buffer.from(key).toString("hex"));
    const lists = JSON.stringify({ ...identity, suppressions, workspaceId: scope.workspaceId });
    for (const place of places)
      for (let offset = 0, more = true; more; offset += pageRows) {
        const wanted = place.texts.length === 0 ? [] : mentions.needles;
        const params = [lists, pageRows, offset, ...wanted];
        const rows = await reader.all<Record<string, unknown>>({ sql: pageSql(place, wanted.length), params });
        more = rows.length === pageRows;
        const found = rows
          .map((row) => recordOf(place, row))
          .filter((record) => concernsPerson(place, record, mentions));
        if (found.length > 0) yield found;
      }
  }

  return { identify, records };
}

/** ?1: lists of identifiers of the person; ?2, ?3: limit and offset; from ?4 on: texts, one of which a mention contains. */
function pageSql(place: Place, needles: number): string {
  const { table, key, personal, others, texts } = place;
  const columns = [...new Set([...key, ...personal, ...others])].map((name) => `t.${name}`).join(", ");
  const [isOwn, owner] = [ownSql(place), ownerSql(place.owner)];
  const text = texts.map((name) => `coalesce(t.${name}, '')`).join(" || char(10) || ");
  const mentioned = Array.from({ length: needles }, (_, n) => `instr(lower(${text}), ?${n + 4})`);
  return `SELECT ${owner} AS "user", coalesce(${isOwn}, 0) AS "own", ${columns} FROM ${table} AS t
    WHERE (${[isOwn, ...mentioned].join(" OR ")})${exceptSql(place)}
      AND (?1 ->> '$.workspaceId' IS NULL OR ${owner} = ?1 ->> '$.workspaceId')
    ORDER BY ${key.map((name) => `t.${name}`).join(", ")} LIMIT ?2 OFFSET ?3`;
}

function recordOf({ name, key }: Place, { user, own, ...fields }: Record<string, unknown>): PersonRecord {
  const shown = Object.entries(fields).filter(([, value]) => !(value instanceof Uint8Array));
  return {
    place: name,
    key: key.map((column) => fields[column] as string | number),
    workspaceId: (user as string | null) ?? null,
    isOwn: own === 1,
    fields: Object.fromEntries(shown),
  };
}
