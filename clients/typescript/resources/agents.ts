import type { Answer } from '../core/answer.ts'
import { keyed } from '../core/client.ts'
import { PlatformError, TimeoutError } from '../core/errors.ts'
import type { AnswerOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { pause } from '../core/retries.ts'
import type { AgentDetail } from '../generated/types.ts'
import { Exports, Imports } from './agent-archives.ts'
import { AgentOperations } from './agent-operations.ts'
import {
  AgentPayments,
  BrokerCredentials,
  Channels,
  BrokerRequests,
  ConnectionRequests,
  Connections,
  Config,
  Instance,
  Mandates,
  Messages,
  Policies,
  Senders,
  Snapshots,
  Verification,
} from './agent-parts.ts'
import { Files } from './files.ts'

type Imported = AnswerOf<'POST /api/agents/import'>['agent']
type Restorable = Exclude<AnswerOf<'GET /api/agents'>, { count: number }>

export type AgentStatus = AgentDetail['status']

/** The caller’s agents. */
export class Agents extends AgentOperations {
  readonly brokerCredentials = new BrokerCredentials(this.client)
  readonly channels = new Channels(this.client)
  readonly brokerRequests = new BrokerRequests(this.client)
  readonly config = new Config(this.client)
  readonly connectionRequests = new ConnectionRequests(this.client)
  readonly connections = new Connections(this.client)
  readonly exports = new Exports(this.client)
  readonly files = new Files(this.client)
  readonly imports = new Imports(this.client)
  readonly instance = new Instance(this.client)
  readonly mandate = new Mandates(this.client)
  readonly messages = new Messages(this.client)
  readonly policy = new Policies(this.client)
  readonly payments = new AgentPayments(this.client)
  readonly senders = new Senders(this.client)
  readonly snapshots = new Snapshots(this.client)
  readonly verification = new Verification(this.client)

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

  /** Lists the caller’s agents that were deleted in the last seven days. `restore` restores them by their `snapshotId`. */
  listDeleted(options?: RequestOptions) {
    const input = { query: { deleted: 'true' } }
    const read = { open: 'agents' }
    return this.client.request<Restorable['agents']>('GET /api/agents', input, options, read)
  }

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

  /** Returns the bytes that one of the caller’s agents sent and printed today. */
  traffic = this.op('GET /api/agents/{id}/traffic', 'traffic')

  /** Deletes the notes and conversations of one of the caller’s agents. */
  resetMemory = this.once('POST /api/instance/{agentId}/reset-memory')

  /** Starts one of the caller’s agents on another image. If the start fails, the agent goes back to its old image. */
  updateImage = this.onceWithBody('POST /api/instance/{agentId}/update')

  /** Creates an agent that answers on chat services, and starts it. */
  createWithChannels = this.onceWithBody('POST /api/provision')

  /** Returns an agent, or its health, conversations, memory, skills or names of credentials. */
  ask = this.opWithQuery('GET /api/agent')

  /** Sends a message to an agent, creates a conversation, switches a skill on or off, or stores a credential. */
  act = this.onceWithBody('POST /api/agent')
}
