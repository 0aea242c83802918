import { changeAgent } from '#shared/agents/record/change.ts'
import { findAgent } from '#shared/agents/record/find.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { notConfigured, PlatformError } from '#shared/platform/errors.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { agentEnvironment, type AgentEnvironment } from './environment.ts'
import { acceptOffer } from './offer.ts'
import { isBootstrapToken, type Start } from './token.ts'

/** A container's request for its environment. */
export interface Bootstrap extends Start {
  token: string
  /** Chosen by the container. A retry must send the same nonce. */
  nonce: string
}

/**
 * Returns a container's environment, once: to the first container with the token of the agent's current generation, and
 * on retries to the same container for three minutes. Every rejection has the same error.
 * @throws PlatformError 401, 503 without WALLET_ENCRYPTION_KEY
 */
export async function redeem(
  {
    table,
    config,
  }: Pick<Context, 'table'> & Reads<'WALLET_ENCRYPTION_KEY' | 'WATCHDOG_AUTO_REPAIR'>,
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
    { agent, decide: (current) => acceptOffer(current, taker, now) ?? current },
  )
  if (stored === undefined || acceptOffer(stored, taker, now) === undefined) throw refused()
  const { variables, credentials } = await agentEnvironment(table, key, stored)
  const onHang = config.WATCHDOG_AUTO_REPAIR ? {} : { AGENT_ON_HANG: 'report' }
  return { variables: { ...variables, ...onHang }, credentials }
}

function refused(): PlatformError {
  return new PlatformError('unauthorized', 'Unauthorized')
}
