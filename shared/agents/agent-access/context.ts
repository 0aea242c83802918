import type { Settings } from '#shared/platform/config/settings.ts'
import type { Identity } from '#shared/platform/identity/actor.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'

export interface GateContext extends ActivityContext {
  /** Returns the user of an API key. */
  userKey: NonNullable<Identity['userKey']>
  /** The time that a request waits for an agent to wake up, in milliseconds. */
  wakeTimeoutMs: number
  config: ActivityContext['config'] &
    Pick<Settings, 'AGENTS_DOMAIN' | 'ROUTER_SECRET' | 'WALLET_ENCRYPTION_KEY' | 'WEB_URL'> & {
      deployed: boolean
    }
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
  /** The lifetime of the connection until the router asks again, if it is more than a minute. */
  holdMs?: number | undefined
  /** Aborted when the client disconnects. */
  signal?: AbortSignal | undefined
}
