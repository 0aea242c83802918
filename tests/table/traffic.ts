/**
 * What 100,000 agents do in a second when they are busy: a model, by which partitions are budgeted. Six in a hundred are
 * awake (two sittings of ten minutes a day, and half an hour behind each), so that 5,700 work at once.
 */
export const agents = 100_000
const awake = 5700

/** A call of a model by each that is awake every six seconds, a turn with each every twenty-four. */
const calls = 1000
const turns = 250
/** People and programs who ask the surfaces. */
const requests = 3000
/** One look at each agent that runs, were all of them running, every two minutes. */
const looks = 833
/** As many as Fargate starts in a second, and as many ends. */
const starts = 20
/** What happens at people's own pace: they sign in, change a setting, pay, read a page of figures. */
const seldom = 5
const often = 100

/** The busiest user has as many agents as the largest plan, and all of them are awake. */
export const busiestUser = 100 / awake

export interface Rate {
  /** Rows written and read a second. */
  writes?: number
  reads?: number
  /** DynamoDB's units of one write, 1 KB each and twice that in a transaction, and of one consistent read of 4 KB. */
  writeUnits?: number
  readUnits?: number
  /** Rows written to the index and read from it; absent: as often as the row, and hardly ever. */
  indexWrites?: number
  indexReads?: number
  /** The most of it that one value of the partition key has, a part of 1; absent: what the key's template says. */
  busiest?: number
}

const each = (names: readonly string[], rate: Rate) =>
  Object.fromEntries(names.map((name) => [name, rate]))

/** One client is held to as many requests a minute by its limits, of all that are made. */
const oneClient = 20 / requests

