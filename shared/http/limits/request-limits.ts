import type { RateLimit, Surface } from '#shared/manifest/types.ts'
import { addressBlock } from '#shared/platform/address.ts'
import { PlatformError } from '#shared/platform/errors.ts'
import type { Actor } from '#shared/platform/identity/actor.ts'
import type { Table } from '#shared/platform/table/port.ts'
import type { Limited } from '../route.ts'
import { countRequest, counterOf, type LimitState } from './limit.ts'
import { anonymousLimitsOf, keyLimitsOf, limitsOf } from './limits-of.ts'

const unknownMessage = 'Too many unknown keys; try again in a minute.'

/** The limit of requests with unknown credentials from an address, on routes for people and programs. */
const unknownCredentials: RateLimit = {
  scope: 'unknown-credentials',
  perMinute: 300,
  message: unknownMessage,
}

/** The same limit on routes for agents. A container has one key, and usually its own address. */
const unknownKeys: RateLimit = { scope: 'unknown-keys', perMinute: 60, message: unknownMessage }

export interface LimitedRequest {
  surface: Surface
  route: Limited
  ip: string
  /** True if the request has a key, a token or a session, valid or not. */
  showsCredential: boolean
  /** Undefined if requests are not counted. */
  table: Table | undefined
}

/**
 * Counts one request after its caller is identified. Identification costs one read, so that requests of others from the
 * same address never block a valid credential. A request that its guard refuses is counted for its address.
 */
export class RequestLimits {
  readonly #of: LimitedRequest
  #state: LimitState | undefined
  /** True after the handler of a route with `limitedBy: 'handler'` has named the caller. */
  #isSaid = false

  constructor(of: LimitedRequest) {
    this.#of = of
  }

  /** The rate limit headers of the response; empty if nothing was counted. */
  get headers(): Readonly<Record<string, string>> {
    return this.#state?.headers ?? {}
  }

  /** Counts a request that its guard accepted. @throws PlatformError 429 */
  async admit(actor: Actor): Promise<void> {
    const { surface, route, ip, showsCredential } = this.#of
    if (route.limitedBy === 'handler') return
    const isUnknown = actor.type === 'public'
    const limits = isUnknown ? anonymousLimitsOf(surface, route) : limitsOf(surface, route)
    const guessed = isUnknown && showsCredential && route.guard.startsWith('optional-')
    await this.#count(counterOf(actor, ip), [
      ...limits,
      ...keyLimitsOf(surface, route, actor),
      ...(guessed ? [unknownCredentials] : []),
    ])
  }

  /** Counts a request that its guard refused. @throws PlatformError 429, which replaces the refusal */
  async refuse(reason: unknown): Promise<void> {
    const { surface, route, ip, showsCredential } = this.#of
    if (!(reason instanceof PlatformError)) return
    const guesses = route.guard.startsWith('agent') ? unknownKeys : unknownCredentials
    const isGuess = showsCredential && reason.kind === 'unauthorized'
    const limits = [...anonymousLimitsOf(surface, route), ...(isGuess ? [guesses] : [])]
    await this.#count(addressBlock(ip), limits)
  }

  /**
   * Counts a request to a route with `limitedBy: 'handler'`.
   * @param name the caller's name according to the handler; undefined to count the request against the client's address
   * @throws PlatformError 429
   */
  async countFor(name: string | undefined): Promise<void> {
    const { surface, route, ip } = this.#of
    this.#isSaid = true
    await this.#count(name ?? addressBlock(ip), anonymousLimitsOf(surface, route))
  }

  /** Marks a request on a route with `limitedBy: 'handler'` as a request of a trusted caller, which is not counted. */
  trust(): void {
    this.#isSaid = true
  }

  /** Counts a failed request if its handler has not named the caller. */
  async fail(reason: unknown): Promise<void> {
    const isOpen = this.#of.route.limitedBy === 'handler' && !this.#isSaid
    if (isOpen && reason instanceof PlatformError) await this.countFor(undefined)
  }

  /** Counts one request for the client's address against a limit that routes share. @throws PlatformError 429 */
  async count(limit: RateLimit): Promise<void> {
    await this.#count(addressBlock(this.#of.ip), [limit])
  }

  async #count(counter: string, limits: readonly RateLimit[]): Promise<void> {
    const { table, surface } = this.#of
    const [first, ...more] = limits
    if (table === undefined || first === undefined) return
    this.#state = await countRequest(table, { surface, counter }, [first, ...more])
    if (this.#state.refusal !== undefined) throw this.#state.refusal
  }
}
