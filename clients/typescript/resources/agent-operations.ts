import type { AnswerOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { Logs } from './agent-logs.ts'
import { Resource } from './resource.ts'

type Living = Extract<AnswerOf<'GET /api/agents'>, { count: number }>

/** The operations of agents that the console uses on several pages. */
export class AgentOperations extends Resource {
  readonly logs = new Logs(this.client)

  /** Lists the caller’s agents, newest first. Returns an empty list without a session. */
  list(options?: RequestOptions) {
    return this.client.request<Living['agents']>('GET /api/agents', {}, options, { open: 'agents' })
  }

  /** Creates an agent and starts it. */
  create = this.onceWithBody('POST /api/agents/provision', 'agent')

  /** Returns one of the caller’s agents. */
  get = this.op('GET /api/agents/{id}', 'agent')

  /** Returns the health and statistics of one of the caller’s agents. */
  stats = this.op('GET /api/agents/{id}/stats', 'stats')

  /** Creates a link that signs a browser in at one of the caller’s agents. */
  createTicket = this.op('POST /api/agents/{id}/ticket')

  /** Starts one of the caller’s agents in a new container, from any state. */
  repair = this.once('POST /api/instance/{agentId}/repair')

  /** Stops one of the caller’s agents and starts it again. */
  restart = this.once('POST /api/instance/{agentId}/restart')

  /** Starts one of the caller’s agents. */
  start = this.once('POST /api/instance/{agentId}/start')

  /** Stops one of the caller’s agents. */
  stop = this.once('POST /api/instance/{agentId}/stop')

  /** Deletes one of the caller’s agents with all its data. */
  delete = this.op('DELETE /api/agents/{id}')

  /** Lists the events of one of the caller’s agents, newest first. `for await` iterates over all pages. */
  events = this.listOf('GET /api/agents/{id}/events', 'events')

  /** Restores one of the caller’s agents from a restore point. A deleted agent keeps its id. */
  restore = this.onceWithBody('POST /api/agents/{id}/restore')
}
