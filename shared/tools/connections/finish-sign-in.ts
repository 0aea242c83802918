import type { AgentRef } from '#shared/agents/record/agent.ts'
import { sha256Hex } from '#shared/platform/crypto.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { UserActor } from '#shared/platform/identity/actor.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { changeConnection } from './change.ts'
import { connectionSealer, type ConnectionSettings, type Revokes, secretPlace } from './context.ts'
import type { Connection } from './find.ts'
import { redirectUri } from './oauth/client-document.ts'
import { textOf } from './oauth/failure.ts'
import { revoke } from './oauth/revoke.ts'
import { sealTokens } from './oauth/tokens.ts'
import { readTools } from './read-tools.ts'
import { connectionRows, connectionSignInRows, type SignInServer } from './rows.ts'

/**
 * Why a sign-in failed. `expired`: the state is unknown, used or too old, or its connection was deleted; `session`:
 * another session began it; `issuer`: another server answered; `denied`: the person or the server refused; `refused`:
 * the server refused to exchange the code for tokens; `tools`: signed in, but the server does not list its tools.
 */
export type SignInFailure = 'expired' | 'session' | 'issuer' | 'denied' | 'refused' | 'tools'

export interface FinishedSignIn {
  /** Undefined if the state does not name an agent. */
  agentId: string | undefined
  name?: string
  failure?: SignInFailure
}

/**
 * Finishes a sign-in with the answer of the authorization server. A state is valid once, for the session that began it.
 * The tools are read at once, so that their owner can choose among them.
 */
export async function finishSignIn(
  ctx: Pick<Context<UserActor>, 'actor' | 'table' | 'log'> & ConnectionSettings & { owner: string },
  answer: URLSearchParams,
): Promise<FinishedSignIn> {
  const { table, owner } = ctx
  const state = answer.get('state') ?? ''
  const [, agentId] = /^(agt_[\w-]{1,64})\.[\w-]{43}$/.exec(state) ?? []
  if (agentId === undefined) return { agentId, failure: 'expired' }
  const store = userStore(table, owner)
  const sk = connectionSignInRows.sk({ agentId, stateHash: await sha256Hex(state) })
  const item = await store.get(sk)
  if (item === undefined) return { agentId, failure: 'expired' }
  const begun = connectionSignInRows.parse(item)
  const { name, server } = begun
  if (begun.session !== undefined && begun.session !== ctx.actor.user.sessionHash)
    return { agentId, name, failure: 'session' }
  if ((await store.delete(sk)) === undefined) return { agentId, name, failure: 'expired' }
  const issuer = answer.get('iss')
  if (issuer === null ? server.sendsIssuer === true : issuer !== server.issuer)
    return { agentId, name, failure: 'issuer' }
  if (answer.has('error') || !answer.get('code')) return { agentId, name, failure: 'denied' }
  const agent: AgentRef = { userId: owner, agentId }
  const key = { ...agent, userId: owner, name }
  const found = await connectionRows.find(table, key, { consistent: true })
  if (found?.createdAt !== begun.createdAt) return { agentId, name, failure: 'expired' }
  const tokens = await exchange(ctx, agent, begun, answer)
  if (tokens === undefined) return { agentId, name, failure: 'refused' }
  const before = await keep(ctx, agent, begun, tokens)
  if (before === undefined) {
    await revoke(ctx, agentId, { name, server, tokens })
    return { agentId, name, failure: 'expired' }
  }
  await revokeReplaced(ctx, agentId, before, server)
  const failed = await readTools(ctx, { agent, name })
  return { agentId, name, ...(failed !== undefined && { failure: 'tools' }) }
}

type Begun = ReturnType<typeof connectionSignInRows.parse>

/** Stores tokens. @returns the connection before them; undefined if it was deleted during the sign-in */
async function keep(
  { table }: Pick<Context, 'table'>,
  agent: AgentRef,
  { name, createdAt, server }: Begun,
  tokens: NonNullable<Connection['tokens']>,
): Promise<Connection | undefined> {
  const before: Connection[] = []
  try {
    const changed = await changeConnection(table, agent, name, (current) => {
      if (current.createdAt !== createdAt) return undefined
      before.push(current)
      const to = {
        ...current,
        state: 'connected' as const,
        reason: undefined,
        untold: undefined,
        wantedScope: undefined,
        refresh: undefined,
        server,
        tokens,
      }
      return { to }
    })
    return changed && before.at(-1)
  } catch (error) {
    if (error instanceof PlatformError && error.kind === 'not-found') return undefined
    throw error
  }
}

/**
 * Revokes the tokens of an earlier sign-in as another client. The earlier tokens of the same client are left to expire,
 * because many authorization servers would revoke the new tokens with them.
 */
async function revokeReplaced(
  ctx: Revokes,
  agentId: string,
  before: Connection,
  { issuer, clientId }: SignInServer,
): Promise<void> {
  const earlier = before.server
  if (earlier === undefined) return
  if (earlier.issuer === issuer && earlier.clientId === clientId) return
  await revoke(ctx, agentId, before)
}

async function exchange(
  ctx: Pick<Context, 'log'> & ConnectionSettings,
  { agentId }: AgentRef,
  { name, server, sealedVerifier }: Begun,
  answer: URLSearchParams,
) {
  const [{ authorizationCodeGrant }, { configurationOf }] = await Promise.all([
    import('openid-client'),
    import('./oauth/configuration.ts'),
  ])
  const verifier = await connectionSealer(ctx).open(
    sealedVerifier,
    secretPlace(agentId, name, 'verifier'),
  )
  if (verifier === undefined) return undefined
  const now = Date.now()
  try {
    const configuration = await configurationOf(ctx, { agentId, name, server })
    const given = await authorizationCodeGrant(
      configuration,
      new URL(`${redirectUri(ctx.webUrl)}?${answer}`),
      { pkceCodeVerifier: verifier, expectedState: answer.get('state') ?? '' },
      { resource: server.resource },
    )
    return await sealTokens(ctx, { agentId, name }, given, { now })
  } catch (error) {
    ctx.log.info('the sign-in of a connection failed', { agentId, name, reason: textOf(error) })
    return undefined
  }
}
