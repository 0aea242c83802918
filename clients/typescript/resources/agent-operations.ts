import type { Answer } from '../core/answer.ts'
import { keyed } from '../core/client.ts'
import { PlatformError, TimeoutError } from '../core/errors.ts'
import type { AnswerOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { pause } from '../core/retries.ts'
import type { AgentDetail } from '../generated/types.ts'
import { Logs } from './agent-logs.ts'
import { Resource } from './resource.ts'

type Lists = AnswerOf<'GET /api/agents'>
type Living = Extract<Lists, { count: number }>
type Imported = AnswerOf<'POST /api/agents/import'>['agent']
type Restorable = Exclude<Lists, Living>

export type AgentStatus = AgentDetail['status']

/** The operations of agents without their parts, which the console loads with the tabs that use them. */
export class AgentOperations extends Resource {
  readonly logs = new Logs(this.client)

  /**
   * Polls an agent until it is in one of these states.
   * @param wait `timeoutMs` is the timeout for the whole wait; default 120,000
   * @throws TimeoutError if the agent does not reach a state in time, PlatformError if its start fails
   */
  async waitUntil(
    id: string,
    states: AgentStatus | readonly AgentStatus[],
    { timeoutMs = 120_000, signal }: Pick<RequestOptions, 'timeoutMs' | 'signal'> = {},
  ): Promise<AgentDetail> {
    const endsAt = Date.now() + timeoutMs
    for (;;) {
      const agent = await this.get(id, { signal })
      if ([states].flat().includes(agent.status)) return agent
      const { status, name, stopReason } = agent
      if (status === 'error') throw new PlatformError(stopReason?.text ?? `${name} failed`)
      if (Date.now() > endsAt) throw new TimeoutError(`${name} is ${status} after ${timeoutMs} ms`)
      await pause(1000, signal)
    }
  }

  /** Lists the caller’s agents, newest first. Returns an empty list without a session. */
  list(options?: RequestOptions) {
    return this.client.request<Living['agents']>('GET /api/agents', {}, options, { open: 'agents' })
  }

  /** Lists the caller’s agents that were deleted in the last seven days. `restore` restores them by their `snapshotId`. */
  listDeleted(options?: RequestOptions) {
    const input = { query: { deleted: 'true' } }
    const read = { open: 'agents' }
    return this.client.request<Restorable['agents']>('GET /api/agents', input, options, read)
  }

  /** Creates an agent and starts it. */
  create = this.onceWithBody('POST /api/agents/provision', 'agent')

  /**
   * Exports one of the caller’s agents as a zip of readable files, without its secrets. The response of a large archive is
   * 202 with `exportId`, for `exports`.
   */
  export = this.download('GET /api/agents/{id}/export')

  /** Creates an agent from an exported zip and starts it. */
  import = this.onceWithBody('POST /api/agents/import', 'agent', 'application/zip')

  /** Creates an agent from an archive that was uploaded by a link of `imports`, and starts it. */
  importUploaded(importId: string, options?: RequestOptions): Answer<Imported> {
    const input = { body: { importId } }
    return this.client.request('POST /api/agents/import', input, keyed(options), { open: 'agent' })
  }

  /** Creates an agent with the config, memory, skills and files of one of the caller’s agents, and starts it. */
  duplicate = this.onceWithBody('POST /api/agents/{id}/duplicate', 'agent')

  /** Returns one of the caller’s agents. */
  get = this.op('GET /api/agents/{id}', 'agent')

  /** Returns the health and statistics of one of the caller’s agents. */
  stats = this.op('GET /api/agents/{id}/stats', 'stats')

  /** Returns the bytes that one of the caller’s agents sent and printed today. */
  traffic = this.op('GET /api/agents/{id}/traffic', 'traffic')

  /** Creates a link that signs a browser in at one of the caller’s agents. */
  createTicket = this.op('POST /api/agents/{id}/ticket')

  /** Starts one of the caller’s agents in a new container, from any state. */
  repair = this.once('POST /api/instance/{agentId}/repair')

  /** Deletes the notes and conversations of one of the caller’s agents. */
  resetMemory = this.once('POST /api/instance/{agentId}/reset-memory')

  /** Stops one of the caller’s agents and starts it again. */
  restart = this.once('POST /api/instance/{agentId}/restart')

  /** Starts one of the caller’s agents. */
  start = this.once('POST /api/instance/{agentId}/start')

  /** Stops one of the caller’s agents. */
  stop = this.once('POST /api/instance/{agentId}/stop')

  /** Starts one of the caller’s agents on another image. If the start fails, the agent goes back to its old image. */
  updateImage = this.onceWithBody('POST /api/instance/{agentId}/update')

  /** Creates an agent that answers on chat services, and starts it. */
  createWithChannels = this.onceWithBody('POST /api/provision')

  /** Returns an agent, or its health, conversations, memory, skills or names of credentials. */
  ask = this.opWithQuery('GET /api/agent')

  /** Sends a message to an agent, creates a conversation, switches a skill on or off, or stores a credential. */
  act = this.onceWithBody('POST /api/agent')

  /** Deletes one of the caller’s agents with all its data. */
  delete = this.op('DELETE /api/agents/{id}')

  /** Lists the events of one of the caller’s agents, newest first. `for await` iterates over all pages. */
  events = this.listOf('GET /api/agents/{id}/events', 'events')

  /** Restores one of the caller’s agents from a restore point. A deleted agent keeps its id. */
  restore = this.onceWithBody('POST /api/agents/{id}/restore')
}
