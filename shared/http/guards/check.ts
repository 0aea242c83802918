import type { Context } from 'hono'
import { equalInConstantTime } from '#shared/platform/crypto.ts'
import { PlatformError, sessionRequired } from '#shared/platform/errors.ts'
import type {
  Actor,
  AgentActor,
  Identity,
  InternalActor,
  UserActor,
} from '#shared/platform/identity/actor.ts'
import { userIdPattern } from '#shared/platform/table/user-store.ts'
import { provenAgent } from '../agent-proof.ts'
import type { GuardName } from './guard.ts'
import { sessionCookies } from './session-cookie.ts'

export interface GuardOptions {
  identity: Identity
  /** INTERNAL_API_KEY; without it every internal route responds with 500. */
  internalKey: string | undefined
  /** ORIGIN_SECRET; without it no call on behalf of an agent can be proven. */
  originSecret: string | undefined
}

/** Identifies the caller. @throws PlatformError 401, 403 or 500 according to spec.md's authentication table */
export async function checkGuard(
  name: GuardName,
  context: Context,
  options: GuardOptions,
): Promise<Actor> {
  switch (name) {
    case 'none':
    case 'signature':
      return { type: 'public' }
    case 'session':
      return (await user(context, options)) ?? refuse()
    case 'own-session':
      return ownSession((await user(context, options)) ?? refuse())
    case 'optional-session':
      return (await user(context, options)) ?? { type: 'public' }
    case 'optional-credential':
      return (await user(context, options)) ?? anyone(context)
    case 'user-key':
      return (await keyHolder(context, options)) ?? refuse()
    case 'internal':
      return refuseBlankUser(context, await internal(context, options))
    case 'proven-agent-or-anyone':
      return forAgent(context, options)
    case 'internal-or-user':
      if (bearer(context)?.startsWith('sk_')) return (await keyHolder(context, options)) ?? refuse()
      return internal(context, options)
    case 'internal-user-or-agent':
      return byAnyKey(context, options, true)
    case 'agent':
      return (await agentHolder(context, options)) ?? refuse()
    case 'agent-or-internal':
      return refuseBlankUser(context, await byAnyKey(context, options, false))
  }
}

function refuse(): never {
  throw new PlatformError('unauthorized', 'Unauthorized')
}

/**
 * Accepts a request without a credential, or with a cookie whose session has expired. A wrong key is refused, because a
 * caller that sends a key expects it to be used.
 */
function anyone(context: Context): Actor {
  return context.req.header('authorization') ? refuse() : { type: 'public' }
}

/**
 * Returns the bearer token; undefined if the header is missing or has another form. Below /v1 it can be in `x-api-key`,
 * where clients of Anthropic's API send it.
 */
export function bearer({ req }: Context): string | undefined {
  const authorization = req.header('authorization')
  if (authorization === undefined && req.path.startsWith('/v1/')) return req.header('x-api-key')
  return /^Bearer +(\S+)$/i.exec(authorization ?? '')?.[1]
}

/**
 * A key has precedence over a cookie, because a caller that sends a key expects it to be used. A wrong key must not
 * fall back to another user's session.
 */
async function user(context: Context, options: GuardOptions): Promise<UserActor | undefined> {
  const token = bearer(context)
  if (token === undefined) return sessionHolder(context, options)
  return isAccessToken(token) ? tokenHolder(token, options) : keyHolder(context, options)
}

function isAccessToken(token: string): boolean {
  return token.startsWith('at_')
}

async function tokenHolder(
  token: string,
  { identity }: GuardOptions,
): Promise<UserActor | undefined> {
  const found = await identity.accessToken?.(token)
  return found && { type: 'user', user: found, via: 'key' }
}

function ownSession(actor: UserActor): UserActor {
  if (actor.via !== 'session') throw sessionRequired()
  return actor
}

/**
 * One cookie costs one read. With several cookies whose sessions belong to different users, the intended user is
 * unknown, so the request counts as signed out.
 */
async function sessionHolder(
  context: Context,
  { identity }: GuardOptions,
): Promise<UserActor | undefined> {
  const cookies = sessionCookies(context.req.raw)
  const looked = await Promise.all(cookies.map((cookie) => identity.session?.(cookie)))
  const [found, ...others] = looked.filter((one) => one !== undefined)
  if (found === undefined || others.some(({ id }) => id !== found.id)) return undefined
  return { type: 'user', user: found, via: 'session' }
}

async function keyHolder(
  context: Context,
  { identity }: GuardOptions,
): Promise<UserActor | undefined> {
  const key = bearer(context)
  const found = key === undefined ? undefined : await identity.userKey?.(key)
  return found && { type: 'user', user: found, via: 'key' }
}

async function agentHolder(
  context: Context,
  { identity }: GuardOptions,
): Promise<AgentActor | undefined> {
  const key = bearer(context)
  const found = key === undefined ? undefined : await identity.agentKey?.(key)
  return found && { type: 'agent', ...found }
}

async function internal(
  context: Context,
  { identity, internalKey }: GuardOptions,
): Promise<InternalActor> {
  const token = bearer(context)
  if (token === undefined) refuse()
  if (internalKey === undefined) throw new PlatformError('internal', 'Server misconfigured')
  if (!(await equalInConstantTime(token, internalKey)))
    throw new PlatformError('forbidden', 'Forbidden')
  return actingFor(context, identity)
}

async function forAgent(context: Context, { originSecret }: GuardOptions): Promise<Actor> {
  const agentId = await provenAgent(context, originSecret)
  return agentId === undefined ? { type: 'public' } : { type: 'proven-agent', agentId }
}

async function actingFor(context: Context, identity: Identity): Promise<InternalActor> {
  const userId = context.req.header('x-user-id') || undefined
  if (userId !== undefined && !userIdPattern.test(userId))
    throw new PlatformError('bad-request', 'x-user-id is not a user id')
  return {
    type: 'internal',
    userId,
    email: context.req.header('x-user-email')?.trim().toLowerCase() || undefined,
    role: context.req.header('x-user-role') || undefined,
    profile: userId === undefined ? undefined : await identity.profile?.(userId),
  }
}

/**
 * Refuses a blank x-user-id: the internal key without x-user-id identifies an operator, and a mistake must not make the
 * caller an operator. Calls of models have no operator, so their blank x-user-id is anonymous, as spec.md defines.
 * @throws PlatformError 400
 */
function refuseBlankUser(context: Context, actor: Actor): Actor {
  if (actor.type === 'internal' && context.req.header('x-user-id')?.trim() === '')
    throw new PlatformError('bad-request', 'x-user-id is blank')
  return actor
}

async function byAnyKey(context: Context, options: GuardOptions, users: boolean): Promise<Actor> {
  const { identity, internalKey } = options
  const token = bearer(context)
  if (token === undefined) refuse()
  if (token.startsWith('ak_')) return (await agentHolder(context, options)) ?? refuse()
  if (internalKey !== undefined && (await equalInConstantTime(token, internalKey)))
    return actingFor(context, identity)
  const find = isAccessToken(token) ? identity.accessToken : identity.userKey
  const found = users ? await find?.(token) : undefined
  return found === undefined ? refuse() : { type: 'user', user: found, via: 'key' }
}
