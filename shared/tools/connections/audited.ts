import { audit, type AuditContext } from '#shared/platform/identity/audit.ts'
import type { Connection } from './find.ts'

/** Returns the audit entry for a change that an owner makes to a connection, as a part of its transaction. */
export function auditPart(
  ctx: AuditContext,
  { userId, agentId }: { userId: string; agentId: string },
  { before, after }: { before?: Connection; after?: Connection },
) {
  const [from, to] = [before && shown(before), after && shown(after)]
  return audit(ctx, 'connection.changed', { userId, target: agentId, before: from, after: to })
}

function shown({ name, url, allow }: Connection) {
  return { name, url, allow }
}
