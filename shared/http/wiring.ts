import type { Identity } from '../identity/actor.ts'
import type { Config } from '../platform/config/load.ts'
import type { Origin } from '../platform/queues/port.ts'
import type { Table } from '../platform/table/port.ts'
import { createApp } from './app.ts'
import type { AppSettings } from './options.ts'
import type { Route } from './route.ts'

/** What a group's routes stand on. */
export interface Wiring<Services> {
  /** A function where they send messages: made for each request, whose id and caller its messages carry. */
  services: Services | ((origin: Origin) => Services)
  /** How callers are known; absent where the guards of the group's routes need nothing but the internal key. */
  identity?: Identity
  /** Where limits and idempotency keys are kept; a group without it has neither. */
  table?: Table
}

/** A route group: what each module in functions/<surface>/ exports. */
export interface Group<Services> {
  routes: readonly Route<Services>[]
  wire(config: Config): Wiring<Services>
}

/** The app of a group, the same for every carrier: Lambda, a plain server or a worker. */
export function groupApp<Services>(
  surface: 'web' | 'backend' | 'summarizer',
  { routes, wire }: Group<Services>,
  config: Config & AppSettings,
) {
  const name = config.FUNCTION_NAME
  return createApp({ surface, name, settings: config, routes, ...wire(config) })
}
