import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/operation.ts'
import { Resource } from './resource.ts'

/** Configs of agents. */
export class Config extends Resource {
  /** The config of one of the caller's agents, its secrets masked */
  get = this.op('GET /api/agents/{id}/config', 'config')

  /** Merge into the config of one of the caller's agents; a container that runs is restarted */
  update(
    id: string,
    body: BodyOf<'PUT /api/agents/{id}/config'>,
    query?: QueryOf<'PUT /api/agents/{id}/config'>,
    options?: RequestOptions,
  ) {
    return this.client.call(
      'PUT /api/agents/{id}/config',
      { params: { id }, body, query },
      options,
      'config',
    )
  }
}

/** Agents as containers. */
export class Instance extends Resource {
  /** One of the caller's agents as a container */
  get = this.op('GET /api/instance/{agentId}')

  /** The figures of one of the caller's containers, each null where it is not known */
  stats = this.op('GET /api/instance/{agentId}/stats')
}

/** Who stands behind agents. */
export class Verification extends Resource {
  /** Who stands behind one of the caller’s agents, where that was proven */
  get = this.op('GET /api/agents/{id}/verify')

  /** Prove who stands behind one of the caller’s agents */
  create = this.opWithBody('POST /api/agents/{id}/verify')

  /** Forget who stands behind one of the caller’s agents */
  delete = this.op('DELETE /api/agents/{id}/verify')
}

/** What was said between agents and those who talked to them. */
export class Messages extends Resource {
  /** An agent’s messages, the newest first; `for await` goes through all pages. */
  list = this.pages('GET /api/agents/{id}/messages', 'messages')
}

/** Restore points of agents. */
export class Snapshots extends Resource {
  /** Make a restore point of one of the caller’s agents */
  create = this.onceWithBody('POST /api/agents/{id}/snapshots')

  /** The restore points of one of the caller’s agents, newest first */
  list = this.op('GET /api/agents/{id}/snapshots', 'snapshots')
}

/** Credentials that agents use at some hosts but cannot read. */
export class BrokerCredentials extends Resource {
  /** Keep a credential that an agent may use at some hosts but not read; one of the same name is replaced */
  create = this.opWithBody('POST /api/agents/{id}/broker-credentials')

  /** The names and hosts of an agent’s broker credentials */
  list = this.op('GET /api/agents/{id}/broker-credentials', 'credentials')

  /** Take a broker credential from an agent */
  delete = this.op('DELETE /api/agents/{id}/broker-credentials/{name}')
}

/** The senders of agents' Telegram and Discord bots. */
export class Senders extends Resource {
  /** Who writes to the Telegram or Discord bot of one of the caller’s agents */
  list = this.op('GET /api/agents/{id}/channels/{channelId}/senders', 'senders')

  /** Approve or block who writes to a bot of one of the caller’s agents */
  decide = this.opWithBody('POST /api/agents/{id}/channels/{channelId}/senders/{senderId}')
}

/** What agents used their broker credentials for. */
export class BrokerRequests extends Resource {
  /** What an agent has used its broker credentials for in 30 days, newest first; `for await` goes through all pages */
  list = this.listOf('GET /api/agents/{id}/broker-requests', 'requests')
}
