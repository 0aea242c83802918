import type { Recipient, Split } from '../record.ts'
import { type Observation, observe } from './observe.ts'

/** What may happen to a split. */
export type Event =
  /** Its wallet can pay it. */
  | { kind: 'begin' }
  /** Its wallet cannot pay it, and nothing was sent. */
  | { kind: 'refuse'; reason: string; at: string }
  /** Payments for the recipients that lack one were signed, by the recipients' index. */
  | { kind: 'sign'; payments: ReadonlyMap<number, { nonce: number; hash: string }> }
  /** The chain was looked at, by the recipients' index. @param now epoch milliseconds */
  | { kind: 'look'; observations: ReadonlyMap<number, Observation>; now: number }
  /** It waits for something that a person can do, or not any more. */
  | { kind: 'wait'; reason: string | undefined }
  /** Nothing is left to try. */
  | { kind: 'conclude'; at: string }
  /** A person asks for the failed ones once more. */
  | { kind: 'retry' }

/** A move that the split's state does not allow. */
export class IllegalMove extends Error {
  constructor(split: Pick<Split, 'splitId' | 'status'>, event: Event['kind']) {
    super(`split ${split.splitId} is ${split.status}: it cannot ${event}`)
    this.name = 'IllegalMove'
  }
}

/** Which states of a split an event is for. */
const allowed: Readonly<Record<Event['kind'], readonly Split['status'][]>> = {
  begin: ['queued'],
  refuse: ['queued'],
  sign: ['processing'],
  look: ['processing'],
  wait: ['queued', 'processing'],
  conclude: ['processing'],
  retry: ['failed'],
}

/** Whether a recipient is to get a payment that nothing else stands for. */
export function isUnsigned({ status, nonce }: Recipient): boolean {
  return status === 'pending' && nonce === undefined
}

/** Whether nothing is left to try for now. */
export function isDecided({ recipients }: Pick<Split, 'recipients'>): boolean {
  return recipients.every(({ status }) => status === 'confirmed' || status === 'failed')
}

/**
 * The split after an event; its revision is its writer's to raise.
 * @throws IllegalMove for one that its state does not allow
 */
export function move(split: Split, event: Event): Split {
  if (!allowed[event.kind].includes(split.status)) throw new IllegalMove(split, event.kind)
  switch (event.kind) {
    case 'begin':
      return begin(split)
    case 'refuse':
      return refuse(split, event)
    case 'sign':
      return each(split, (one, index) => sign(split, one, event.payments.get(index)))
    case 'look':
      return each(split, (one, index) => {
        const observation = event.observations.get(index)
        return observation === undefined ? one : observe(one, observation, event.now)
      })
    case 'wait':
      return { ...unexplained(split), ...(event.reason !== undefined && { reason: event.reason }) }
    case 'conclude':
      return conclude(split, event.at)
    case 'retry':
      return retry(split)
  }
}

/** A part that rounds to zero is paid without a transaction: contract.md 9. */
function begin(split: Split): Split {
  const recipients = split.recipients.map((one) =>
    one.status === 'pending' && one.amount === '0' ? { ...one, status: 'confirmed' as const } : one,
  )
  return { ...unexplained(split), status: 'processing', recipients }
}

function refuse(split: Split, { reason, at }: { reason: string; at: string }): Split {
  const recipients = split.recipients.map((one) =>
    one.status === 'pending' ? { ...one, status: 'failed' as const, reason } : one,
  )
  return { ...split, status: 'failed', reason, completedAt: at, recipients }
}

function sign(
  split: Split,
  recipient: Recipient,
  payment: { nonce: number; hash: string } | undefined,
): Recipient {
  if (payment === undefined) return recipient
  if (!isUnsigned(recipient)) throw new IllegalMove(split, 'sign')
  return { ...recipient, status: 'submitted', nonce: payment.nonce, txHash: payment.hash }
}

function conclude(split: Split, at: string): Split {
  if (!isDecided(split)) throw new IllegalMove(split, 'conclude')
  const failed = split.recipients.filter(({ status }) => status === 'failed').length
  const done = { ...unexplained(split), completedAt: at }
  if (failed === 0) return { ...done, status: 'completed' }
  const reason = `${failed} of ${split.recipients.length} recipients could not be paid`
  return { ...done, status: 'failed', reason }
}

/** A reverted payment keeps its nonce until the chain will not take it back, so that it cannot pay beside a new one. */
function retry(split: Split): Split {
  const { completedAt: _, ...open } = unexplained(split)
  const recipients = split.recipients.map((one): Recipient => {
    if (one.status !== 'failed') return one
    const { reason: _reason, ...again } = one
    return { ...again, status: 'pending' }
  })
  return { ...open, status: 'queued', recipients }
}

function each(split: Split, change: (one: Recipient, index: number) => Recipient): Split {
  return { ...split, recipients: split.recipients.map(change) }
}

function unexplained({ reason: _, ...split }: Split): Split {
  return split
}
