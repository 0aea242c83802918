import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  type SplitWorld,
  newAddress,
  recipients,
  startSplits,
} from '#tests/support/network/splits.ts'

let world: SplitWorld

beforeAll(async () => {
  world = await startSplits()
})
afterAll(() => world.close())

it('pays one recipient', async () => {
  const payer = await world.newPayer()
  const to = newAddress()
  const splitId = await world.create(payer, {
    totalAmount: '12.5',
    recipients: [{ address: to.toLowerCase(), share: 100 }],
  })
  expect(await world.split(splitId)).toEqual({
    splitId,
    status: 'queued',
    name: 'Royalties',
    totalAmount: '12.5',
    currency: 'USDC',
    reason: null,
    createdAt: expect.any(String),
    completedAt: null,
    recipients: [
      {
        address: to,
        share: 100,
        amount: '12.500000',
        status: 'pending',
        txHash: null,
        reason: null,
      },
    ],
  })
  await world.next()
  const [submitted] = (await world.split(splitId)).recipients
  expect(submitted).toMatchObject({ status: 'submitted', txHash: expect.stringMatching(/^0x/) })
  const { status, completedAt, recipients: paid } = await world.until(splitId)
  expect({ status, completedAt }).toEqual({ status: 'completed', completedAt: expect.any(String) })
  expect(paid).toMatchObject([{ status: 'confirmed', txHash: submitted?.txHash }])
  expect(await world.balance(to)).toBe(12_500_000n)
})

it('accepts a share extremely close to zero, and skips its recipient', async () => {
  const payer = await world.newPayer()
  const [first = '', second = ''] = [newAddress(), newAddress()]
  const splitId = await world.create(payer, {
    totalAmount: '1',
    recipients: [
      { address: first, share: 100 },
      { address: second, share: 5e-324 },
    ],
  })
  expect((await world.until(splitId)).recipients).toMatchObject([
    { address: first, amount: '1.000000', status: 'confirmed' },
    { address: second, amount: '0.000000', status: 'confirmed', txHash: null },
  ])
})

it('pays fifty recipients to the micro-USDC, and skips one whose part rounds to zero', async () => {
  const payer = await world.newPayer()
  const many = recipients(50)
  const splitId = await world.create(payer, { totalAmount: '0.000049', recipients: many })
  const { recipients: paid } = await world.until(splitId)
  const zero = paid.find(({ amount }) => amount === '0.000000')
  expect(zero).toMatchObject({ status: 'confirmed', txHash: null })
  let sum = 0n
  for (const { address, amount } of paid) {
    const balance = await world.balance(address)
    expect(balance).toBe(BigInt(amount.replace('0.', '')))
    sum += balance
  }
  expect(sum).toBe(49n)
})
