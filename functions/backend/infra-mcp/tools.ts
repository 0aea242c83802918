import type * as z from 'zod'
import { agentInDetail } from '#shared/operations/tools/agent.ts'
import { pageOfAgents } from '#shared/operations/tools/agents.ts'
import { overdueWork } from '#shared/operations/tools/backlog.ts'
import { costsOfMonth } from '#shared/operations/tools/costs.ts'
import { pageOfIncidents } from '#shared/operations/tools/incidents.ts'
import { queueDepths, type QueuesToWatch } from '#shared/operations/tools/queues.ts'
import * as schemas from '#shared/operations/tools/schema.ts'
import { heavySenders } from '#shared/operations/tools/traffic.ts'
import type { Context } from '#shared/platform/identity/context.ts'
import type { Tool } from '#shared/tools/mcp/tool.ts'

export type Services = Pick<Context, 'table'> & { watchedQueues: QueuesToWatch }

function tool<Input extends z.ZodObject, Output extends z.ZodObject>(
  definition: Omit<Tool<Services>, 'kind' | 'input' | 'output' | 'call'> & {
    input: Input
    output: Output
    call(services: Services, input: z.output<Input>): Promise<z.input<Output>>
  },
): Tool<Services> {
  const { input, output, call } = definition
  return {
    ...definition,
    kind: 'read',
    // Parsing removes fields that are not in the schema, so no field of a row is returned by accident.
    call: async (services, args) => output.parse(await call(services, input.parse(args))),
  }
}

/** The tools of operators. They only read, and return no secrets, prompts or messages. */
export const tools: readonly Tool<Services>[] = [
  tool({
    name: 'list_agents',
    title: 'List agents',
    description: 'Agents with state and health, newest first; filter by state, user or problems',
    input: schemas.agentQuery,
    output: schemas.agentPage,
    call: pageOfAgents,
  }),
  tool({
    name: 'get_agent',
    title: 'Get an agent',
    description: 'Desired and current state of an agent, its last stop reason and last incidents',
    input: schemas.agentRef,
    output: schemas.agentDetail,
    call: agentInDetail,
  }),
  tool({
    name: 'list_incidents',
    title: 'List incidents',
    description: 'Incidents of agents and the repair steps of the watchdog, newest first',
    input: schemas.incidentQuery,
    output: schemas.incidentPage,
    call: pageOfIncidents,
  }),
  tool({
    name: 'list_queues',
    title: 'List queues',
    description: 'Approximate message counts of each queue and its dead-letter queue',
    input: schemas.nothing,
    output: schemas.queueList,
    call: (services) => queueDepths(services.watchedQueues),
  }),
  tool({
    name: 'get_backlog',
    title: 'Get the backlog',
    description: 'Overdue work: bus deliveries, entitlements, scheduled runs, splits',
    input: schemas.nothing,
    output: schemas.backlog,
    call: (services) => overdueWork(services),
  }),
  tool({
    name: 'list_heavy_senders',
    title: 'List agents that send much',
    description: 'Agents that sent more bytes on a day than their plan includes',
    input: schemas.trafficQuery,
    output: schemas.trafficPage,
    call: heavySenders,
  }),
  tool({
    name: 'get_costs',
    title: 'Get costs',
    description: 'Model calls, tokens and cost in this calendar month, by user, agent or model',
    input: schemas.costQuery,
    output: schemas.costList,
    call: costsOfMonth,
  }),
]
