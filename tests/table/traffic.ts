/**
 * A model of the traffic per second of 100,000 agents at busy times, which budgets the partitions. 6% are awake (two
 * sessions of ten minutes a day, each followed by half an hour awake), so about 5,700 agents work at the same time.
 */
export const agents = 100_000
const awake = 5700

/** Each awake agent calls a model every six seconds, and runs a turn every 24 seconds. */
const calls = 1000
const turns = 250
/** Requests of users and programs to the surfaces. */
const requests = 3000
/** One check of each agent every two minutes, if all of them were running. */
const looks = 833
/** Fargate's maximum rate of starting tasks, and the same rate of ends. */
const starts = 20
/** Actions of users: sign-ins, changes of settings, payments, pages of figures. */
const seldom = 5
const often = 100

/** The busiest user has the largest plan's number of agents, all of them awake. */
export const busiestUser = 100 / awake

export interface Rate {
  /** Rows written and read per second. */
  writes?: number
  reads?: number
  /** DynamoDB's units of one write (1 KB each, doubled in a transaction) and of one consistent read (4 KB each). */
  writeUnits?: number
  readUnits?: number
  /** Rows written to the index and read from it. Default: as many writes as the row has, and almost no reads. */
  indexWrites?: number
  indexReads?: number
  /** The largest share of one value of the partition key, from 0 to 1. Default: derived from the key's template. */
  busiest?: number
}

const each = (names: readonly string[], rate: Rate) =>
  Object.fromEntries(names.map((name) => [name, rate]))

/** A client's share at most: its limits allow only this many requests per minute. */
const oneClient = 20 / requests

