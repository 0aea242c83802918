import type { Recipient, Split } from '../record.ts'
import { type Observation, applyObservation } from './observe.ts'

export type SplitEvent =
  /** The wallet can pay the split. */
  | { kind: 'begin' }
  /** The wallet cannot pay the split, and nothing was sent. */
  | { kind: 'refuse'; reason: string; at: string }
  /** Payments were signed for recipients that had no payment, by the recipients' index. */
  | { kind: 'sign'; payments: ReadonlyMap<number, { nonce: number; hash: string }> }
  /**
   * The chain was observed, by the recipients' index.
   * @param now epoch milliseconds
   */
  | { kind: 'look'; observations: ReadonlyMap<number, Observation>; now: number }
  /** The split starts or stops to wait for an action of a person, such as a deposit. */
  | { kind: 'wait'; reason: string | undefined }
  /** No attempt is left. */
  | { kind: 'conclude'; at: string }
  /** A person retries the failed recipients. */
  | { kind: 'retry' }

/** Thrown if the split's state does not allow the event. */
export class IllegalSplitMove extends Error {
  constructor(split: Pick<Split, 'splitId' | 'status'>, event: SplitEvent['kind']) {
    super(`split ${split.splitId} is ${split.status}: it cannot ${event}`)
    this.name = 'IllegalSplitMove'
  }
}

/** The allowed states of each event. */
const allowed: Readonly<Record<SplitEvent['kind'], readonly Split['status'][]>> = {
  begin: ['queued'],
  refuse: ['queued'],
  sign: ['processing'],
  look: ['processing'],
  wait: ['queued', 'processing'],
  conclude: ['processing'],
  retry: ['failed'],
}

/** Reports whether a recipient needs a payment, but has no payment. */
export function isUnsigned({ status, nonce }: Recipient): boolean {
  return status === 'pending' && nonce === undefined
}

/** Reports whether every recipient is paid or has failed. */
export function isDecided({ recipients }: Pick<Split, 'recipients'>): boolean {
  return recipients.every(({ status }) => status === 'confirmed' || status === 'failed')
}

/**
 * Returns the split after an event. The writer increases `revision`.
 * @throws IllegalSplitMove if the state does not allow the event
 */
export function moveSplit(split: Split, event: SplitEvent): Split {
  if (!allowed[event.kind].includes(split.status)) throw new IllegalSplitMove(split, event.kind)
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
        return observation === undefined ? one : applyObservation(one, observation, event.now)
      })
    case 'wait':
      return { ...unexplained(split), ...(event.reason !== undefined && { reason: event.reason }) }
    case 'conclude':
      return conclude(split, event.at)
    case 'retry':
      return retry(split)
  }
}

/** An amount that rounds to zero needs no transaction: contract.md 9. */
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
  if (!isUnsigned(recipient)) throw new IllegalSplitMove(split, 'sign')
  return { ...recipient, status: 'submitted', nonce: payment.nonce, txHash: payment.hash }
}

function conclude(split: Split, at: string): Split {
  if (!isDecided(split)) throw new IllegalSplitMove(split, 'conclude')
  const failed = split.recipients.filter(({ status }) => status === 'failed').length
  const done = { ...unexplained(split), completedAt: at }
  if (failed === 0) return { ...done, status: 'completed' }
  const reason = `${failed} of ${split.recipients.length} recipients could not be paid`
  return { ...done, status: 'failed', reason }
}

/** A reverted payment keeps its nonce until it is final, so that it can never pay in addition to a new one. */
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
