import { expect, it } from 'vitest'
import { usdc } from '#tests/support/chains/usdc-chain.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

const accepts = [
  {
    scheme: 'exact',
    network: 'eip155:8453',
    asset: usdc,
    payTo: sellerAddress,
    amount: '10000',
    maxTimeoutSeconds: 60,
    extra: { name: 'USD Coin', version: '2' },
  },
]

const day = 86_400_000

it('no order of concurrent payments of several agents exceeds the ceiling of a UTC day', async () => {
  const agents = [scene.agent, await scene.newAgent(), await scene.newAgent()]
  for (const agent of agents) await scene.allow({}, agent)
  // A seller that keeps the authorizations.
  scene.answer = (request, response) =>
    request.headers['payment-signature'] === undefined
      ? response.writeHead(402).end(JSON.stringify({ x402Version: 2, accepts }))
      : response.end('the goods')
  const buyAll = async () => {
    const answers = await Promise.all(
      agents.flatMap(({ key }) =>
        Array.from({ length: 4 }, () => scene.buy({ key, over: { capUsd: 0.05 } })),
      ),
    )
    await Promise.all(answers.map((answer) => answer.text()))
    return answers.filter(({ status }) => status === 200).length
  }
  scene.ahead = day - (Date.now() % day) - 60_000
  await scene.mineNow()
  expect(await buyAll()).toBe(5)
  expect(await buyAll()).toBe(0)
  scene.ahead += 70_000
  await scene.mineNow()
  expect(await buyAll()).toBe(5)
  // An amount is returned to the day of its hold.
  await scene.mineNow()
  await scene.tick()
  expect(await buyAll()).toBe(0)
  await scene.pass(700)
  expect(await buyAll()).toBe(5)
  scene.ahead = 0
})
