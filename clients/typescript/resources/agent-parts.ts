import type { BodyOf, QueryOf } from '../core/operation.ts'
import type { RequestOptions } from '../core/options.ts'
import { Resource } from './resource.ts'

/** Configs of agents. */
export class Config extends Resource {
  /** Returns the config of one of the caller’s agents, with masked secrets. */
  get = this.op('GET /api/agents/{id}/config', 'config')

  /** Merges changes into the config of one of the caller’s agents. A running container restarts. */
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

/** The containers of agents. */
export class Instance extends Resource {
  /** Returns the container of one of the caller’s agents. */
  get = this.op('GET /api/instance/{agentId}')

  /** Returns the metrics of the container of one of the caller’s agents. Unknown values are null. */
  stats = this.op('GET /api/instance/{agentId}/stats')
}

/** Proofs of who operates an agent. */
export class Verification extends Resource {
  /** Returns the verified operator of one of the caller’s agents, if there is one. */
  get = this.op('GET /api/agents/{id}/verify')

  /** Verifies the operator of one of the caller’s agents. */
  create = this.opWithBody('POST /api/agents/{id}/verify')

  /** Removes the verified operator of one of the caller’s agents. */
  delete = this.op('DELETE /api/agents/{id}/verify')
}

/** The messages between agents and the people and agents who talk to them. */
export class Messages extends Resource {
  /** Lists the messages of an agent, newest first. `for await` iterates over all pages. */
  list = this.pages('GET /api/agents/{id}/messages', 'messages')
}

/** Restore points of agents. */
export class Snapshots extends Resource {
  /** Creates a restore point of one of the caller’s agents. */
  create = this.onceWithBody('POST /api/agents/{id}/snapshots')

  /** Lists the restore points of one of the caller’s agents, newest first. */
  list = this.op('GET /api/agents/{id}/snapshots', 'snapshots')
}

/** Credentials that agents can use at some hosts but cannot read. */
export class BrokerCredentials extends Resource {
  /** Stores a credential that an agent can use at some hosts but cannot read. Replaces a credential of the same name. */
  create = this.opWithBody('POST /api/agents/{id}/broker-credentials')

  /** Lists the names and hosts of an agent’s broker credentials. */
  list = this.op('GET /api/agents/{id}/broker-credentials', 'credentials')

  /** Deletes a broker credential of an agent. */
  delete = this.op('DELETE /api/agents/{id}/broker-credentials/{name}')
}

/** MCP servers that an agent may use. */
export class Connections extends Resource {
  /** Lists the connections of an agent with their tools. */
  list = this.op('GET /api/agents/{id}/connections', 'connections')

  /** Connects an agent to an MCP server. If it requires a sign-in, the response has `authorizeUrl`. */
  create = this.opWithBody('POST /api/agents/{id}/connections')

  /** Sets the tools that an agent may use over a connection. */
  update = this.opWithBody('PATCH /api/agents/{id}/connections/{name}')

  /** Reads the tools again, and begins a sign-in if the server requires one. */
  authorize = this.op('POST /api/agents/{id}/connections/{name}/authorize')

  /** Deletes a connection and revokes its tokens. */
  delete = this.op('DELETE /api/agents/{id}/connections/{name}')
}

/** Requests over an agent’s connections. */
export class ConnectionRequests extends Resource {
  /** Lists the requests over an agent’s connections, newest first. */
  list = this.listOf('GET /api/agents/{id}/connection-requests', 'requests')
}

/** Chat services, mail and webhooks that people reach agents by. */
export class Channels extends Resource {
  /** Creates a channel of one of the caller’s agents. The response contains the secret of a webhook once. */
  create = this.opWithBody('POST /api/agents/{id}/channels')

  /** Lists the channels of one of the caller’s agents. */
  list = this.op('GET /api/agents/{id}/channels', 'channels')

  /** Changes a channel. The response contains a new secret of a webhook once. */
  update = this.opWithBody('PATCH /api/agents/{id}/channels/{channelId}')

  /** Deletes a channel: nothing is received or sent any more. */
  delete = this.op('DELETE /api/agents/{id}/channels/{channelId}')

  /** Lists what a channel sent in the last 30 days, newest first. */
  deliveries = this.listOf('GET /api/agents/{id}/channels/{channelId}/deliveries', 'deliveries')
}

/** The policies of agents: what they may do, must ask for, and may not do. */
export class Policies extends Resource {
  /** Returns the policy of one of the caller’s agents. */
  get = this.op('GET /api/agents/{id}/policy')

  /** Replaces the policy of one of the caller’s agents. */
  set = this.opWithBody('PUT /api/agents/{id}/policy')

  /** Decides the records of an agent’s last days by its policy, or by another one. Changes nothing. */
  test = this.opWithBody('POST /api/agents/{id}/policy/test')
}

/** The senders of agents’ channels, and of their Discord bots. */
export class Senders extends Resource {
  /** Lists the senders of a channel, or of the Discord bot, of one of the caller’s agents. */
  list = this.op('GET /api/agents/{id}/channels/{channelId}/senders', 'senders')

  /** Approves or blocks a sender. */
  decide = this.opWithBody('POST /api/agents/{id}/channels/{channelId}/senders/{senderId}')
}

/** Mandates of agents: the limits of their payments by x402. */
export class Mandates extends Resource {
  /** Returns the mandate of an agent. Responds 404 without one. */
  get = this.op('GET /api/agents/{id}/mandate')

  /** Sets the mandate of an agent, and replaces an earlier one. */
  set = this.opWithBody('PUT /api/agents/{id}/mandate')

  /** Deletes the mandate of an agent, which then pays nothing more. */
  delete = this.op('DELETE /api/agents/{id}/mandate')
}

/** Payments of agents by x402. */
export class AgentPayments extends Resource {
  /** Lists the payments of an agent, newest first, of one month or all. `for await` iterates over all pages. */
  list = this.listOf('GET /api/agents/{id}/payments', 'payments')
}

/** The requests that agents made with their broker credentials. */
export class BrokerRequests extends Resource {
  /** Lists the requests that an agent made with its broker credentials in the last 30 days, newest first. `for await` iterates over all pages. */
  list = this.listOf('GET /api/agents/{id}/broker-requests', 'requests')
}
