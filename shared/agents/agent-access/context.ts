import type { Identity } from '#shared/platform/identity/actor.ts'
import type { Can, Reads } from '#shared/platform/identity/capabilities.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'

/** The context of the verbs that admit requests to agents' hosts. */
export type GateContext = ActivityContext &
  Reads<'AGENTS_DOMAIN' | 'ROUTER_SECRET' | 'WALLET_ENCRYPTION_KEY'> &
  Can<'webUrl'> & {
    /** Returns the user of an API key. */
    userKey: NonNullable<Identity['userKey']>
    /** The time that a request waits for an agent to wake up, in milliseconds. */
    wakeTimeoutMs: number
  }

/** A request to an agent's host, as the agents' router describes it. */
export interface HostRequest {
  /** The Host header. */
  host: string
  method: string
  /** Path and query. */
  uri: string
  /** The requested protocol of an upgrade, such as `websocket`. */
  upgrade: string | undefined
  authorization: string | undefined
  cookie: string
  origin: string | undefined
  /** Fetch metadata headers: the origin and purpose of a browser's request. */
  site: string | undefined
  mode: string | undefined
  destination: string | undefined
  /** The time until the router repeats its request for the connection, if it is more than a minute. */
  holdMs?: number | undefined
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined
}
