import { backend } from './functions/backend.ts'
import { background } from './functions/background.ts'
import { broker } from './functions/broker.ts'
import { fleet } from './functions/fleet.ts'
import { programs } from './functions/programs.ts'
import { restorePoints } from './functions/restore-points.ts'
import { summarizer } from './functions/summarizer.ts'
import { underground } from './functions/underground.ts'
import { upkeep } from './functions/upkeep.ts'
import { webAccess } from './functions/web-access.ts'
import { webMoney } from './functions/web-money.ts'
import { web } from './functions/web.ts'
import type { GrantOf, QueueTrigger, SpecOf, TriggerOf } from './types.ts'

const declared = [
  ...web,
  ...webAccess,
  ...webMoney,
  ...programs,
  ...backend,
  ...underground,
  ...summarizer,
  ...fleet,
  ...background,
  ...upkeep,
  ...restorePoints,
  ...broker,
] as const

/** The functions with all that is written about them, for types. */
export type DeclaredFunction = (typeof declared)[number]

/** The queues that there are: those that a function consumes. */
export type QueueName = Extract<DeclaredFunction['trigger'], { kind: 'queue' }>['queue']

export type FunctionSpec = SpecOf<QueueName>
export type Grant = GrantOf<QueueName>
export type Trigger = TriggerOf<QueueName>
export type QueueSpec = Pick<QueueTrigger<QueueName>, 'maxReceives' | 'maxConcurrency'> & {
  name: QueueName
}

/** Everything that runs, in the order of the pictures in docs/architecture.md. */
export const functions: readonly FunctionSpec[] = declared

export const queues: readonly QueueSpec[] = functions.flatMap(({ trigger }) => {
  if (trigger.kind !== 'queue') return []
  const { queue: name, maxReceives, maxConcurrency } = trigger
  return [{ name, maxReceives, ...(maxConcurrency !== undefined && { maxConcurrency }) }]
})

/** Instances of functions that an AWS account may have at once, unless it asked for more or is young. */
export const usualQuota = 1000
