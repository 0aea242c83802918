import { Resource } from './resource.ts'

/** Wallets of agents. */
export class Wallets extends Resource {
  /** The wallets of the caller’s agents, the newest last, with what they hold */
  list = this.op('GET /api/wallet', 'wallets')

  /** The address of an agent’s wallet, or of the newest wallet of the caller’s agents */
  address = this.opWithQuery('GET /api/wallet/address')

  /** The wallet of an agent of the caller’s; made where it has none, and 200 where it has one */
  create = this.onceWithBody('POST /api/wallet/create')
}

/** Wallets of agents at the custodian. */
export class Custody extends Resource {
  /** The wallets of the caller’s agents at the custodian, the newest last, with what they hold */
  list = this.op('GET /api/wallet/cdp', 'wallets')

  /** The wallet of an agent of the caller’s at the custodian; made where it has none, and 200 where it has one */
  create = this.onceWithBody('POST /api/wallet/cdp')
}

/** Bookings between agents. */
export class BookingSettlement extends Resource {
  /** What the skill booking-settlement can do */
  describe = this.op('GET /api/skills/booking-settlement')

  /** List the bookings of the caller’s agents, or pay an accepted one */
  act = this.onceWithBody('POST /api/skills/booking-settlement')
}

/** Payments to several recipients. */
export class InstantSplit extends Resource {
  /** What the skill instant-split can do */
  describe = this.op('GET /api/skills/instant-split')

  /** Pay several recipients from the wallet of one of the caller’s agents, or see how far it is */
  act = this.onceWithBody('POST /api/skills/instant-split')
}

/** Agents made after others. */
export class Clones extends Resource {
  /** What cloning an agent costs, and how it is paid for */
  describe = this.op('GET /api/agents/clone')

  /** Make an agent after another, paid for on the chain */
  create = this.onceWithBody('POST /api/agents/clone')
}

/** Answers that are paid for by x402. */
export class PaidGateway extends Resource {
  /** One answer of a model or an agent, for a caller who pays for it by x402 */
  ask = this.onceWithBody('POST /api/v1/gateway')
}

/** The x402 gateway. */
export class PaymentGateway extends Resource {
  /** What the x402 gateway says of its health */
  health = this.op('GET /api/x402')

  /** Join the colony, pay, or read fitness, prices and endpoints at the x402 gateway */
  act = this.onceWithBody('POST /api/x402')
}
