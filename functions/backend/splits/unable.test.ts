import { toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { type SplitSteps, stepsOf } from '#tests/support/network/split-steps.ts'
import { recipients, type SplitWorld, startSplits } from '#tests/support/network/splits.ts'

let world: SplitWorld
let steps: SplitSteps
const lines: string[] = []

beforeAll(async () => {
  world = await startSplits()
  steps = stepsOf(world)
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
beforeEach(async () => {
  world.sent.length = 0
  await steps.automine(true)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

describe('a wallet that cannot pay', () => {
  it('fails the split before any payment, and pays once it can', async () => {
    const payer = await world.newPayer({ micro: 2_999_999n })
    const to = recipients(3)
    const splitId = await world.create(payer, { totalAmount: '3', recipients: to })
    const failed = await world.until(splitId)
    const reason = 'The wallet has 2.999999 USDC, and the split needs 3'
    expect(failed).toMatchObject({ status: 'failed', reason, completedAt: expect.any(String) })
    expect(failed.recipients).toMatchObject(
      to.map(() => ({ status: 'failed', txHash: null, reason })),
    )
    expect(await world.count(payer.address)).toBe(0)
    await world.onToken('mint', [payer.address, 1n])
    expect(await world.retry(splitId)).toMatchObject({ status: 200 })
    expect(await world.until(splitId)).toMatchObject({ status: 'completed', reason: null })
    await steps.expectPaid(to.map(({ address }) => address))
  })

  it('a wallet that cannot pay for two splits does not start the second with the money of the first', async () => {
    const payer = await world.newPayer({ micro: 2_000_000n })
    const first = await world.create(payer, { totalAmount: '3', recipients: recipients(1) })
    expect(await world.until(first)).toMatchObject({ status: 'failed' })
    await world.onToken('mint', [payer.address, 1_000_000n])
    await steps.automine(false)
    const second = await world.create(payer, { totalAmount: '2', recipients: recipients(1) })
    while ((await world.split(second)).status === 'queued') await world.next()
    await world.retry(first)
    const wallet = payer.address.toLowerCase()
    await world.look({ wallet })
    expect(await world.split(first)).toMatchObject({
      status: 'failed',
      reason: 'The wallet has 1 USDC apart from its payments in progress, and the split needs 3',
    })
    await steps.automine(true)
    expect(await world.until(second)).toMatchObject({ status: 'completed' })
    expect(await world.count(payer.address)).toBe(1)
  })

  it('a wallet that cannot pay for gas fails the split as well', async () => {
    const payer = await world.newPayer({ eth: 1000n })
    const splitId = await world.create(payer)
    expect(await world.until(splitId)).toMatchObject({
      status: 'failed',
      reason: expect.stringMatching(/^The wallet has 0\.000000000000001 ETH, and the gas/),
    })
  })

  it('a wallet that cannot pay for gas after the first payment waits until it can', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to, split } = await steps.submitted(payer)
    for (const { txHash } of split.recipients)
      await world.anvil.request('anvil_dropTransaction', txHash)
    await world.anvil.request('anvil_setBalance', payer.address, '0x1')
    await world.next()
    const { status, reason } = await world.split(splitId)
    expect({ status, reason }).toEqual({
      status: 'processing',
      reason: expect.stringContaining('too little ETH for gas'),
    })
    expect(lines.some((line) => line.includes('a wallet waits for gas'))).toBe(true)
    await world.anvil.request('anvil_setBalance', payer.address, toHex(10n ** 18n))
    await steps.automine(true)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed', reason: null })
    await steps.expectPaid(to)
  })

  it('is checked less often over time, and continues when it can', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to, split } = await steps.submitted(payer)
    for (const { txHash } of split.recipients)
      await world.anvil.request('anvil_dropTransaction', txHash)
    await world.anvil.request('anvil_setBalance', payer.address, '0x1')
    const looksWithin = async (seconds: number) => {
      const end = world.now() + seconds * 1000
      let looks = 0
      for (; world.now() < end; looks++) await world.next()
      return looks
    }
    expect(await looksWithin(60)).toBeGreaterThan(20)
    await looksWithin(600)
    expect(await looksWithin(600)).toBeLessThan(12)
    await world.anvil.request('anvil_setBalance', payer.address, toHex(10n ** 18n))
    await steps.automine(true)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    await steps.expectPaid(to)
  })
})

it('a check that fails is repeated after ten seconds, and its message has no further effect', async () => {
  const payer = await world.newPayer()
  const to = recipients(1)
  const splitId = await world.create(payer, { totalAmount: '1', recipients: to })
  const signPayments = vi.fn<typeof world.signer.signPayments>()
  signPayments.mockRejectedValue(new Error('gone'))
  const signer = { ...world.signer, signPayments }
  await expect(world.next({ signer })).rejects.toThrow('gone')
  // Only the message after the failed check names a check; the first message of the split is dropped.
  world.sent.push(...world.sent.splice(0).filter(({ message }) => message.after !== undefined))
  expect(world.sent).toHaveLength(1)
  const failedAt = world.now()
  await expect(world.next({ signer })).rejects.toThrow('gone')
  expect(world.now()).toBe(failedAt + 10_000)
  // The queue delivers the failed message again.
  await world.next({ signer })
  expect(signPayments).toHaveBeenCalledTimes(2)
  expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
  await steps.expectPaid(to.map(({ address }) => address))
})

it('a wallet whose message waits in a long queue gets no further message with each tick', async () => {
  const payer = await world.newPayer()
  await world.create(payer)
  world.sent.length = 0
  const sent = () =>
    world.sent.filter(({ message: { wallet } }) => wallet === payer.address.toLowerCase())
  world.pass(60)
  for (let minutes = 0; minutes < 3; minutes++) {
    await Promise.all([world.tick(), world.tick()])
    expect(sent()).toHaveLength(1)
    world.pass(60)
  }
  world.pass(60)
  await world.tick()
  expect(sent()).toHaveLength(2)
})

it('a retry of an old split reads its own payments, not all later ones of the wallet', async () => {
  const payer = await world.newPayer()
  const to = recipients(2)
  await world.block(to[0]?.address ?? '0x')
  const old = await world.create(payer, { totalAmount: '2', recipients: to })
  expect(await world.until(old)).toMatchObject({ status: 'failed' })
  const since = await world.create(payer, { totalAmount: '50', recipients: recipients(50) })
  expect(await world.until(since)).toMatchObject({ status: 'completed' })
  await world.block(to[0]?.address ?? '0x', false)
  await world.retry(old)
  let read = 0
  const query: SplitWorld['table']['query'] = async (asked) => {
    const page = await world.table.query(asked)
    read += page.items.length
    return page
  }
  expect(await world.until(old, { table: { ...world.table, query } })).toMatchObject({
    status: 'completed',
  })
  expect(read).toBeLessThan(40)
  await steps.expectPaid(to.map(({ address }) => address))
})
