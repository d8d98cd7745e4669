import { singleLine } from "../../base/text.ts";
import type { Caller } from "../caller.ts";
import { withoutKeys } from "../../base/secret-text.ts";
import type { AuditDetails, AuditEntry, AuditEvent, Origin } from "./model.ts";

const excerptLength = 200;

/**
 * Creates an entry for the audit log, which is stored in the same operation as the change that it describes. `caller` is
 * null if the service acts on its own.
 */
export function auditEntry(
  caller: Caller | null,
  at: number,
  { action, workspaceId, target, details = {}, via, origin }: AuditEvent,
): AuditEntry {
  return {
    at,
    action,
    workspaceId,
    via: via ?? (caller?.isLocal ? "commandLine" : (caller ?? origin) ? "api" : "service"),
    actorId: caller?.userId ?? null,
    keyId: caller === null || caller.isLocal ? null : caller.keyId,
    keyName: caller === null || caller.isLocal ? null : caller.keyName,
    ...(origin ?? caller?.origin?.() ?? nowhere),
    targetType: target?.type ?? null,
    targetId: target?.id ?? null,
    details: clean(details),
  };
}

/** Removes API keys: entries cannot be removed from the log later. */
function clean(details: AuditDetails): AuditDetails {
  const text = JSON.stringify(details);
  const shown = withoutKeys(text);
  return shown === text ? details : (JSON.parse(shown) as AuditDetails);
}

const nowhere: Origin = { requestId: null, address: null, userAgent: null };

/** The part of a User-Agent header that is stored. */
export function userAgentExcerpt(header: string | null): string | null {
  return header === null ? null : withoutKeys(singleLine(header)).slice(0, excerptLength) || null;
}
