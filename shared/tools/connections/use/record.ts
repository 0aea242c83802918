import type { AgentRef } from '#shared/agents/record/agent.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Log } from '#shared/platform/log.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { isoOf } from '#shared/platform/times.ts'
import { beginUse, useExpiry, type UseRecord } from '#shared/tools/broker/record.ts'
import type { ConnectionRequest } from '../requests.ts'
import { connectionRequestRows } from '../rows.ts'

type Requested = Pick<ConnectionRequest, 'connection' | 'method' | 'tool' | 'decision'>

/**
 * Starts the record of one request over a connection. A request that lasts five seconds occupies one of its owner's
 * slots, which uses of broker credentials share.
 */
export function beginConnectionRecord(
  ctx: { table: Table; log: Log },
  agent: AgentRef,
  requested: Requested,
): UseRecord {
  const now = Date.now()
  const expiresAt = useExpiry(now)
  return beginUse(ctx, agent, {
    sk: connectionRequestRows.sk({ agentId: agent.agentId, place: newSeed(now).toLowerCase() }),
    attributes: ({ status, bytes }) =>
      connectionRequestRows.attributes(
        {
          at: isoOf(now),
          ...requested,
          status,
          bytes,
          ms: bytes === null ? null : Date.now() - now,
        },
        { expiresAt },
      ),
  })
}
