import type { ParkContext } from '#shared/permits/approvals/park.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { ConnectionSettings } from '../context.ts'
import type { Dialects } from '../server/dialects.ts'

/** A capability of verbs that send requests of agents over connections. */
export type UsesConnections = Pick<Context, 'table' | 'log'> &
  ParkContext &
  ConnectionSettings & {
    /** The dialects of servers that this process knows. */
    dialects: Dialects
  }
