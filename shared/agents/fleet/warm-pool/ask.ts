import { sha256Hex } from '#shared/platform/crypto.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { changeItem } from '#shared/platform/table/change-item.ts'
import type { Item, Table } from '#shared/platform/table/port.ts'
import { bootstrapToken, type Start } from '../bootstrap/token.ts'
import { noteEveryMs } from './ready.ts'
import { type WarmContainer, warmRows } from './rows.ts'
import { isWarmToken } from './token.ts'

/** A warm container's request for its agent. */
export interface WarmQuestion {
  warmId: string
  token: string
  /** Chosen by the container. A retry must send the same nonce. */
  nonce: string
}

/**
 * Returns the agent start that a container is assigned to, and the token to fetch its environment. Null while no agent
 * is assigned. The first request marks the container as available. Every rejection has the same error: a rejected
 * container is no longer needed and exits.
 * @throws PlatformError 401, 503 without WALLET_ENCRYPTION_KEY
 */
export async function askForAgent(
  {
    table,
    config,
  }: Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>,
  { warmId, token, nonce }: WarmQuestion,
  now = Date.now(),
): Promise<{ start: (Start & { token: string }) | null }> {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Starting agents', ['WALLET_ENCRYPTION_KEY'])
  if (!(await isWarmToken(key, warmId, token))) throw refused()
  const by = await sha256Hex(nonce)
  const container = await known(table, { id: warmId, by, now })
  const { agent } = container
  if (agent === undefined) return { start: null }
  const start = { agentId: agent.agentId, generation: agent.generation }
  return { start: { ...start, token: await bootstrapToken(key, start) } }
}

/**
 * Returns the container, bound to its nonce from the first request on. While it has no agent, a request with its token
 * and another nonce removes it from the pool.
 * @throws PlatformError 401 for another nonce
 */
async function known(
  table: Table,
  { id, by, now }: { id: string; by: string; now: number },
): Promise<WarmContainer> {
  let container: WarmContainer | undefined
  await changeItem({ table, key: warmRows.key({ id }) }, (item: Item | undefined) => {
    container = item && warmRows.parse(item)
    if (container === undefined || container.agent !== undefined) return undefined
    const { revision, askedAt } = container
    const unchanged = { if: '#revision = :revision', values: { revision } }
    container = { ...container, by: container.by ?? by }
    // Two parties have the token, and the attacker may have been first, so no agent gets this container.
    if (container.by !== by) return { delete: unchanged }
    if (now - (askedAt ?? 0) < noteEveryMs) return undefined
    return { update: { set: { by, askedAt: now, revision: revision + 1 }, ...unchanged } }
  })
  if (container?.by !== by) throw refused()
  return container
}

function refused(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}
