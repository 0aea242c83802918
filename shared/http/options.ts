import type { PlatformError } from '../platform/errors.ts'
import type { Actor, Identity } from '../platform/identity/actor.ts'
import type { Log } from '../platform/log.ts'
import type { Origin } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import type { ErrorForm } from './errors.ts'
import type { RequestLimits } from './limits/request-limits.ts'
import type { Route } from './route.ts'

export interface AppOptions<Services> {
  surface: 'web' | 'backend' | 'summarizer'
  /** The function's name in log lines. */
  name: string
  routes: readonly Route<Services>[]
  /**
   * The services. A function if they send messages: it creates the services for each request, because a message
   * contains the id and the caller of its request.
   */
  services: Services | ((origin: Origin) => Services)
  settings: AppSettings
  identity?: Identity
  /** The table for limits and idempotency keys. A function without a table has neither. */
  table?: Table
}

/** The part of the configuration that the framework itself reads. */
export interface AppSettings {
  WEB_URL?: string
  INTERNAL_API_KEY?: string | undefined
  ORIGIN_SECRET?: string | undefined
  RATE_LIMITS?: 'on' | 'off'
  deployed?: boolean
}

/** The variables that the middleware sets on a request. */
interface Variables {
  requestId: string
  log: Log
  ip: string
  limits: RequestLimits
  actor: Actor
  seed: string
  errorForm: ErrorForm
  /** The route's name; absent without a matching route. */
  route?: string
  /** The path in the log, if it differs from the request's path. */
  loggedPath?: string
  failure: PlatformError
}

export type Env = { Variables: Variables }
