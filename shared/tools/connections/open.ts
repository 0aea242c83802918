import type { AgentRef } from '#shared/agents/record/agent.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from './context.ts'
import { type Connection, requireConnection } from './find.ts'
import { openClientSecret, openTokens } from './oauth/tokens.ts'
import { refreshTokens } from './refresh.ts'
import { signOut, tellSignedOut } from './sign-out.ts'

export interface OpenConnection {
  connection: Connection
  url: string
  /** The headers that a request to the server needs, such as `authorization`. */
  headers: Record<string, string>
  /** Secrets that no answer to the agent may contain, the access token first. */
  secrets: string[]
}

/** The number of times that tokens are read again, because another process changed them. */
const maxRounds = 5

/**
 * Returns what a request over a connection needs, with an access token that has not expired. Only one process at a time
 * refreshes the token.
 * @param input.refused the access token that the server did not accept; it is refreshed even before it expires
 * @throws PlatformError 404; 409 CONNECTION_SIGNED_OUT if its owner must sign in; 502 CONNECTION_REFRESH_FAILED; 503
 * CONNECTION_BUSY while another process refreshes, or without an encryption key
 */
export async function openConnection(
  ctx: Pick<Context, 'table' | 'log'> & ConnectionSettings,
  { agent, name, refused }: { agent: AgentRef; name: string; refused?: string | undefined },
): Promise<OpenConnection> {
  for (let round = 0; round < maxRounds; round++) {
    const connection = await requireConnection(ctx.table, agent, name)
    const { url, state, server, tokens: kept } = connection
    if (state === 'signed-out' || state === 'pending') {
      await tellSignedOut(ctx, agent, connection)
      throw signedOut(name, connection)
    }
    if (server === undefined) {
      if (refused === undefined) return { connection, url, headers: {}, secrets: [] }
      await signOut(ctx, {
        agent,
        name,
        sealed: undefined,
        reason: 'The server now requires a sign-in.',
      })
      continue
    }
    const tokens = await openTokens(ctx, agent.agentId, connection)
    const sealed = kept?.sealed
    if (tokens === undefined) {
      const reason = 'Its tokens can no longer be decrypted.'
      await signOut(ctx, { agent, name, sealed, reason })
      continue
    }
    const { accessToken, refreshToken } = tokens
    if (accessToken !== refused && (kept?.refreshAt ?? Infinity) > Date.now()) {
      const { agentId } = agent
      const clientSecret = await openClientSecret(ctx, { agentId, name }, server)
      return {
        connection,
        url,
        headers: { authorization: `Bearer ${accessToken}` },
        secrets: [accessToken, refreshToken, clientSecret].filter((one) => one !== undefined),
      }
    }
    if (refreshToken === undefined) {
      const reason = 'Its access has expired, and the server renews it only after a sign-in.'
      await signOut(ctx, { agent, name, sealed, reason })
    } else await refreshTokens(ctx, { agent, connection, server, tokens })
  }
  throw new PlatformError('unavailable', `The tokens of ${name} change too often`, {
    code: 'CONNECTION_BUSY',
    headers: { 'Retry-After': '5' },
  })
}

function signedOut(name: string, { reason }: Connection): PlatformError {
  const why = reason === undefined ? '' : ` ${reason}`
  return new PlatformError(
    'conflict',
    `The connection ${name} is not signed in: its owner must sign in.${why}`,
    { code: 'CONNECTION_SIGNED_OUT' },
  )
}
