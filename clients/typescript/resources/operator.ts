import { Resource } from './resource.ts'

/** Agents of every user. */
class AllAgents extends Resource {
  /** Agents of every user with their state and health, newest first */
  list = this.pages('GET /api/operator/agents', 'agents')
}

/** What went wrong with agents of every user. */
class Incidents extends Resource {
  /** What the watchdog saw go wrong with agents of every user, newest first */
  list = this.pages('GET /api/operator/incidents', 'incidents')
}

/** The model providers. */
class Providers extends Resource {
  /** The model providers and whether each answers now */
  list = this.op('GET /api/operator/providers', 'providers')
}

/** The platform’s queues. */
class Queues extends Resource {
  /** How many messages each queue and its dead-letter queue hold, about */
  list = this.op('GET /api/operator/queues', 'queues')

  /** Give the messages of a queue that failed for good another try */
  redrive = this.op('POST /api/operator/queues/{name}/redrive')
}

/** Every user. */
class Users extends Resource {
  /** Every user with their plan, newest first */
  list = this.pages('GET /api/operator/users', 'users')
}

/** The whole platform, for administrators. */
export class Operator extends Resource {
  readonly agents = new AllAgents(this.client)
  readonly incidents = new Incidents(this.client)
  readonly providers = new Providers(this.client)
  readonly queues = new Queues(this.client)
  readonly users = new Users(this.client)
}
