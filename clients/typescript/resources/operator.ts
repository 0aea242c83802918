import { Resource } from './resource.ts'

/** The agents of all users. */
class AllAgents extends Resource {
  /** Lists the agents of all users with state and health, newest first. */
  list = this.pages('GET /api/operator/agents', 'agents')
}

/** The incidents of all agents. */
class Incidents extends Resource {
  /** Lists the incidents that the watchdog found in agents of all users, newest first. */
  list = this.pages('GET /api/operator/incidents', 'incidents')
}

/** The model providers. */
class Providers extends Resource {
  /** Lists the model providers and whether each is available now. */
  list = this.op('GET /api/operator/providers', 'providers')
}

/** The platform’s queues. */
class Queues extends Resource {
  /** Returns the approximate number of messages in each queue and its dead-letter queue. */
  list = this.op('GET /api/operator/queues', 'queues')

  /** Moves the messages of a dead-letter queue back to its queue. */
  redrive = this.op('POST /api/operator/queues/{name}/redrive')
}

/** All users. */
class Users extends Resource {
  /** Lists all users with their plans, newest first. */
  list = this.pages('GET /api/operator/users', 'users')
}

/** Operations for administrators, across all users. */
export class Operator extends Resource {
  readonly agents = new AllAgents(this.client)
  readonly incidents = new Incidents(this.client)
  readonly providers = new Providers(this.client)
  readonly queues = new Queues(this.client)
  readonly users = new Users(this.client)
}
