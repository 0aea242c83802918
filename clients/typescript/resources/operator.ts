import type { RequestOptions } from '../core/options.ts'
import type { QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Agents of every user. */
class AllAgents extends Resource {
  /** Agents of every user with their state and health, newest first */
  list(query?: QueryOf<'GET /api/operator/agents'>, options?: RequestOptions) {
    return this.client.call('GET /api/operator/agents', { query }, options)
  }
}

/** What went wrong with agents of every user. */
class Incidents extends Resource {
  /** What the watchdog saw go wrong with agents of every user, newest first */
  list(query?: QueryOf<'GET /api/operator/incidents'>, options?: RequestOptions) {
    return this.client.call('GET /api/operator/incidents', { query }, options)
  }
}

/** The model providers. */
class Providers extends Resource {
  /** The model providers and whether each answers now */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/operator/providers', {}, options, 'providers')
  }
}

/** The platform’s queues. */
class Queues extends Resource {
  /** How many messages each queue and its dead-letter queue hold, about */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/operator/queues', {}, options, 'queues')
  }

  /** Give the messages of a queue that failed for good another try */
  redrive(name: string, options?: RequestOptions) {
    return this.client.call(
      'POST /api/operator/queues/{name}/redrive',
      { params: { name } },
      options,
    )
  }
}

/** Every user. */
class Users extends Resource {
  /** Every user with their plan, newest first */
  list(query?: QueryOf<'GET /api/operator/users'>, options?: RequestOptions) {
    return this.client.call('GET /api/operator/users', { query }, options)
  }
}

/** The whole platform, for administrators. */
export class Operator extends Resource {
  readonly agents = new AllAgents(this.client)
  readonly incidents = new Incidents(this.client)
  readonly providers = new Providers(this.client)
  readonly queues = new Queues(this.client)
  readonly users = new Users(this.client)
}
