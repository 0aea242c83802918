import type { AgentRef } from '#shared/agents/record/agent.ts'
import type { Connection } from '../find.ts'
import { openConnection } from '../open.ts'
import type { ServerRequest } from '../server/ask.ts'
import type { ServerAddress } from '../server/exchange.ts'
import { ServerFailure } from '../server/failure.ts'
import { signOut } from '../sign-out.ts'
import type { UsesConnections } from './context.ts'
import { redactWords } from './redact.ts'
import { noteOutcome } from './state.ts'

interface Asking<T> {
  agent: AgentRef
  name: string
  /** Sends the requests. Called again with a new token if the server refused the first one. */
  send(server: ServerAddress, kept: ServerRequest['kept']): Promise<T>
}

/**
 * Sends requests over a connection. If its server does not accept the access token, the token is refreshed once. If the
 * server does not accept the new token either, the connection is signed out. A failure never contains a token.
 * @returns the answer, and the secrets that it may contain
 * @throws ServerFailure; PlatformError as `openConnection`
 */
export async function askOver<T>(
  ctx: UsesConnections,
  { agent, name, send }: Asking<T>,
): Promise<{ answer: T; secrets: readonly string[] }> {
  let opened = await openConnection(ctx, { agent, name })
  for (let attempt = 1; ; attempt++) {
    const { connection, url, headers, secrets } = opened
    const kept = { dialects: ctx.dialects, key: `${agent.agentId} ${name} ${url}` }
    try {
      const answer = await send({ url, headers }, kept)
      await noteOutcome(ctx, agent, connection)
      return { answer, secrets }
    } catch (error) {
      if (!(error instanceof ServerFailure)) throw error
      const failure = withoutSecrets(error, secrets)
      if (failure.kind !== 'unauthorized') await noteOutcome(ctx, agent, connection, failure)
      if (failure.kind !== 'unauthorized' || attempt > 2) throw failure
      if (attempt === 2) await endSignIn(ctx, agent, connection)
    }
    opened = await openConnection(ctx, { agent, name, refused: secrets[0] ?? '' })
  }
}

async function endSignIn(
  ctx: UsesConnections,
  agent: AgentRef,
  { name, tokens }: Connection,
): Promise<void> {
  const reason = 'The server does not accept the sign-in.'
  await signOut(ctx, { agent, name, sealed: tokens?.sealed, reason })
}

function withoutSecrets(
  { kind, message, facts, cause }: ServerFailure,
  secrets: readonly string[],
): ServerFailure {
  const { scope } = facts
  return new ServerFailure(kind, redactWords(message, secrets), {
    ...facts,
    ...(scope !== undefined && { scope: redactWords(scope, secrets) }),
    cause,
  })
}
