import { expect, it } from 'vitest'
import { agentKey } from '#shared/agents/record/agent.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'

const scene = usePayScene()

/** Sends a request whose host delays its demand until the owner has changed something. */
async function buyWhile(change: () => Promise<unknown>): Promise<Response> {
  scene.answer = async (request, response) => {
    if (request.headers['payment-signature'] === undefined) await change()
    return scene.seller.serve(request, response)
  }
  return scene.buy()
}

it.each([
  ['guarded', 202],
  ['locked', 403],
] as const)(
  'a policy that becomes %s while the host delays its demand decides the payment: %i',
  async (preset, status) => {
    await scene.allow()
    const { agentId, user } = scene.agent
    const answer = await buyWhile(() =>
      setPolicyOf(scene.accounts.table, { userId: user.id, agentId }, { preset, rules: [] }),
    )
    expect(answer.status).toBe(status)
    expect([scene.seller.sold, await scene.payments()]).toEqual([0, []])
  },
)

it.each([
  [{ askAboveUsd: '0' }, 202],
  [{ hosts: [] }, 403],
  [{ payees: [] }, 403],
  [{ perPaymentUsd: '0.009999' }, 402],
])(
  'a mandate that becomes %j while the host delays its demand decides the payment: %i',
  async (change, status) => {
    await scene.allow()
    const answer = await buyWhile(() => scene.allow(change))
    expect(answer.status).toBe(status)
    expect([scene.seller.sold, await scene.payments()]).toEqual([0, []])
  },
)

it('a mandate that is deleted while the host delays its demand pays nothing', async () => {
  await scene.allow()
  const answer = await buyWhile(() => scene.call('DELETE', '/mandate'))
  expect([answer.status, await answer.json()]).toMatchObject([402, { code: 'MANDATE_REQUIRED' }])
  expect([scene.seller.sold, await scene.payments()]).toEqual([0, []])
})

it('an agent that is stopped while the host delays its demand pays nothing', async () => {
  await scene.allow()
  const { agentId, user } = scene.agent
  const answer = await buyWhile(() =>
    scene.accounts.table.update(agentKey({ userId: user.id, agentId }), {
      set: { desired: 'stopped' },
    }),
  )
  expect(answer.status).toBe(401)
  expect([scene.seller.sold, await scene.payments()]).toEqual([0, []])
})
