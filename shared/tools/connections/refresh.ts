import { setTimeout as wait } from 'node:timers/promises'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import { newSeed } from '#shared/platform/ids.ts'
import { changeConnection } from './change.ts'
import { type ConnectionSettings, usualWaits } from './context.ts'
import { requireConnection } from './find.ts'
import type { Refresh } from './oauth/ask-for-tokens.ts'
import { revoke } from './oauth/revoke.ts'
import { signOut } from './sign-out.ts'

type RefreshContext = Pick<Context, 'table' | 'log'> & ConnectionSettings

/** Longer than one exchange with the token endpoint may take. */
const leaseMs = 30_000

const pollMs = 200

/**
 * Refreshes a connection's tokens, or waits until another process has done so. Only one process at a time uses a refresh
 * token, because a server may treat a second use as theft. The old tokens stay stored until the new ones are stored: if
 * a process is killed in between, the next process uses the old refresh token after the lease has expired. If the server
 * has rotated that token and refuses a second use, the connection is signed out.
 * @throws PlatformError 502 CONNECTION_REFRESH_FAILED, 503 CONNECTION_BUSY
 */
export async function refreshTokens(ctx: RefreshContext, refresh: Refresh): Promise<void> {
  const holder = await claim(ctx, refresh)
  if (holder === undefined) return waitForOther(ctx, refresh)
  const { agent, connection } = refresh
  const { name } = connection
  const { askForTokens } = await import('./oauth/ask-for-tokens.ts')
  const outcome = await askForTokens(ctx, refresh)
  if (outcome.kind === 'ended') {
    const { reason, clientGone } = outcome
    await signOut(ctx, { agent, name, sealed: connection.tokens?.sealed, reason, clientGone })
    return
  }
  const tokens = outcome.kind === 'refreshed' ? outcome.tokens : undefined
  const stored = await changeConnection(ctx.table, agent, name, (current) => {
    if (current.refresh?.holder !== holder) return undefined
    const { refresh: _, ...rest } = current
    return { to: { ...rest, ...(tokens !== undefined && { tokens }) } }
  }).catch(async (error: unknown) => {
    // The connection was deleted during the request, so no later process knows the new tokens.
    if (error instanceof PlatformError && error.kind === 'not-found' && tokens !== undefined)
      await revoke(ctx, agent.agentId, { ...connection, tokens })
    throw error
  })
  if (outcome.kind === 'failed') throw refreshFailed(name, outcome.reason)
  if (stored === undefined) ctx.log.warn('refreshed tokens came after their lease', { name })
}

/** @returns the holder of the lease; undefined if another process holds it or has changed the tokens */
async function claim({ table }: RefreshContext, refresh: Refresh): Promise<string | undefined> {
  const { agent, connection } = refresh
  const holder = newSeed()
  const claimed = await changeConnection(table, agent, connection.name, (current) => {
    const now = Date.now()
    if (current.tokens?.sealed !== connection.tokens?.sealed) return undefined
    if (current.refresh !== undefined && current.refresh.until > now) return undefined
    return { to: { ...current, refresh: { holder, until: now + leaseMs } } }
  })
  return claimed === undefined ? undefined : holder
}

/** Returns when the tokens have changed, or the lease of the other process has ended. */
async function waitForOther(ctx: RefreshContext, { agent, connection }: Refresh): Promise<void> {
  const until = performance.now() + { ...usualWaits, ...ctx.waits }.refreshMs
  for (;;) {
    const current = await requireConnection(ctx.table, agent, connection.name)
    const isSame = current.tokens?.sealed === connection.tokens?.sealed
    if (!isSame || current.refresh === undefined || current.refresh.until <= Date.now()) return
    if (performance.now() >= until)
      throw new PlatformError('unavailable', `The tokens of ${connection.name} are being renewed`, {
        code: 'CONNECTION_BUSY',
        headers: { 'Retry-After': '5' },
      })
    await wait(pollMs)
  }
}

function refreshFailed(name: string, reason: string): PlatformError {
  return new PlatformError('bad-gateway', `The tokens of ${name} could not be renewed`, {
    code: 'CONNECTION_REFRESH_FAILED',
    foreign: true,
    cause: new Error(reason),
  })
}
