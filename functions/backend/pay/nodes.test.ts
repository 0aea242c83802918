import { expect, it } from 'vitest'
import { startLyingNode } from '#tests/support/chains/lying-node.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'

const scene = usePayScene()

type Lie = Parameters<typeof startLyingNode>[1]

const isFinal = (params: unknown[]) => params[0] === 'finalized'

/** Every answer hides that the payment can no longer be taken, or does not prove it. */
const doubts: Record<string, Lie> = {
  'belongs to another chain': ({ method }, result) => (method === 'eth_chainId' ? '0x1' : result),
  'does not know a final block': ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && isFinal(params) ? null : result,
  'has a final block from before the end of the validity': ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && isFinal(params)
      ? Object.assign(result as object, { timestamp: '0x1' })
      : result,
  'is behind another node that knew the final block': ({ method, params }, result) =>
    method === 'eth_getBlockByNumber' && !isFinal(params)
      ? Object.assign(result as object, { number: '0x0' })
      : result,
  'has no state of the token': ({ method }, result) => (method === 'eth_call' ? '0x' : result),
  'answers with another form': ({ method }, result) =>
    method === 'eth_call' ? `0x${'f'.repeat(64)}` : result,
  'refuses the state': ({ method }, result) =>
    method === 'eth_call' ? new Error('missing trie node') : result,
}

it.each(Object.entries(doubts))('a node that %s returns nothing', async (_name, lie) => {
  await scene.allow()
  scene.facilitator.meets('settle', { status: 500, body: {} })
  await (await scene.buy()).text()
  // The chain is past the validity, and only this node is asked.
  scene.ahead += 700_000
  await scene.mineNow()
  await using node = await startLyingNode(scene.chain.url, lie)
  await scene.check({ rpcUrl: node.url })
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  expect(await scene.used()).toBe(10_000)
  await scene.pass(4000)
  expect(await scene.payments()).toMatchObject([{ state: 'returned' }])
})

it('a node without the log of a payment settles it without its transaction, after some checks', async () => {
  await scene.allow()
  await (await scene.buy()).text()
  await using node = await startLyingNode(scene.chain.url, ({ method }, result) =>
    method === 'eth_getLogs' ? [] : result,
  )
  for (let i = 0; i < 9; i++) await scene.check({ rpcUrl: node.url })
  expect(await scene.payments()).toMatchObject([{ state: 'sent' }])
  await scene.check({ rpcUrl: node.url })
  expect(await scene.payments()).toMatchObject([{ state: 'settled', txHash: null }])
})
