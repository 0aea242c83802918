import { toHex } from 'viem'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { startLyingNode } from '#tests/support/chains/lying-node.ts'
import {
  newAddress,
  recipients,
  type SplitWorld,
  startSplits,
  usdc,
} from '#tests/support/network/splits.ts'

let world: SplitWorld
const lines: string[] = []

beforeAll(async () => {
  world = await startSplits()
  vi.spyOn(console, 'log').mockImplementation((line: string) => void lines.push(line))
})
afterAll(async () => {
  vi.restoreAllMocks()
  await world.close()
})

const mine = (blocks: number) => world.anvil.request('anvil_mine', toHex(blocks))

describe('a node', () => {
  it('a node that lies about its chain gets no signature', async () => {
    const payer = await world.newPayer()
    const splitId = await world.create(payer)
    await using liar = await startLyingNode(world.anvil.url, ({ method }, result) =>
      method === 'eth_chainId' ? '0x1' : result,
    )
    await world.next({ url: liar.url })
    expect(await world.split(splitId)).toMatchObject({
      status: 'queued',
      reason: expect.stringContaining('does not belong to the chain EVM_CHAIN_ID'),
    })
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
  })

  type Fields = Record<string, unknown>
  const onReceipts =
    (change: (receipt: Fields) => unknown) =>
    ({ method }: { method: string }, result: unknown) =>
      method === 'eth_getTransactionReceipt' && result !== null ? change(result as Fields) : result

  it.each<[string, (receipt: Fields) => unknown]>([
    ['was reverted', (one) => ({ ...one, status: '0x0', logs: [] })],
    [
      'has another amount',
      (one) => ({ ...one, logs: changed(one, { data: toHex(7, { size: 32 }) }) }),
    ],
    ['has another sender', (one) => ({ ...one, from: usdc })],
    ['has no receipt', () => null],
    [
      'has another transaction’s receipt',
      (one) => ({ ...one, transactionHash: toHex(1, { size: 32 }) }),
    ],
  ])('a node that reports falsely that a payment %s has no effect', async (_, lie) => {
    const payer = await world.newPayer()
    const to = recipients(3)
    const splitId = await world.create(payer, { totalAmount: '3', recipients: to })
    await world.next()
    await using liar = await startLyingNode(world.anvil.url, onReceipts(lie))
    lines.length = 0
    for (let looks = 0; looks < 12; looks++) {
      await world.next({ url: liar.url })
      await mine(3)
    }
    const split = await world.split(splitId)
    expect(split).toMatchObject({
      status: 'processing',
      reason: expect.stringContaining('contradicts'),
      recipients: to.map(() => ({ status: 'submitted' })),
    })
    expect(lines.some((line) => line.includes('contradicts itself'))).toBe(true)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed', reason: null })
    for (const { address } of to) expect(await world.balance(address)).toBe(1_000_000n)
    expect(await world.count(payer.address)).toBe(3)
  })

  function changed({ logs }: Fields, fields: Fields) {
    return (logs as Fields[]).map((log) => Object.assign(log, fields))
  }

  it('a node that denies the transactions of the used nonces causes no second payment', async () => {
    const payer = await world.newPayer()
    const to = recipients(3)
    const splitId = await world.create(payer, { totalAmount: '3', recipients: to })
    await world.next()
    const unindexed = new Set(['eth_getTransactionReceipt', 'eth_getTransactionByHash'])
    await using liar = await startLyingNode(world.anvil.url, ({ method }, result) =>
      unindexed.has(method) ? null : result,
    )
    for (let looks = 0; looks < 12; looks++) {
      await world.next({ url: liar.url })
      await mine(3)
    }
    expect(await world.split(splitId)).toMatchObject({
      status: 'processing',
      reason: expect.stringContaining('contradicts'),
    })
    expect(await world.count(payer.address)).toBe(3)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
    for (const { address } of to) expect(await world.balance(address)).toBe(1_000_000n)
  })

  it('a node that reports a reverted payment as successful has no effect', async () => {
    const payer = await world.newPayer()
    const to = newAddress()
    await world.block(to)
    const splitId = await world.create(payer, { recipients: [{ address: to, share: 100 }] })
    await world.next()
    await using liar = await startLyingNode(
      world.anvil.url,
      onReceipts((one) => ({ ...one, status: '0x1' })),
    )
    for (let looks = 0; looks < 12; looks++) await world.next({ url: liar.url })
    expect(await world.split(splitId)).toMatchObject({ status: 'processing' })
    expect(await world.until(splitId)).toMatchObject({ status: 'failed' })
  })

  it('a node whose chain is reorganised between two responses is not taken for a liar', async () => {
    const payer = await world.newPayer()
    world.sent.length = 0
    const splitId = await world.create(payer, { totalAmount: '3', recipients: recipients(3) })
    await world.next()
    await mine(1)
    let isReplaced = false
    await using node = await startLyingNode(world.anvil.url, ({ method, params }, result) => {
      if (method === 'eth_getLogs') {
        isReplaced = true
        return []
      }
      const isNumbered = method === 'eth_getBlockByNumber' && String(params[0]).startsWith('0x')
      return isNumbered && isReplaced
        ? { ...(result as Fields), hash: toHex(9, { size: 32 }) }
        : result
    })
    lines.length = 0
    for (let looks = 0; looks < 3; looks++) {
      await world.look({ wallet: payer.address.toLowerCase() }, { url: node.url })
      expect(isReplaced).toBe(true)
      isReplaced = false
    }
    expect(lines.some((line) => line.includes('contradicts itself'))).toBe(false)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
  })

  it('a node whose chain frees nonces between two responses is not taken for a liar', async () => {
    const payer = await world.newPayer()
    world.sent.length = 0
    await world.anvil.request('evm_setAutomine', false)
    const splitId = await world.create(payer, { totalAmount: '3', recipients: recipients(3) })
    await world.next()
    let counted = 0
    await using node = await startLyingNode(world.anvil.url, ({ method, params }, result) =>
      method === 'eth_getTransactionCount' && params[1] === 'latest' && counted++ === 0
        ? '0x3'
        : result,
    )
    lines.length = 0
    await world.look({ wallet: payer.address.toLowerCase() }, { url: node.url })
    expect(counted).toBeGreaterThan(1)
    expect(lines.some((line) => line.includes('contradicts itself'))).toBe(false)
    await world.anvil.request('evm_setAutomine', true)
    expect(await world.until(splitId)).toMatchObject({ status: 'completed' })
  })

  it('a node that limits a request to ten blocks is asked for at most ten', async () => {
    const payer = await world.newPayer()
    const to = recipients(25)
    const splitId = await world.create(payer, { totalAmount: '25', recipients: to })
    await using node = await startLyingNode(world.anvil.url, ({ id, method }, result) =>
      id >= 10 && ['eth_getBlockByNumber', 'eth_getLogs'].includes(method)
        ? new Error('response too large')
        : result,
    )
    expect(await world.until(splitId, { url: node.url })).toMatchObject({ status: 'completed' })
  })
})
