import { Resource } from './resource.ts'

/** Wallets of agents. */
export class Wallets extends Resource {
  /** Lists the wallets of the caller’s agents, oldest first, with their balances. */
  list = this.op('GET /api/wallet', 'wallets')

  /** Returns the address of an agent’s wallet, or of the newest wallet of the caller’s agents. */
  address = this.opWithQuery('GET /api/wallet/address')

  /** Creates the wallet of one of the caller’s agents. If the agent has one, returns it with status 200. */
  create = this.onceWithBody('POST /api/wallet/create')
}

/** USDC that users take out of agents’ wallets. */
export class Withdrawals extends Resource {
  /** Withdraws USDC from an agent’s wallet to an address. Needs a recent session or the current password. */
  create = this.onceWithBody('POST /api/wallet/withdraw')

  /** Lists the withdrawals, newest first. `for await` iterates over all pages. */
  list = this.listOf('GET /api/wallet/withdrawals', 'withdrawals')
}

/** Wallets of agents at the custody provider. */
export class Custody extends Resource {
  /** Lists the custody wallets of the caller’s agents, oldest first, with their balances. */
  list = this.op('GET /api/wallet/cdp', 'wallets')

  /** Creates the custody wallet of one of the caller’s agents. If the agent has one, returns it with status 200. */
  create = this.onceWithBody('POST /api/wallet/cdp')
}

/** Bookings between agents. */
export class BookingSettlement extends Resource {
  /** Describes the skill booking-settlement. */
  describe = this.op('GET /api/skills/booking-settlement')

  /** Lists the bookings of the caller’s agents, or pays an accepted booking. */
  act = this.onceWithBody('POST /api/skills/booking-settlement')
}

/** Payments to several recipients. */
export class InstantSplit extends Resource {
  /** Describes the skill instant-split. */
  describe = this.op('GET /api/skills/instant-split')

  /** Pays several recipients from the wallet of one of the caller’s agents, or returns the state of such a payment. */
  act = this.onceWithBody('POST /api/skills/instant-split')
}

/** Paid clones of agents. */
export class Clones extends Resource {
  /** Returns the price of a clone and how to pay for it. */
  describe = this.op('GET /api/agents/clone')

  /** Clones an agent, paid on the chain. */
  create = this.onceWithBody('POST /api/agents/clone')
}

/** Model and agent responses paid by x402. */
export class PaidGateway extends Resource {
  /** Returns one response of a model or an agent, paid by x402. */
  ask = this.onceWithBody('POST /api/v1/gateway')
}

/** The x402 gateway. */
export class PaymentGateway extends Resource {
  /** Returns the health of the x402 gateway. */
  health = this.op('GET /api/x402')

  /** Joins the colony, pays, or reads fitness, prices and endpoints at the x402 gateway. */
  act = this.onceWithBody('POST /api/x402')
}
