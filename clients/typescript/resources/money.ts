import type { RequestOptions } from '../core/options.ts'
import type { BodyOf, QueryOf } from '../core/request.ts'
import { Resource } from './resource.ts'

/** Wallets of agents. */
export class Wallets extends Resource {
  /** The wallets of the caller’s agents, the newest last, with what they hold */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/wallet', {}, options, 'wallets')
  }

  /** The address of an agent’s wallet, or of the newest wallet of the caller’s agents */
  address(query?: QueryOf<'GET /api/wallet/address'>, options?: RequestOptions) {
    return this.client.call('GET /api/wallet/address', { query }, options)
  }

  /** The wallet of an agent of the caller’s; made where it has none, and 200 where it has one */
  create(body: BodyOf<'POST /api/wallet/create'>, options?: RequestOptions) {
    return this.client.once('POST /api/wallet/create', { body }, options)
  }
}

/** Wallets of agents at the custodian. */
export class Custody extends Resource {
  /** The wallets of the caller’s agents at the custodian, the newest last, with what they hold */
  list(options?: RequestOptions) {
    return this.client.call('GET /api/wallet/cdp', {}, options, 'wallets')
  }

  /** The wallet of an agent of the caller’s at the custodian; made where it has none, and 200 where it has one */
  create(body: BodyOf<'POST /api/wallet/cdp'>, options?: RequestOptions) {
    return this.client.once('POST /api/wallet/cdp', { body }, options)
  }
}

/** Bookings between agents. */
export class BookingSettlement extends Resource {
  /** What the skill booking-settlement can do */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/skills/booking-settlement', {}, options)
  }

  /** List the bookings of the caller’s agents, or pay an accepted one */
  act(body: BodyOf<'POST /api/skills/booking-settlement'>, options?: RequestOptions) {
    return this.client.once('POST /api/skills/booking-settlement', { body }, options)
  }
}

/** Payments to several recipients. */
export class InstantSplit extends Resource {
  /** What the skill instant-split can do */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/skills/instant-split', {}, options)
  }

  /** Pay several recipients from the wallet of one of the caller’s agents, or see how far it is */
  act(body: BodyOf<'POST /api/skills/instant-split'>, options?: RequestOptions) {
    return this.client.once('POST /api/skills/instant-split', { body }, options)
  }
}

/** Agents made after others. */
export class Clones extends Resource {
  /** What cloning an agent costs, and how it is paid for */
  describe(options?: RequestOptions) {
    return this.client.call('GET /api/agents/clone', {}, options)
  }

  /** Make an agent after another, paid for on the chain */
  create(body: BodyOf<'POST /api/agents/clone'>, options?: RequestOptions) {
    return this.client.once('POST /api/agents/clone', { body }, options)
  }
}

/** Answers that are paid for by x402. */
export class PaidGateway extends Resource {
  /** One answer of a model or an agent, for a caller who pays for it by x402 */
  ask(body: BodyOf<'POST /api/v1/gateway'>, options?: RequestOptions) {
    return this.client.once('POST /api/v1/gateway', { body }, options)
  }
}

/** The x402 gateway. */
export class PaymentGateway extends Resource {
  /** What the x402 gateway says of its health */
  health(options?: RequestOptions) {
    return this.client.call('GET /api/x402', {}, options)
  }

  /** Join the colony, pay, or read fitness, prices and endpoints at the x402 gateway */
  act(body: BodyOf<'POST /api/x402'>, options?: RequestOptions) {
    return this.client.once('POST /api/x402', { body }, options)
  }
}