export const rates: Readonly<Record<string, Rate>> = {
  // A call of a model: its hold, and the transaction that settles it.
  ...each(['usage event', 'usage rollup', 'agent quota'], {
    writes: calls,
    writeUnits: 2,
    reads: often,
  }),
  'platform usage rollup': { writes: calls, writeUnits: 2, reads: often },
  'platform usage of a day': { writes: seldom, reads: seldom },
  quota: { writes: 2 * calls, writeUnits: 1.5, reads: often },
  'usage rollup of a key': { writes: calls / 4, writeUnits: 2, reads: seldom },
  'spend of a period': { writes: calls / 2, writeUnits: 2, reads: seldom },
  'agent’s AI key': { reads: calls, writes: 2 * starts },
  ...each(['tool rollup', 'platform tool rollup'], {
    writes: calls / 4,
    writeUnits: 2,
    reads: seldom,
  }),
  'credit posting': { writes: calls / 10, writeUnits: 2, reads: seldom },
  'credit reference': { writes: calls / 10, writeUnits: 2 },

  // A turn: its question and its answer, with their counters.
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

  // Counters of requests by caller and by target.
  'count of requests': { writes: requests, busiest: oneClient },
  ...each(['user', 'session'], { writes: often, reads: requests }),
  'API key': { writes: often, reads: requests / 2 },
  'OAuth grant': { writes: seldom, reads: requests / 4 },
  'idempotency key': { writes: 2 * often, reads: often },
  'agent’s owner': { writes: seldom, reads: often + 4 * starts },
  'agent’s subdomain': { writes: seldom, reads: requests / 2 },

  // The watchdog: a check reads the row; a change of state writes the row, its copy in the index, and often its watch.
  // A tick reads the watches of its minute within ten seconds, twenty per unit. A sweep through all rows reads one
  // shard in the same time.
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
  // A look reads it; one that finds a megabyte more writes it.
  'traffic of an agent': { writes: looks / 4, writeUnits: 3, reads: looks, indexWrites: seldom },
  'starts of agents': { writes: starts, writeUnits: 2, reads: starts },
  ...each(['agent’s task', 'agent’s event'], { writes: 3 * starts, writeUnits: 2, reads: often }),
  'notice delivery': { writes: starts },
  'task without an agent': { writes: seldom, reads: seldom },
  // In a pool of a hundred, each container polls every twenty seconds, and its row is written every five minutes. A
  // start reads the containers of its plan from the index.
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

  // Schedules: each agent runs one task per hour.
  'scheduled run': { writes: 4 * (agents / 3600), writeUnits: 2, reads: often },
  'scheduled task': { writes: 2 * (agents / 3600), writeUnits: 2, reads: often },
  'places of scheduled runs': { writes: 2 * (agents / 3600), writeUnits: 2 },

  // Messages between agents, and between agents and the platform.
  'bus message': { writes: often, writeUnits: 2, reads: often },
  ...each(['inbox message', 'end of an inbox', 'count of sent messages', 'pair of agents'], {
    writes: often,
    writeUnits: 2,
    reads: often,
  }),
  'webhook delivery': { writes: 3 * often, writeUnits: 2, reads: often },
  'webhook endpoint': { writes: often, reads: 2 * often },
  // Few agents have a policy of their own; each of their effects reads it.
  'agent’s policy': { writes: seldom, reads: often },
  'uses of a policy’s rule': { writes: often },
  channel: { writes: seldom, reads: often },
  ...each(
    [
      'received channel event',
      'waiting channel event',
      'channel chat',
      'channel outbox',
      'waiting channel part',
      'channel delivery',
      'channel senders',
    ],
    { writes: 2 * often, reads: often },
  ),
  'channel locator': { writes: seldom, reads: often },
  'polled channel': { writes: seldom, reads: seldom },
  'channel tear-down': { writes: seldom, reads: seldom },
  'channel count': { writes: seldom, reads: seldom },
  'broker request': { writes: often, reads: seldom },
  'connection request': { writes: often, reads: seldom },
  connection: { writes: seldom, reads: often },
  'revocation of a connection’s tokens': { writes: seldom, reads: seldom },
  'broker slots': { writes: 2 * often },
  'agent’s broker credentials': { writes: seldom, reads: often },
  // One partition, because all of them are listed: 500 open streams, each with a heartbeat four times a minute.
  'log stream': { writes: 500 / 15, reads: seldom },
  'audit entry': { writes: often, writeUnits: 2, reads: seldom },
  'audit head': { writes: often, writeUnits: 2, indexWrites: seldom, reads: often },
  ...each(['claim of a payment', 'sale of an answer', 'turn with an agent for a payer'], {
    writes: 3 * seldom,
    reads: seldom,
  }),
  'payer who has paid': { writes: seldom, reads: seldom },
  // A payment of an agent: its hold, its sending, its answer, and a check that settles it.
  'agent’s payment': { writes: 5 * seldom, writeUnits: 3, reads: 3 * seldom, indexReads: seldom },
  ...each(
    [
      'agents’ payments of a day',
      'withdrawal',
      'agent’s mandate',
      'request for an agent’s payment',
      'use of an agent’s mandate',
    ],
    { writes: seldom, writeUnits: 2, reads: 2 * seldom },
  ),
  // An awake agent that writes files commits once a minute; half of them do.
  'files of an agent': {
    writes: awake / 120,
    writeUnits: 2,
    reads: often,
    indexWrites: awake / 120,
    indexReads: seldom,
  },
  'use of storage': { writes: awake / 120, writeUnits: 2, reads: often },
  ...each(['upload of a file', 'pinned root of files'], {
    writes: 2 * seldom,
    writeUnits: 2,
    reads: seldom,
  }),
  ...each(
    [
      'requests under way',
      'count of mails',
      'count of a mailbox’s mails',
      'count of an asker’s mails',
      'entitlement',
      'export of an agent',
      'import of an agent',
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
      'approval',
      'booking',
      'checkout session',
      'client’s failed sign-ins',
      'connection’s tools',
      'number of connections',
      'count of agents',
      'count of pending approvals',
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
      'known browsers’ failed sign-ins',
      'mail about approvals',
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
      'request of an approval',
      'reset link',
      'security event seen',
      'sender of emails',
      'sequence',
      'sign-in method',
      'sign-in nonce',
      'sign-in of a connection',
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
      'turn about an approval',
      'unwanted subscription',
      'user’s booking',
      'user’s split',
      'user’s wallet',
      'verification link',
      'video',
      'video usage event',
      'waiting request',
      'wallet',
      'wallet at the custodian',
      'wallet’s key',
      'work on a wallet’s payments',
      'wrong device codes',
    ],
    { writes: seldom, writeUnits: 2, reads: 2 * seldom },
  ),
}
