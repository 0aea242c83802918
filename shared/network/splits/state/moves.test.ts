import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { recipientStatuses, type Recipient, type Split, splitStatuses } from '../record.ts'
import { type SplitEvent, IllegalSplitMove, moveSplit } from './moves.ts'

const recipient: fc.Arbitrary<Recipient> = fc.record(
  {
    address: fc.constant('0x1'),
    share: fc.constant(1),
    amount: fc.constantFrom('0', '5'),
    status: fc.constantFrom(...recipientStatuses),
    nonce: fc.nat(3),
  },
  { requiredKeys: ['address', 'share', 'amount', 'status'] },
)

const anySplit: fc.Arbitrary<Split> = fc.record({
  splitId: fc.constant(1),
  userId: fc.constant('usr_1'),
  agentId: fc.constant('agt_1'),
  chainId: fc.constant(1),
  token: fc.constant('0x'),
  fromAddress: fc.constant('0x'),
  name: fc.constant('a split'),
  totalAmount: fc.constant('1'),
  status: fc.constantFrom(...splitStatuses),
  createdAt: fc.constant(''),
  revision: fc.constant(0),
  recipients: fc.array(recipient, { minLength: 1, maxLength: 4 }),
})

/** The transitions of contract.md 9, stated independently: each event with its source states and targets. */
const rules: Record<
  SplitEvent['kind'],
  Partial<Record<Split['status'], readonly Split['status'][]>>
> = {
  begin: { queued: ['processing'] },
  refuse: { queued: ['failed'] },
  sign: { processing: ['processing'] },
  look: { processing: ['processing'] },
  wait: { queued: ['queued'], processing: ['processing'] },
  conclude: { processing: ['completed', 'failed'] },
  retry: { failed: ['queued'] },
}

const event: fc.Arbitrary<SplitEvent> = fc.oneof(
  fc.constant<SplitEvent>({ kind: 'begin' }),
  fc.constant<SplitEvent>({ kind: 'refuse', reason: 'no', at: 'now' }),
  fc.nat(4).map((i): SplitEvent => ({
    kind: 'sign',
    payments: new Map([[i, { nonce: 7, hash: '0x7' }]]),
  })),
  fc
    .record({ i: fc.nat(4), paid: fc.boolean(), depth: fc.integer({ min: 1, max: 9 }) })
    .map(({ i, paid, depth }): SplitEvent => ({
      kind: 'look',
      now: 0,
      observations: new Map([
        [i, { kind: 'mined', hash: '0x7', paid, block: 'b', depth, final: true }],
      ]),
    })),
  fc.constant<SplitEvent>({ kind: 'wait', reason: 'gas' }),
  fc.constant<SplitEvent>({ kind: 'conclude', at: 'now' }),
  fc.constant<SplitEvent>({ kind: 'retry' }),
)

function tryMove(split: Split, one: SplitEvent): Split | undefined {
  try {
    return moveSplit(split, one)
  } catch (error) {
    if (error instanceof IllegalSplitMove) return undefined
    throw error
  }
}

describe('a split’s moves', () => {
  it('follow the contract, and leave no final state', () => {
    fc.assert(
      fc.property(anySplit, event, (split, one) => {
        const after = tryMove(split, one)
        const targets = rules[one.kind][split.status]
        if (after === undefined) {
          const refusable = ['sign', 'conclude'].includes(one.kind)
          expect(targets === undefined || refusable).toBe(true)
        } else expect(targets).toContain(after.status)
      }),
      { numRuns: 1000 },
    )
  })

  it('change no recipient’s address or amount, and no confirmed recipient', () => {
    fc.assert(
      fc.property(anySplit, event, (split, one) => {
        const after = tryMove(split, one) ?? split
        expect(after.recipients).toHaveLength(split.recipients.length)
        for (const [i, before] of split.recipients.entries()) {
          const { address, amount, share } = before
          expect(after.recipients[i]).toMatchObject({ address, amount, share })
          if (before.status === 'confirmed') expect(after.recipients[i]).toEqual(before)
        }
      }),
      { numRuns: 1000 },
    )
  })

  it('end a split only after every recipient is paid or has failed', () => {
    fc.assert(
      fc.property(anySplit, (split) => {
        const processing: Split = { ...split, status: 'processing' }
        const statuses = split.recipients.map(({ status }) => status)
        const open = statuses.some((status) => status === 'pending' || status === 'submitted')
        const end = statuses.includes('failed') ? 'failed' : 'completed'
        const after = tryMove(processing, { kind: 'conclude', at: 'now' })
        expect(after?.status).toBe(open ? undefined : end)
      }),
    )
  })

  it('create no second payment for a recipient', () => {
    fc.assert(
      fc.property(anySplit, fc.nat(3), (split, i) => {
        const processing: Split = { ...split, status: 'processing' }
        const before = split.recipients[i]
        const payments = new Map([[i, { nonce: 9, hash: '0x9' }]])
        const after = tryMove(processing, { kind: 'sign', payments })?.recipients[i]
        const free = before?.status === 'pending' && before.nonce === undefined
        expect(after?.nonce === 9).toBe(free)
      }),
    )
  })
})
