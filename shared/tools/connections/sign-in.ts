import { type AgentRef, ownerOf } from '#shared/agents/record/agent.ts'
import { randomToken, sha256Hex } from '#shared/platform/crypto.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { epochSeconds } from '#shared/platform/times.ts'
import { connectionFetch, targetOf } from './address.ts'
import { connectionSealer, type ConnectionSettings, secretPlace, usualWaits } from './context.ts'
import { redirectUri } from './oauth/client-document.ts'
import { discover } from './oauth/discover.ts'
import { discoveryFailed } from './oauth/failure.ts'
import { type OwnClient, ownClient, registerClient } from './oauth/register.ts'
import { connectionSignInRows, type SignInServer } from './rows.ts'

/** The validity of a sign-in in seconds: the person must return from the server before it expires. */
const signInSeconds = 600

export interface PreparedSignIn {
  server: SignInServer
  scope: string | undefined
}

/**
 * Finds the authorization server of an MCP server and becomes its client.
 * @param before the server of an earlier sign-in, whose registration is used again
 * @throws PlatformError 502 CONNECTION_DISCOVERY_FAILED
 */
export async function prepareSignIn(
  ctx: ConnectionSettings,
  {
    agentId,
    name,
    url,
    before,
    wantedScope,
    client,
  }: {
    agentId: string
    name: string
    url: string
    before?: SignInServer | undefined
    /** More scopes that the server has asked for, separated by spaces. */
    wantedScope?: string | undefined
    client?: OwnClient | undefined
  },
): Promise<PreparedSignIn> {
  const { signInMs } = { ...usualWaits, ...ctx.waits }
  const fetch = connectionFetch(ctx, AbortSignal.timeout(signInMs))
  const { resource, scope: offered, server: found } = await discover(fetch, url)
  const scopes = [offered, wantedScope].flatMap((one) => one?.split(' ') ?? []).filter(Boolean)
  const scope = scopes.length === 0 ? undefined : [...new Set(scopes)].join(' ')
  const { authorization_endpoint, token_endpoint, revocation_endpoint } = found
  try {
    for (const address of [authorization_endpoint, token_endpoint]) targetOf(address, ctx)
  } catch (error) {
    throw discoveryFailed('The authorization server names an address that is not allowed', error)
  }
  const places = {
    issuer: found.issuer,
    authorizationEndpoint: authorization_endpoint,
    tokenEndpoint: token_endpoint,
    ...(revocation_endpoint !== undefined && { revocationEndpoint: revocation_endpoint }),
    ...(found['authorization_response_iss_parameter_supported'] === true && { sendsIssuer: true }),
    resource,
  }
  if (before?.issuer === found.issuer && before.tokenEndpoint === token_endpoint) {
    const { clientId, sealedSecret, authMethod } = before
    const client = { clientId, authMethod, ...(sealedSecret !== undefined && { sealedSecret }) }
    return { scope, server: { ...places, ...client } }
  }
  const { clientId, secret, authMethod } =
    client === undefined ? await registerClient(fetch, found, ctx.webUrl) : ownClient(found, client)
  const sealedSecret =
    secret && (await connectionSealer(ctx).seal(secret, secretPlace(agentId, name, 'client')))
  return {
    scope,
    server: {
      ...places,
      clientId,
      authMethod,
      ...(sealedSecret !== undefined && { sealedSecret }),
    },
  }
}

/** Begins a sign-in. @returns the page of the authorization server, for the owner's browser */
export async function beginSignIn(
  ctx: ConnectionSettings & { table: Table },
  {
    agent,
    name,
    createdAt,
    session,
    prepared: { server, scope },
  }: {
    agent: AgentRef
    name: string
    createdAt: string
    /** The hash of the caller's session. */
    session: string | undefined
    prepared: PreparedSignIn
  },
): Promise<string> {
  const [{ buildAuthorizationUrl, calculatePKCECodeChallenge }, { configurationOf }] =
    await Promise.all([import('openid-client'), import('./oauth/configuration.ts')])
  const { agentId } = agent
  const verifier = randomToken()
  // The agent's id finds the row; the random part proves who began the sign-in.
  const state = `${agentId}.${randomToken()}`
  const row = {
    name,
    createdAt,
    ...(session !== undefined && { session }),
    sealedVerifier: await connectionSealer(ctx).seal(
      verifier,
      secretPlace(agentId, name, 'verifier'),
    ),
    server,
  }
  await userStore(ctx.table, ownerOf(agent)).put(
    connectionSignInRows.sk({ agentId, stateHash: await sha256Hex(state) }),
    connectionSignInRows.attributes(row, { expiresAt: epochSeconds() + signInSeconds }),
  )
  const configuration = await configurationOf(ctx, { agentId, name, server })
  return buildAuthorizationUrl(configuration, {
    redirect_uri: redirectUri(ctx.webUrl),
    code_challenge: await calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    resource: server.resource,
    ...(scope !== undefined && { scope }),
    // OpenID Connect Core, 11: a refresh token needs the consent.
    ...(scope?.split(' ').includes('offline_access') && { prompt: 'consent' }),
  }).href
}
