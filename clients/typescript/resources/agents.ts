import type { RequestOptions } from '../core/options.ts'
import type { AnswerOf } from '../core/operation.ts'
import { PlatformError, TimeoutError } from '../core/errors.ts'
import { pause } from '../core/retries.ts'
import type { AgentDetail } from '../generated/types.ts'
import { Logs } from './agent-logs.ts'
import {
  BrokerCredentials,
  BrokerRequests,
  Config,
  Instance,
  Messages,
  Senders,
  Snapshots,
  Verification,
} from './agent-parts.ts'
import { Resource } from './resource.ts'

type Lists = AnswerOf<'GET /api/agents'>
type Living = Extract<Lists, { count: number }>
type Restorable = Exclude<Lists, Living>

export type AgentStatus = AgentDetail['status']

/** The caller’s agents. */
export class Agents extends Resource {
  readonly brokerCredentials = new BrokerCredentials(this.client)
  readonly brokerRequests = new BrokerRequests(this.client)
  readonly config = new Config(this.client)
  readonly instance = new Instance(this.client)
  readonly logs = new Logs(this.client)
  readonly messages = new Messages(this.client)
  readonly senders = new Senders(this.client)
  readonly snapshots = new Snapshots(this.client)
  readonly verification = new Verification(this.client)

  /**
   * Asks for an agent until it is in one of these states.
   * @param wait `timeoutMs` is for all of it, 120,000 unless said otherwise
   * @throws TimeoutError where it does not come to that in time, PlatformError where its start fails
   */
  async waitUntil(
    id: string,
    wanted: AgentStatus | readonly AgentStatus[],
    { timeoutMs = 120_000, signal }: Pick<RequestOptions, 'timeoutMs' | 'signal'> = {},
  ): Promise<AgentDetail> {
    const endsAt = Date.now() + timeoutMs
    for (;;) {
      const agent = await this.get(id, { signal })
      if ([wanted].flat().includes(agent.status)) return agent
      const { status, name, stopReason } = agent
      if (status === 'error') throw new PlatformError(stopReason?.text ?? `${name} failed`)
      if (Date.now() > endsAt) throw new TimeoutError(`${name} is ${status} after ${timeoutMs} ms`)
      await pause(1000, signal)
    }
  }

  /** The caller's agents, newest first; none without a session */
  list(options?: RequestOptions) {
    return this.client.request<Living['agents']>('GET /api/agents', {}, options, { open: 'agents' })
  }

  /** The caller's agents that were deleted within seven days, which `restore` brings back by their `snapshotId` */
  listDeleted(options?: RequestOptions) {
    const input = { query: { deleted: 'true' } }
    const read = { open: 'agents' }
    return this.client.request<Restorable['agents']>('GET /api/agents', input, options, read)
  }

  /** Make an agent and start it */
  create = this.onceWithBody('POST /api/agents/provision', 'agent')

  /** One of the caller’s agents as a zip of readable files, without its secrets */
  export = this.download('GET /api/agents/{id}/export')

  /** Make an agent of a zip that an export has answered, and start it */
  import = this.onceWithBody('POST /api/agents/import', 'agent', 'application/zip')

  /** Make an agent with the config, memory and skills of one of the caller’s, and start it */
  duplicate = this.onceWithBody('POST /api/agents/{id}/duplicate', 'agent')

  /** One of the caller's agents */
  get = this.op('GET /api/agents/{id}', 'agent')

  /** How one of the caller’s agents is, and how it did */
  stats = this.op('GET /api/agents/{id}/stats', 'stats')

  /** A link that lets a browser in to one of the caller’s agents */
  createTicket = this.op('POST /api/agents/{id}/ticket')

  /** Start one of the caller's agents anew, from any state */
  repair = this.once('POST /api/instance/{agentId}/repair')

  /** Make one of the caller's agents forget its notes and its conversations */
  resetMemory = this.once('POST /api/instance/{agentId}/reset-memory')

  /** Stop one of the caller's agents and start it again */
  restart = this.once('POST /api/instance/{agentId}/restart')

  /** Start one of the caller's agents */
  start = this.once('POST /api/instance/{agentId}/start')

  /** Stop one of the caller's agents */
  stop = this.once('POST /api/instance/{agentId}/stop')

  /** Start one of the caller's agents on another image; one that fails is taken back */
  updateImage = this.onceWithBody('POST /api/instance/{agentId}/update')

  /** Make an agent that answers on chat services, and start it */
  createWithChannels = this.onceWithBody('POST /api/provision')

  /** One’s agent, its health, conversations, memory, skills, or the names of its credentials */
  ask = this.opWithQuery('GET /api/agent')

  /** Talk to one’s agent, open a conversation, switch a skill, or keep a credential for it */
  act = this.onceWithBody('POST /api/agent')

  /** Delete one of the caller's agents, with all that is kept for it */
  delete = this.op('DELETE /api/agents/{id}')

  /** What became of one of the caller’s agents, newest first; `for await` goes through all pages */
  events = this.listOf('GET /api/agents/{id}/events', 'events')

  /** Have one of the caller’s agents become what a restore point says; a deleted one comes back under its id */
  restore = this.onceWithBody('POST /api/agents/{id}/restore')
}
