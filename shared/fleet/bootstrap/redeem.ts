import type { Settings } from '../../platform/config/settings.ts'
import { sha256Hex } from '../../platform/crypto.ts'
import { notConfigured, PlatformError } from '../../platform/errors.ts'
import type { Table } from '../../platform/table/port.ts'
import { changeAgent } from '../../agents/change.ts'
import { findAgent } from '../../agents/find.ts'
import { agentEnvironment, type AgentEnvironment } from './environment.ts'
import { taken } from './offer.ts'
import { isBootstrapToken, type Start } from './token.ts'

/** What the handing out of secrets needs. */
export interface BootstrapContext {
  table: Table
  config: Pick<Settings, 'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>
}

/** A container's question for what it runs by. */
export interface Bootstrap extends Start {
  token: string
  /** Made up by the container: only the container that knows it may ask again. */
  nonce: string
}

/**
 * Gives a container what it runs by, once: to the first that asks with the token of the agent's present generation, and
 * again to that one alone, for three minutes. All refusals are the same.
 * @throws PlatformError 401, 503 without WALLET_ENCRYPTION_KEY
 */
export async function redeem(
  { table, config }: BootstrapContext,
  { token, nonce, ...start }: Bootstrap,
  now = Date.now(),
): Promise<AgentEnvironment> {
  const key = config.WALLET_ENCRYPTION_KEY
  if (key === undefined) throw notConfigured('Starting agents', ['WALLET_ENCRYPTION_KEY'])
  if (!(await isBootstrapToken(key, start, token))) throw refused()
  const agent = await findAgent({ table }, { agentId: start.agentId, owner: undefined })
  if (agent === undefined) throw refused()
  const taker = { generation: start.generation, by: await sha256Hex(nonce) }
  const stored = await changeAgent(
    { table },
    { agent, decide: (current) => taken(current, taker, now) ?? current },
  )
  if (stored === undefined || taken(stored, taker, now) === undefined) throw refused()
  const { variables, credentials } = await agentEnvironment(table, key, stored)
  const onHang = config.WATCHDOG_AUTO_REPAIR ? {} : { AGENT_ON_HANG: 'report' }
  return { variables: { ...variables, ...onHang }, credentials }
}

function refused(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}
