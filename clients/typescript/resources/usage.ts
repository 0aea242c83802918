import { Resource } from './resource.ts'

/** What the caller’s agents used and cost. */
export class Usage extends Resource {
  /** What the caller’s agents cost, by agent, day and model */
  cost = this.opWithQuery('GET /api/dashboard/cost')

  /** Figures of the caller’s agents, messages and calls */
  metrics = this.op('GET /api/metrics', 'metrics')

  /** Write one test row of usage; where the platform is deployed, for administrators only */
  writeTest = this.op('POST /api/test-usage')

  /** The caller’s usage by day, agent and model at once */
  breakdown = this.opWithQuery('GET /api/usage/breakdown', 'data')

  /** The caller’s usage by agent */
  byAgent = this.opWithQuery('GET /api/usage/by-agent', 'data')

  /** The caller’s usage by the API key that asked; a deleted key keeps its row */
  byKey = this.opWithQuery('GET /api/usage/by-key', 'data')

  /** The caller’s usage by model */
  byModel = this.opWithQuery('GET /api/usage/by-model', 'data')

  /** The caller’s usage by day */
  daily = this.opWithQuery('GET /api/usage/daily', 'data')

  /** Tool calls of the caller’s agents by the tool’s name */
  tools = this.opWithQuery('GET /api/usage/tools', 'data')
}

/** All of the caller’s agents at once. */
export class Fleet extends Resource {
  /** The bookings in which the caller’s agents take part, newest first; `for await` goes through all pages */
  bookings = this.listOf('GET /api/mission-control/fleet/bookings', 'bookings')

  /** What each of the caller’s agents has cost in this month, in UTC */
  costs = this.op('GET /api/mission-control/fleet/costs')

  /** The caller’s agents, and which of them wrote to each other in the last 30 days */
  graph = this.op('GET /api/mission-control/fleet/graph')

  /** The last twenty turns of the caller’s agents, newest first */
  traces = this.op('GET /api/mission-control/fleet/traces')
}

/** The caller’s agents and their clones. */
export class Colony extends Resource {
  /** The caller’s agents and their clones: as a tree, by fitness, or counted */
  status = this.opWithQuery('GET /api/colony/status')
}

/** What calls would cost. */
export class Estimates extends Resource {
  /** What a call, and a month of them, would cost */
  estimate = this.opWithBody('POST /api/estimate')

  /** What the caller’s usage would have cost with another model */
  reprice = this.opWithBody('POST /api/usage/reprice')
}
