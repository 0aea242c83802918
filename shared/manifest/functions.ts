import { agentPayments } from './functions/agent-payments.ts'
import { backend } from './functions/backend.ts'
import { background } from './functions/background.ts'
import { broker } from './functions/broker.ts'
import { agentChannels } from './functions/channels.ts'
import { connections } from './functions/connections.ts'
import { files } from './functions/files.ts'
import { fleet } from './functions/fleet.ts'
import { maintenance } from './functions/maintenance.ts'
import { permits } from './functions/permits.ts'
import { restorePoints } from './functions/restore-points.ts'
import { splits } from './functions/splits.ts'
import { summarizer } from './functions/summarizer.ts'
import { tableOnly } from './functions/table.ts'
import { userPrograms } from './functions/user-programs.ts'
import { webAccess } from './functions/web-access.ts'
import { webMoney } from './functions/web-money.ts'
import { web } from './functions/web.ts'
import type { GrantOf, QueueTrigger, SpecOf, TriggerOf } from './types.ts'

const declared = [
  ...web,
  ...tableOnly,
  ...webAccess,
  ...webMoney,
  ...permits,
  ...userPrograms,
  ...backend,
  ...splits,
  ...agentPayments,
  ...summarizer,
  ...fleet,
  ...background,
  ...maintenance,
  ...restorePoints,
  ...broker,
  ...connections,
  ...agentChannels,
  ...files,
] as const

/** The declared functions with their literal types. */
export type DeclaredFunction = (typeof declared)[number]

/** All queues, each consumed by one function. */
export type QueueName = Extract<DeclaredFunction['trigger'], { kind: 'queue' }>['queue']

export type FunctionSpec = SpecOf<QueueName>
export type Grant = GrantOf<QueueName>
export type Trigger = TriggerOf<QueueName>
export type QueueSpec = Pick<QueueTrigger<QueueName>, 'maxReceives' | 'maxConcurrency'> & {
  name: QueueName
}

/** All functions, in the order of the diagrams in docs/design/architecture.md. */
export const functions: readonly FunctionSpec[] = declared

export const queues: readonly QueueSpec[] = functions.flatMap(({ trigger }) => {
  if (trigger.kind !== 'queue') return []
  const { queue: name, maxReceives, maxConcurrency } = trigger
  return [{ name, maxReceives, ...(maxConcurrency !== undefined && { maxConcurrency }) }]
})

/** The default quota of concurrent Lambda executions of an AWS account; new accounts may have less. */
export const usualQuota = 1000
