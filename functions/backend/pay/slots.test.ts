import { expect, it } from 'vitest'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'

const scene = usePayScene()

it('an owner’s agents have ten requests open, each until the host’s response has ended', async () => {
  await scene.allow()
  scene.answer = (_request, response) =>
    response.writeHead(200, { 'content-type': 'application/octet-stream' }).write('a')
  const open = await Promise.all(Array.from({ length: 10 }, () => scene.buy()))
  expect(open.map(({ status }) => status)).toEqual(Array(10).fill(200))
  const refused = await scene.buy()
  expect([refused.status, await refused.json()]).toMatchObject([429, { code: 'TOO_MANY_OPEN' }])
  await open[0]?.body?.cancel()
  const next = await scene.buy()
  expect(next.status).toBe(200)
  expect((await scene.buy({ method: 'HEAD' })).status).toBe(429)
  for (const { body } of [...open.slice(1), next]) await body?.cancel()
  scene.answer = scene.seller.serve
  await scene.allow({ askAboveUsd: '0' })
  for (let i = 0; i < 12; i++) expect((await scene.buy({ method: 'HEAD' })).status).toBe(202)
  scene.answer = (_request, response) => response.end('free')
  for (let i = 0; i < 12; i++)
    expect((await scene.buy({ method: i % 2 === 0 ? 'HEAD' : 'GET' })).status).toBe(200)
})
