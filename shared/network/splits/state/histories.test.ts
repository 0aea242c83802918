import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Split } from '../record.ts'
import { isDecided, isUnsigned, moveSplit } from './moves.ts'
import { type Observation, settledBlocks } from './observe.ts'

/** A nonce of the wallet that a transaction of the platform or another transaction used. */
interface Mined {
  nonce: number
  hash: string | undefined
  index: number
  paid: boolean
}

/** The index of a transaction that pays no recipient. */
const nothing = -1

/**
 * A hostile chain: it includes any signed bytes, reverts transfers at will, reorganises blocks that are not final, and
 * lets other transactions use the wallet's nonces. Each block contains at most one transaction.
 */
class World {
  split: Split
  readonly signed: { nonce: number; index: number; hash: string }[] = []
  blocks: { id: number; tx: Mined | undefined }[] = []
  finalBlocks = 0
  #ids = 0
  #nonces = 0
  now = 0

  constructor(amounts: readonly string[]) {
    this.split = {
      splitId: 1,
      userId: 'usr_1',
      agentId: 'agt_1',
      chainId: 1,
      token: '0x',
      fromAddress: '0x',
      name: 'a split',
      totalAmount: '1',
      status: 'queued',
      createdAt: '',
      revision: 0,
      recipients: amounts.map((amount, i) => ({
        address: `0x${i}`,
        share: 1,
        amount,
        status: 'pending',
      })),
    }
  }

  used(): Mined[] {
    return this.blocks.flatMap(({ tx }) => (tx === undefined ? [] : [tx]))
  }

  payments(index: number): Mined[] {
    return this.used().filter((tx) => tx.index === index && tx.paid)
  }

  /** The settled nonces: after a reorganisation, the chain includes the same bytes with the same result. */
  readonly settled = new Set<number>()

  mine(pick: number, paid: boolean, foreign: boolean): void {
    const nonce = this.used().length
    const tries = this.signed.filter((one) => one.nonce === nonce)
    const one = tries[pick % Math.max(1, tries.length)]
    const again = this.settled.has(nonce)
    if (foreign && !again) this.#block({ nonce, hash: undefined, index: nothing, paid: false })
    else if (one === undefined) this.#block(undefined)
    else this.#block({ ...one, paid: paid || again })
  }

