import { refreshTokenGrant, ResponseBodyError, WWWAuthenticateChallengeError } from 'openid-client'
import type { AgentRef } from '#shared/agents/record/agent.ts'
import type { ConnectionSettings } from '../context.ts'
import type { Connection } from '../find.ts'
import type { SignInServer } from '../rows.ts'
import { configurationOf } from './configuration.ts'
import { textOf } from './failure.ts'
import { sealTokens, type Tokens } from './tokens.ts'

export interface Refresh {
  agent: AgentRef
  /** The connection whose tokens are refreshed, as it was read. */
  connection: Connection
  server: SignInServer
  tokens: Tokens
}

type Outcome =
  | { kind: 'refreshed'; tokens: NonNullable<Connection['tokens']> }
  | { kind: 'ended'; reason: string; clientGone: boolean }
  | { kind: 'failed'; reason: string }

/** Exchanges a refresh token for new tokens, at the token endpoint of their server. */
export async function askForTokens(
  ctx: ConnectionSettings,
  { agent: { agentId }, connection: { name }, server, tokens: before }: Refresh,
): Promise<Outcome> {
  const now = Date.now()
  try {
    const configuration = await configurationOf(ctx, { agentId, name, server })
    const { resource } = server
    const given = await refreshTokenGrant(configuration, before.refreshToken ?? '', { resource })
    const tokens = await sealTokens(ctx, { agentId, name }, given, { now, before })
    return { kind: 'refreshed', tokens }
  } catch (error) {
    const code = error instanceof ResponseBodyError ? error.error : undefined
    if (code === 'invalid_grant')
      return {
        kind: 'ended',
        reason: 'The server has ended the sign-in.',
        clientGone: false,
      }
    if (
      code === 'invalid_client' ||
      code === 'unauthorized_client' ||
      error instanceof WWWAuthenticateChallengeError
    )
      return {
        kind: 'ended',
        reason: 'The server no longer knows this platform.',
        clientGone: true,
      }
    return { kind: 'failed', reason: textOf(error) }
  }
}
