import { type Hex, toHex } from 'viem'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { startLyingNode } from '#tests/support/chains/lying-node.ts'
import { type SplitSteps, stepsOf } from '#tests/support/network/split-steps.ts'
import {
  newAddress,
  type Payer,
  recipients,
  type SplitWorld,
  startSplits,
} from '#tests/support/network/splits.ts'

let world: SplitWorld
let steps: SplitSteps

beforeAll(async () => {
  world = await startSplits()
  steps = stepsOf(world)
  vi.spyOn(console, 'log').mockImplementation(() => {})
})
beforeEach(async () => {
  world.sent.length = 0
  await steps.automine(true)
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

/** Uses the wallet's next nonce with its key, outside the platform. */
async function foreign({ account, address }: Payer, nonce: number): Promise<Hex> {
  const raw = await account.signTransaction({
    type: 'eip1559',
    chainId: 8453,
    nonce,
    to: address,
    gas: 21_000n,
    maxFeePerGas: 10n ** 11n,
    maxPriorityFeePerGas: 10n ** 9n,
  })
  return world.anvil.request('eth_sendRawTransaction', raw)
}

describe('a recipient whose transfer reverts', () => {
  it('fails with its reason, delays no other, and is paid once when it is retried', async () => {
    const payer = await world.newPayer()
    const to = recipients(3)
    const [, blocked = to[0]] = to
    await world.block(blocked?.address ?? '0x')
    const splitId = await world.create(payer, { totalAmount: '3', recipients: to })
    const failed = await world.until(splitId)
    expect(failed).toMatchObject({
      status: 'failed',
      reason: '1 of 3 recipients could not be paid',
      recipients: [
        { status: 'confirmed' },
        {
          status: 'failed',
          reason: expect.stringContaining('reverted'),
          txHash: expect.any(String),
        },
        { status: 'confirmed' },
      ],
    })
    await world.retry(splitId)
    expect(await world.until(splitId)).toMatchObject({ status: 'failed' })
    await world.block(blocked?.address ?? '0x', false)
    expect((await world.retry(splitId)).status).toBe(200)
    expect((await world.retry(splitId)).status).toBe(409)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    await steps.expectPaid(to.map(({ address }) => address))
  })

  it('is not paid again before its transfer is final, and not at all if the chain then pays it', async () => {
    const payer = await world.newPayer()
    const to = newAddress()
    await world.block(to)
    await steps.automine(false)
    const splitId = await world.create(payer, { recipients: [{ address: to, share: 100 }] })
    await world.next()
    const before = await world.anvil.request('evm_snapshot')
    await steps.mine()
    // The block is final by age but not by the chain: no block followed it.
    for (let looks = 0; looks < 8; looks++) await world.next({ finality: 'finalized' })
    expect(await world.split(splitId)).toMatchObject({ status: 'failed' })
    await world.retry(splitId)
    for (let looks = 0; looks < 8; looks++) await world.next({ finality: 'finalized' })
    expect(await world.split(splitId)).toMatchObject({ status: 'processing' })
    // The chain reverts the block and then includes the first transaction.
    await world.anvil.request('evm_revert', before)
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', '0x1')
    await steps.automine(true)
    await world.block(to, false)
    expect(await world.until(splitId, { finality: 'finalized' })).toMatchObject({
      status: 'completed',
    })
    await steps.expectPaid([to], 10_000_000n)
  })
})

describe('the wallet’s nonces', () => {
  it('are one per payment, even for concurrent splits', async () => {
    const payer = await world.newPayer()
    const all = Array.from({ length: 4 }, () => recipients(2))
    const ids = await Promise.all(
      all.map((to) => world.create(payer, { totalAmount: '2', recipients: to })),
    )
    const wallet = payer.address.toLowerCase()
    for (let round = 0; round < 20; round++) {
      await Promise.all(Array.from({ length: 4 }, () => world.look({ wallet })))
      await steps.mine()
      world.pass(3)
    }
    for (const id of ids) expect(await world.until(id)).toMatchObject({ status: 'completed' })
    await steps.expectPaid(all.flat().map(({ address }) => address))
    expect(await world.count(payer.address)).toBe(8)
  })

  it('nonces that another program has used are skipped', async () => {
    const payer = await world.newPayer()
    await foreign(payer, 0)
    await foreign(payer, 1)
    const splitId = await world.create(payer)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
  })

  it('nonces that another program uses in the meantime are abandoned with their transactions, once that use is final', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to, split } = await steps.submitted(payer)
    await world.anvil.request('anvil_dropTransaction', split.recipients[0]?.txHash)
    await foreign(payer, 0)
    await steps.mine()
    await steps.automine(true)
    await world.next({ finality: 'finalized' })
    expect((await world.split(splitId)).recipients[0]).toMatchObject({
      status: 'submitted',
      reason: expect.stringContaining('Another transaction'),
    })
    expect(await world.until(splitId, { finality: 'finalized' })).toMatchObject({
      status: 'completed',
    })
    await steps.expectPaid(to)
  })

  it('nonces that another program uses are abandoned even if the node has pruned that state', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to, split } = await steps.submitted(payer)
    await world.anvil.request('anvil_dropTransaction', split.recipients[0]?.txHash)
    await foreign(payer, 0)
    await steps.mine()
    await steps.automine(true)
    let kept = 4
    await using pruned = await startLyingNode(world.anvil.url, ({ method, params }, result) => {
      const isForgotten = method === 'eth_getTransactionCount' && Number(params[1]) < newest - kept
      return isForgotten ? new Error('missing trie node') : result
    })
    let newest = Number(await world.anvil.request('eth_blockNumber'))
    await world.next({ url: pruned.url, finality: 'finalized' })
    expect((await world.split(splitId)).recipients[0]).toMatchObject({
      status: 'submitted',
      reason: expect.stringContaining('Another transaction'),
    })
    // From here on it only knows the state of the newest block.
    await steps.mine(6)
    newest = Number(await world.anvil.request('eth_blockNumber'))
    kept = 0
    const lost = { url: pruned.url, finality: 'finalized' } as const
    for (let looks = 0; looks < 8; looks++) {
      await world.next(lost)
      await steps.mine()
      newest++
    }
    const { recipients: after } = await world.split(splitId)
    expect(after[0]?.txHash).not.toBe(split.recipients[0]?.txHash)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    await steps.expectPaid(to)
  })

  it('nonces that a reorganisation frees are used up, so that no later payment waits forever', async () => {
    const payer = await world.newPayer()
    const before = await world.anvil.request('evm_snapshot')
    await foreign(payer, 0)
    await steps.automine(false)
    const { splitId, to } = await steps.submitted(payer)
    await world.anvil.request('evm_revert', before)
    await steps.automine(true)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    await steps.expectPaid(to)
  })
})