export const rates: Readonly<Record<string, Rate>> = {
  // A call of a model: what it holds, and the transaction that settles it.
  ...each(['usage event', 'usage rollup', 'agent quota'], {
    writes: calls,
    writeUnits: 2,
    reads: often,
  }),
  'platform usage rollup': { writes: calls, writeUnits: 2, reads: often },
  'platform usage of a day': { writes: seldom, reads: seldom },
  quota: { writes: 2 * calls, writeUnits: 1.5, reads: often },
  'usage rollup of a key': { writes: calls / 4, writeUnits: 2, reads: seldom },
  'agent’s AI key': { reads: calls, writes: 2 * starts },
  ...each(['tool rollup', 'platform tool rollup'], {
    writes: calls / 4,
    writeUnits: 2,
    reads: seldom,
  }),
  'credit posting': { writes: calls / 10, writeUnits: 2, reads: seldom },
  'credit reference': { writes: calls / 10, writeUnits: 2 },

  // A turn: its question and its answer, with what counts them.
  message: { writes: 2 * turns, writeUnits: 4, reads: 4 * turns },
  ...each(['conversation', 'count of messages'], {
    writes: 2 * turns,
    writeUnits: 2,
    reads: often,
  }),
  'count of all messages': { writes: seldom, reads: often },
  turn: { writes: 3 * turns, writeUnits: 1.5, reads: calls },
  'pieces of an answer': { writes: 2 * turns, reads: seldom },
  'cancellation of a turn': { writes: seldom, reads: turns },

  // Who asks, and whom.
  'count of requests': { writes: requests, busiest: oneClient },
  ...each(['user', 'session'], { writes: often, reads: requests }),
  'API key': { writes: often, reads: requests / 2 },
  'OAuth grant': { writes: seldom, reads: requests / 4 },
  'idempotency key': { writes: 2 * often, reads: often },
  'agent’s owner': { writes: seldom, reads: often + 4 * starts },
  'agent’s subdomain': { writes: seldom, reads: requests / 2 },

  // The watchdog: a look reads the row, a change of state writes it, its copy in the index and often its watch. A tick
  // reads the watches of its minute within ten seconds, twenty a unit; a look through all rows reads a shard in that time.
  agent: {
    writes: 8 * starts + awake / 60,
    writeUnits: 4,
    reads: looks + calls + requests / 2,
    indexReads: agents / 10,
    readUnits: 1,
  },
  'agent’s watch': {
    writes: 4 * starts + awake / 60,
    writeUnits: 2,
    indexReads: agents / 2 / 10,
    readUnits: 1 / 20,
  },
  'starts of agents': { writes: starts, writeUnits: 2, reads: starts },
  ...each(['agent’s task', 'agent’s event'], { writes: 3 * starts, writeUnits: 2, reads: often }),
  'notice delivery': { writes: starts },
  'task without an agent': { writes: seldom, reads: seldom },
  // Of a pool of a hundred, each asks every twenty seconds, which is noted every five minutes; a start reads those of its
  // plan from the index.
  'warm container': {
    writes: 4 * starts + 100 / 300,
    writeUnits: 2,
    reads: 5,
    indexReads: 10 * starts,
  },
  ...each(['agent’s credentials', 'senders of an agent’s bots', 'memory note', 'installed skill'], {
    writes: often / 4,
    writeUnits: 2,
    reads: often,
  }),

  // Schedules: each agent has one an hour.
  'scheduled run': { writes: 4 * (agents / 3600), writeUnits: 2, reads: often },
  'scheduled task': { writes: 2 * (agents / 3600), writeUnits: 2, reads: often },
  'places of scheduled runs': { writes: 2 * (agents / 3600), writeUnits: 2 },

  // What agents and the platform send each other and others.
  'bus message': { writes: often, writeUnits: 2, reads: often },
  ...each(['inbox message', 'end of an inbox', 'count of sent messages', 'pair of agents'], {
    writes: often,
    writeUnits: 2,
    reads: often,
  }),
  'webhook delivery': { writes: 3 * often, writeUnits: 2, reads: often },
  'webhook endpoint': { writes: often, reads: 2 * often },
  'broker request': { writes: often, reads: seldom },
  'broker slots': { writes: 2 * often },
  'agent’s broker credentials': { writes: seldom, reads: often },
  // One partition, as all are listed: 500 open streams, each of which says four times a minute that it is there.
  'log stream': { writes: 500 / 15, reads: seldom },
  'audit entry': { writes: often, writeUnits: 2, reads: seldom },
  'audit head': { writes: often, writeUnits: 2, indexWrites: seldom, reads: often },
  ...each(['claim of a payment', 'turn with an agent for a payer'], {
    writes: 3 * seldom,
    reads: seldom,
  }),
  ...each(
    [
      'requests under way',
      'count of mails',
      'count of a mailbox’s mails',
      'entitlement',
      'restore point',
      'restore',
      'count of restored rows',
    ],
    {
      writes: 2 * seldom,
      writeUnits: 2,
      reads: seldom,
    },
  ),

  ...each(
    [
      'account’s failed sign-ins',
      'agent’s wallet',
      'amplification',
      'booking',
      'checkout session',
      'client’s failed sign-ins',
      'count of agents',
      'counts of bookings',
      'deleted agent',
      'email address',
      'event',
      'heartbeat settings',
      'inbound email',
      'installation',
      'installation’s gateway token',
      'invite code',
      'known browser’s failed sign-ins',
      'nonce of a wallet',
      'OAuth client',
      'OAuth code',
      'OAuth device',
      'OAuth device’s code',
      'OAuth request',
      'open split of a wallet',
      'order',
      'owner of a subscription',
      'payment event',
      'payment intent',
      'provider’s person',
      'referral',
      'referral code',
      'refund that is due',
      'request for a split',
      'request for an event',
      'reset link',
      'security event seen',
      'sender of emails',
      'sequence',
      'sign-in method',
      'sign-in nonce',
      'sign-in permission',
      'sign-in wallet',
      'signed payment',
      'skill installs',
      'sold tickets',
      'spend alerts',
      'split',
      'streaming event',
      'subscription at the provider',
      'swarm',
      'ticket',
      'unwanted subscription',
      'user’s booking',
      'user’s split',
      'user’s wallet',
      'verification link',
      'video',
      'video usage event',
      'wallet',
      'wallet at the custodian',
      'wallet’s key',
      'work on a wallet’s payments',
      'wrong device codes',
    ],
    { writes: seldom, writeUnits: 2, reads: 2 * seldom },
  ),
}
