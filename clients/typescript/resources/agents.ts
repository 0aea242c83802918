import type { RequestOptions } from '../core/options.ts'
import { PlatformError, TimeoutError } from '../core/errors.ts'
import { pause } from '../core/retries.ts'
import type { AgentDetail } from '../generated/types.ts'
import { Logs } from './agent-logs.ts'
import { Config, Instance, Messages, Snapshots, Verification } from './agent-parts.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

export type AgentStatus = AgentDetail['status']

/** The caller’s agents. */
export class Agents extends Resource {
  readonly config = new Config(this.client)
  readonly instance = new Instance(this.client)
  readonly logs = new Logs(this.client)
  readonly messages = new Messages(this.client)
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
    return this.client.call('GET /api/agents', {}, options, 'agents')
  }

  /** Make an agent and start it */
  create(body: BodyOf<'POST /api/agents/provision'>, options?: RequestOptions) {
    return this.client.once('POST /api/agents/provision', { body }, options, 'agent')
  }

  /** One of the caller's agents */
  get(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/agents/{id}', { params: { id } }, options, 'agent')
  }

  /** How one of the caller’s agents is, and how it did */
  stats(id: string, options?: RequestOptions) {
    return this.client.call('GET /api/agents/{id}/stats', { params: { id } }, options, 'stats')
  }

  /** A link that lets a browser in to one of the caller’s agents */
  createTicket(id: string, options?: RequestOptions) {
    return this.client.call('POST /api/agents/{id}/ticket', { params: { id } }, options)
  }

  /** Start one of the caller's agents anew, from any state */
  repair(agentId: string, options?: RequestOptions) {
    return this.client.once('POST /api/instance/{agentId}/repair', { params: { agentId } }, options)
  }

  /** Make one of the caller's agents forget its notes and its conversations */
  resetMemory(agentId: string, options?: RequestOptions) {
    return this.client.once(
      'POST /api/instance/{agentId}/reset-memory',
      { params: { agentId } },
      options,
    )
  }

  /** Stop one of the caller's agents and start it again */
  restart(agentId: string, options?: RequestOptions) {
    return this.client.once(
      'POST /api/instance/{agentId}/restart',
      { params: { agentId } },
      options,
    )
  }

  /** Start one of the caller's agents */
  start(agentId: string, options?: RequestOptions) {
    return this.client.once('POST /api/instance/{agentId}/start', { params: { agentId } }, options)
  }

  /** Stop one of the caller's agents */
  stop(agentId: string, options?: RequestOptions) {
    return this.client.once('POST /api/instance/{agentId}/stop', { params: { agentId } }, options)
  }

  /** Start one of the caller's agents on another image; one that fails is taken back */
  updateImage(
    agentId: string,
    body?: BodyOf<'POST /api/instance/{agentId}/update'>,
    options?: RequestOptions,
  ) {
    return this.client.once(
      'POST /api/instance/{agentId}/update',
      { params: { agentId }, body },
      options,
    )
  }

  /** Make an agent that answers on chat services, and start it */
  createWithChannels(body: BodyOf<'POST /api/provision'>, options?: RequestOptions) {
    return this.client.once('POST /api/provision', { body }, options)
  }

  /** One’s agent, its health, conversations, memory, skills, or the names of its credentials */
  ask(query?: QueryOf<'GET /api/agent'>, options?: RequestOptions) {
    return this.client.call('GET /api/agent', { query }, options)
  }

  /** Talk to one’s agent, open a conversation, switch a skill, or keep a credential for it */
  act(body: BodyOf<'POST /api/agent'>, options?: RequestOptions) {
    return this.client.once('POST /api/agent', { body }, options)
  }

  /** Delete one of the caller's agents, with all that is kept for it */
  delete(id: string, options?: RequestOptions) {
    return this.client.call('DELETE /api/agents/{id}', { params: { id } }, options)
  }

  /** What became of one of the caller’s agents, newest first */
  events(id: string, query?: QueryOf<'GET /api/agents/{id}/events'>, options?: RequestOptions) {
    return this.client.call(
      'GET /api/agents/{id}/events',
      { params: { id }, query },
      options,
      'events',
    )
  }

  /** Have one of the caller’s agents become what a restore point says; a deleted one comes back under its id */
  restore(id: string, body: BodyOf<'POST /api/agents/{id}/restore'>, options?: RequestOptions) {
    return this.client.once('POST /api/agents/{id}/restore', { params: { id }, body }, options)
  }
}