describe('the chain', () => {
  it('a chain that reverts a payment is sent the same bytes again, even after the split’s end', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to } = await steps.submitted(payer)
    const before = await world.anvil.request('evm_snapshot')
    await steps.mine()
    const done = await world.until(splitId)
    expect(done.status).toBe('completed')
    await steps.expectPaid(to)
    await world.anvil.request('evm_revert', before)
    for (const { txHash } of done.recipients)
      await world.anvil.request('anvil_dropTransaction', txHash)
    await steps.expectPaid(to, 0n)
    await steps.automine(true)
    while (await world.next());
    world.pass(120)
    await world.tick()
    while (await world.next());
    await steps.expectPaid(to)
    const hashes = done.recipients.map(({ txHash }) => txHash)
    for (const hash of hashes)
      expect(await world.anvil.request('eth_getTransactionReceipt', hash)).toMatchObject({
        status: '0x1',
      })
  })

  it('a chain that requires more gas than offered gets another transaction with the same nonce', async () => {
    const payer = await world.newPayer()
    await steps.automine(false)
    const { splitId, to, split } = await steps.submitted(payer)
    await world.anvil.request('anvil_setNextBlockBaseFeePerGas', toHex(20n * 10n ** 9n))
    for (let blocks = 0; blocks < 4; blocks++) {
      await steps.mine()
      await world.anvil.request('anvil_setNextBlockBaseFeePerGas', toHex(20n * 10n ** 9n))
    }
    world.pass(31)
    for (let looks = 0; looks < 12; looks++) {
      await world.next()
      await steps.mine()
      world.pass(2)
    }
    await steps.automine(true)
    const done = await world.until(splitId)
    expect(done.status).toBe('completed')
    expect(done.recipients[0]?.txHash).not.toBe(split.recipients[0]?.txHash)
    await steps.expectPaid(to)
    expect(await world.count(payer.address)).toBe(3)
  })

  it('a chain that is unavailable fails no split', async () => {
    const payer = await world.newPayer()
    const splitId = await world.create(payer)
    const nowhere = 'http://127.0.0.1:9'
    for (let looks = 0; looks < 3; looks++) await world.next({ url: nowhere })
    expect(await world.split(splitId)).toMatchObject({
      status: 'queued',
      reason: expect.stringContaining('currently unreachable'),
    })
    expect(await world.until(splitId)).toMatchObject({ status: 'completed', reason: null })
  })
})
