import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** What the caller’s agents used and cost. */
export class Usage extends Resource {
  /** What the caller’s agents cost, by agent, day and model */
  cost(query?: QueryOf<'GET /api/dashboard/cost'>, options?: RequestOptions) {
    return this.client.call('GET /api/dashboard/cost', { query }, options)
  }

  /** Figures of the caller’s agents, messages and calls */
  metrics(options?: RequestOptions) {
    return this.client.call('GET /api/metrics', {}, options, 'metrics')
  }

  /** Write one test row of usage; where the platform is deployed, for administrators only */
  writeTest(options?: RequestOptions) {
    return this.client.call('POST /api/test-usage', {}, options)
  }

  /** The caller’s usage by agent */
  byAgent(query?: QueryOf<'GET /api/usage/by-agent'>, options?: RequestOptions) {
    return this.client.call('GET /api/usage/by-agent', { query }, options, 'data')
  }

  /** The caller’s usage by the API key that asked; a deleted key keeps its row */
  byKey(query?: QueryOf<'GET /api/usage/by-key'>, options?: RequestOptions) {
    return this.client.call('GET /api/usage/by-key', { query }, options, 'data')
  }

  /** The caller’s usage by model */
  byModel(query?: QueryOf<'GET /api/usage/by-model'>, options?: RequestOptions) {
    return this.client.call('GET /api/usage/by-model', { query }, options, 'data')
  }

  /** The caller’s usage by day */
  daily(query?: QueryOf<'GET /api/usage/daily'>, options?: RequestOptions) {
    return this.client.call('GET /api/usage/daily', { query }, options, 'data')
  }

  /** Tool calls of the caller’s agents by the tool’s name */
  tools(query?: QueryOf<'GET /api/usage/tools'>, options?: RequestOptions) {
    return this.client.call('GET /api/usage/tools', { query }, options, 'data')
  }
}

/** All of the caller’s agents at once. */
export class Fleet extends Resource {
  /** The newest hundred bookings in which the caller’s agents take part, newest first */
  bookings(options?: RequestOptions) {
    return this.client.call('GET /api/mission-control/fleet/bookings', {}, options, 'bookings')
  }

  /** What each of the caller’s agents has cost in this month, in UTC */
  costs(options?: RequestOptions) {
    return this.client.call('GET /api/mission-control/fleet/costs', {}, options)
  }

  /** The caller’s agents, and which of them wrote to each other in the last 30 days */
  graph(options?: RequestOptions) {
    return this.client.call('GET /api/mission-control/fleet/graph', {}, options)
  }

  /** The last twenty turns of the caller’s agents, newest first */
  traces(options?: RequestOptions) {
    return this.client.call('GET /api/mission-control/fleet/traces', {}, options)
  }
}

/** The caller’s agents and their clones. */
export class Colony extends Resource {
  /** The caller’s agents and their clones: as a tree, by fitness, or counted */
  status(query?: QueryOf<'GET /api/colony/status'>, options?: RequestOptions) {
    return this.client.call('GET /api/colony/status', { query }, options)
  }
}

/** What calls would cost. */
export class Estimates extends Resource {
  /** What a call, and a month of them, would cost */
  estimate(body: BodyOf<'POST /api/estimate'>, options?: RequestOptions) {
    return this.client.call('POST /api/estimate', { body }, options)
  }

  /** What the caller’s usage would have cost with another model */
  reprice(body: BodyOf<'POST /api/usage/reprice'>, options?: RequestOptions) {
    return this.client.call('POST /api/usage/reprice', { body }, options)
  }
}
