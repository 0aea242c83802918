import type * as z from 'zod'
import { sha256Hex } from '#shared/platform/crypto.ts'
import type { Item } from '#shared/platform/table/port.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import type { Connection } from '../find.ts'
import { connectionRevocationRows, revocationsDue } from '../rows.ts'

export type Revocation = z.output<
  ReturnType<(typeof connectionRevocationRows)['declared']['schema']>
>

/** The row's lifetime in seconds, longer than all attempts take together. */
const keptSeconds = 172_800

/** Returns the revocation of a connection's tokens; undefined without tokens, or without a revocation endpoint. */
export async function revocationOf(
  agentId: string,
  { name, server, tokens }: Pick<Connection, 'name' | 'server' | 'tokens'>,
): Promise<Revocation | undefined> {
  if (server?.revocationEndpoint === undefined || tokens === undefined) return undefined
  const { sealed } = tokens
  return { id: await sha256Hex(sealed), agentId, name, server, sealed, attempts: 0 }
}

/** Returns the row that makes the schedule revoke the tokens. */
export function revocationPut(row: Revocation, now = Date.now()): Item {
  const { id } = row
  const expiresAt = epochSeconds(now) + keptSeconds
  return connectionRevocationRows.put({ id }, row, { ...revocationsDue.at(id, now), expiresAt })
}
