import type { Config } from '../platform/config/load.ts'
import type { Identity } from '../platform/identity/actor.ts'
import type { Origin } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { createApp } from './app.ts'
import type { AppSettings } from './options.ts'
import type { Route } from './route.ts'

/** The dependencies of a group's routes. */
export interface Wiring<Services> {
  /**
   * The services; a function if they send messages. It is called for each request, because messages carry the id and
   * the caller of the request.
   */
  services: Services | ((origin: Origin) => Services)
  /** Identifies callers; absent if the guards of the group's routes need only the internal key. */
  identity?: Identity
  /** Stores limits and idempotency keys; a group without a table has neither. */
  table?: Table
}

/** A route group: what each module in functions/<surface>/ exports. */
export interface Group<Services> {
  routes: readonly Route<Services>[]
  wire(config: Config): Wiring<Services>
}

/** Creates the app of a group, the same for every carrier: Lambda, a plain server or a worker. */
export function groupApp<Services>(
  surface: 'web' | 'backend' | 'summarizer',
  { routes, wire }: Group<Services>,
  config: Config & AppSettings,
) {
  const name = config.FUNCTION_NAME
  return createApp({ surface, name, settings: config, routes, ...wire(config) })
}
