import type { Identity } from '../identity/actor.ts'
import type { Settings } from '../platform/config/settings.ts'
import type { ActivityContext } from '../fleet/activity/context.ts'

/** What the gate stands on. */
export interface GateContext extends ActivityContext {
  /** Whose API key a bearer is. */
  userKey: NonNullable<Identity['userKey']>
  /** How long a request waits for an agent that has to be woken, in milliseconds. */
  wakeTimeoutMs: number
  config: ActivityContext['config'] &
    Pick<Settings, 'AGENTS_DOMAIN' | 'ROUTER_SECRET' | 'WALLET_ENCRYPTION_KEY' | 'WEB_URL'> & {
      deployed: boolean
    }
}

/** A request for an agent's host, as the agents' router tells of it. */
export interface HostRequest {
  /** The Host header. */
  host: string
  method: string
  /** Path and query. */
  uri: string
  /** What the connection is to become, such as `websocket`. */
  upgrade: string | undefined
  authorization: string | undefined
  cookie: string
  origin: string | undefined
  /** Fetch metadata: where a browser says that the request comes from and what it is for. */
  site: string | undefined
  mode: string | undefined
  destination: string | undefined
  /** How long the connection may go on before the router asks again, where that is more than a minute. */
  holdMs?: number | undefined
  /** Aborted when the client leaves. */
  signal?: AbortSignal | undefined
}
