import { credentialRow } from '#shared/accounts/keys/credential.ts'
import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserIdentity } from '#shared/platform/identity/actor.ts'
import type { Reads } from '#shared/platform/identity/capabilities.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { ConditionFailed, type Table } from '#shared/platform/table/port.ts'
import { epochSeconds, isoOf } from '#shared/platform/times.ts'
import type { Agent } from '../record/agent.ts'
import type { AgentSetting } from '../record/context.ts'
import { agentUrls } from '../record/names.ts'
import type { AccessClaims } from './access.ts'
import { ticketRows } from './rows.ts'

/** contract.md 7. */
const ticketSeconds = 60

/** The path that redeems a ticket on the agent's host. The agent does not serve it. */
export const ticketPath = '/.well-known/agent-ticket'

/**
 * Creates a link that signs a browser in to an agent's host, valid once, for one minute.
 * @param input.user the agent's owner, by session or key
 * @returns the link and its expiry in ISO 8601
 */
export async function issueTicket(
  { table, config }: Pick<Context, 'table'> & Reads<AgentSetting>,
  { agent, user }: { agent: Agent; user: UserIdentity },
  now = Date.now(),
): Promise<{ url: string; expiresAt: string }> {
  const ticket = randomToken()
  const expiresAt = epochSeconds(now) + ticketSeconds
  const claims = {
    agentId: agent.id,
    userId: user.id,
    accessEpoch: user.accessEpoch,
    credential: credentialRow(user),
    subdomain: agent.subdomain,
  }
  const key = { hash: await sha256Hex(ticket) }
  await table.put(ticketRows.put(key, claims, { expiresAt }))
  return {
    url: `${agentUrls(agent.subdomain, config).url}${ticketPath}?ticket=${ticket}`,
    expiresAt: isoOf(expiresAt * 1000),
  }
}

/**
 * Redeems a ticket. On another host, the ticket stays valid.
 * @returns the agent and the user
 * @throws PlatformError 401 if it is unknown, used or expired
 */
export async function redeemTicket(
  { table }: { table: Table },
  { subdomain, ticket }: { subdomain: string; ticket: string },
  now = Date.now(),
): Promise<AccessClaims> {
  try {
    const row = await table.delete(ticketRows.key({ hash: await sha256Hex(ticket) }), {
      if: '#subdomain = :subdomain AND #expiresAt > :now',
      values: { subdomain, now: epochSeconds(now) },
    })
    if (row === undefined) throw used()
    const { subdomain: _, ...claims } = ticketRows.parse(row)
    return claims
  } catch (error) {
    throw error instanceof ConditionFailed ? used() : error
  }
}

function used(): PlatformError {
  return new PlatformError('unauthorized', 'The link was already used or has expired', {
    code: 'TICKET_INVALID',
  })
}
