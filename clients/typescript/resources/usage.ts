import { Resource } from './resource.ts'

/** Usage and cost of the caller’s agents. */
export class Usage extends Resource {
  /** Returns the cost of the caller’s agents by agent, day and model. */
  cost = this.opWithQuery('GET /api/dashboard/cost')

  /** Returns metrics of the caller’s agents, messages and calls. */
  metrics = this.op('GET /api/metrics', 'metrics')

  /** Writes one test row of usage. In a deployment, only administrators can call this. */
  writeTest = this.op('POST /api/test-usage')

  /** Returns the caller’s usage by day, agent and model in one response. */
  breakdown = this.opWithQuery('GET /api/usage/breakdown', 'data')

  /** Returns the caller’s usage by agent. */
  byAgent = this.opWithQuery('GET /api/usage/by-agent', 'data')

  /** Returns the caller’s usage by API key. Deleted keys are included. */
  byKey = this.opWithQuery('GET /api/usage/by-key', 'data')

  /** Returns the caller’s usage by model. */
  byModel = this.opWithQuery('GET /api/usage/by-model', 'data')

  /** Returns the caller’s usage by day. */
  daily = this.opWithQuery('GET /api/usage/daily', 'data')

  /** Returns the tool calls of the caller’s agents by tool name. */
  tools = this.opWithQuery('GET /api/usage/tools', 'data')
}

/** Views of all the caller’s agents together. */
export class Fleet extends Resource {
  /** Lists the bookings that involve the caller’s agents, newest first. `for await` iterates over all pages. */
  bookings = this.listOf('GET /api/mission-control/fleet/bookings', 'bookings')

  /** Returns the cost of each of the caller’s agents in the current UTC month. */
  costs = this.op('GET /api/mission-control/fleet/costs')

  /** Returns the caller’s agents as a graph: edges are messages between them in the last 30 days. */
  graph = this.op('GET /api/mission-control/fleet/graph')

  /** Returns the last twenty turns of the caller’s agents, newest first. */
  traces = this.op('GET /api/mission-control/fleet/traces')
}

/** The caller’s agents and their clones. */
export class Colony extends Resource {
  /** Returns the caller’s agents and their clones as a tree, by fitness, or as counts. */
  status = this.opWithQuery('GET /api/colony/status')
}

/** Cost estimates. */
export class Estimates extends Resource {
  /** Estimates the cost of a call, and of a month of calls. */
  estimate = this.opWithBody('POST /api/estimate')

  /** Calculates what the caller’s usage would have cost with another model. */
  reprice = this.opWithBody('POST /api/usage/reprice')
}