  #block(tx: Mined | undefined): void {
    this.blocks.push({ id: ++this.#ids, tx })
    for (const { tx: deep } of this.blocks.slice(0, 1 - settledBlocks))
      if (deep?.paid) this.settled.add(deep.nonce)
  }

  reorganise(depth: number): void {
    this.blocks = this.blocks.slice(0, Math.max(this.finalBlocks, this.blocks.length - depth))
  }

  finalise(count: number): void {
    this.finalBlocks = Math.min(this.blocks.length, this.finalBlocks + count)
  }

  observe(nonce: number): Observation {
    let seen = -1
    const at = this.blocks.findIndex(({ tx }) => tx !== undefined && ++seen === nonce)
    const block = this.blocks[at]
    if (block?.tx === undefined) {
      const newest = this.signed.findLast((one) => one.nonce === nonce)
      return { kind: 'unused', hash: newest?.hash ?? '' }
    }
    const place = {
      block: String(block.id),
      depth: this.blocks.length - at,
      final: at < this.finalBlocks,
    }
    const { hash, paid } = block.tx
    return hash === undefined
      ? { kind: 'taken', ...place }
      : { kind: 'mined', hash, paid, ...place }
  }

  /** Runs one step of the job, as on a real chain. */
  step(funded: boolean): void {
    this.#fillGaps()
    const { split } = this
    if (split.status === 'queued') {
      this.split = moveSplit(
        split,
        funded ? { kind: 'begin' } : { kind: 'refuse', reason: 'no funds', at: 'now' },
      )
      return
    }
    if (split.status !== 'processing') return
    const observations = new Map<number, Observation>()
    for (const [index, { nonce }] of split.recipients.entries())
      if (nonce !== undefined) observations.set(index, this.observe(nonce))
    this.split = moveSplit(split, { kind: 'look', observations, now: this.now })
    const payments = new Map<number, { nonce: number; hash: string }>()
    for (const [index, recipient] of this.split.recipients.entries()) {
      if (!isUnsigned(recipient)) continue
      const nonce = Math.max(this.#nonces, this.used().length)
      this.#nonces = nonce + 1
      payments.set(index, { nonce, hash: this.#sign(nonce, index) })
    }
    if (payments.size > 0) this.split = moveSplit(this.split, { kind: 'sign', payments })
    if (isDecided(this.split)) this.split = moveSplit(this.split, { kind: 'conclude', at: 'now' })
  }

  /** Fills nonces that other transactions used in reorganised blocks: later payments wait for them. */
  #fillGaps(): void {
    for (let nonce = this.used().length; nonce < this.#nonces; nonce++)
      if (!this.signed.some((one) => one.nonce === nonce)) this.#sign(nonce, nothing)
  }

  replace(): void {
    const { split } = this
    if (split.status !== 'processing') return
    const waiting = split.recipients.findIndex(({ status }) => status === 'submitted')
    const nonce = split.recipients[waiting]?.nonce
    if (nonce === undefined) return
    this.#sign(nonce, waiting)
  }

  retry(): void {
    if (this.split.status === 'failed') this.split = moveSplit(this.split, { kind: 'retry' })
  }

  #sign(nonce: number, index: number): string {
    const hash = `0x${this.signed.length}`
    this.signed.push({ nonce, index, hash })
    return hash
  }
}

const command = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant('step' as const), funded: fc.boolean() }) },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant('mine' as const),
      pick: fc.nat(3),
      paid: fc.boolean(),
      foreign: fc.nat(9).map((n) => n === 0),
    }),
  },
  fc.record({ do: fc.constant('reorganise' as const), depth: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('finalise' as const), count: fc.integer({ min: 1, max: 9 }) }),
  fc.record({ do: fc.constant('replace' as const) }),
  fc.record({ do: fc.constant('retry' as const) }),
)

function carryOut(
  world: World,
  commands: readonly (typeof command extends fc.Arbitrary<infer C> ? C : never)[],
) {
  for (const one of commands) {
    if (one.do === 'step') world.step(one.funded)
    else if (one.do === 'mine') world.mine(one.pick, one.paid, one.foreign)
    else if (one.do === 'reorganise') world.reorganise(one.depth)
    else if (one.do === 'finalise') world.finalise(one.count)
    else if (one.do === 'replace') world.replace()
    else world.retry()
    for (const [index] of world.split.recipients.entries())
      expect(world.payments(index).length, `payments of ${index}`).toBeLessThan(2)
  }
}

const amounts = fc.array(fc.constantFrom('0', '1', '7'), { minLength: 1, maxLength: 4 })
const history = fc.array(command, { maxLength: 120, size: 'max' })

describe('a split on a hostile chain', () => {
  it('never pays a recipient twice', () => {
    fc.assert(
      fc.property(amounts, history, (given, commands) => {
        carryOut(new World(given), commands)
      }),
      { numRuns: 500 },
    )
  })

  it('ends with every recipient paid once, when the chain and the wallet work again', () => {
    fc.assert(
      fc.property(amounts, history, (given, commands) => {
        const world = new World(given)
        carryOut(world, commands)
        // Payments that were reorganised after the split's end are sent again too.
        for (let round = 0; round < 40; round++) {
          world.retry()
          world.step(true)
          world.mine(0, true, false)
          world.finalise(world.blocks.length)
        }
        expect(world.split.status).toBe('completed')
        for (const [index, { amount }] of world.split.recipients.entries())
          expect(world.payments(index)).toHaveLength(amount === '0' ? 0 : 1)
      }),
      { numRuns: 200 },
    )
  })
})
