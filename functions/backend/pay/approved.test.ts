import { createHash } from 'node:crypto'
import { expect, it } from 'vitest'
import * as group from '#functions/web/approvals.ts'
import { carryOutPayment } from '#shared/network/agent-payments/carry-out.ts'
import { attemptApproval } from '#shared/permits/approvals/work/attempt.ts'
import type { Executors } from '#shared/permits/approvals/work/carry-out.ts'
import type { Preset } from '#shared/permits/policy/effect.ts'
import { createLog } from '#shared/platform/log.ts'
import { callerOf } from '#tests/support/http/caller.ts'
import { setPolicyOf } from '#tests/support/permits/policy.ts'
import { killedProcess } from '#tests/support/platform/killed-process.ts'
import { usePayScene } from '#tests/support/x402/agent-payments.ts'
import { sellerAddress } from '#tests/support/x402/seller.ts'

const scene = usePayScene()

const call = async (method: string, path: string, body?: unknown) => {
  const answer = await callerOf(group, {
    table: scene.accounts.table,
    queues: scene.queues as never,
  })(method, `/api/approvals${path}`, { session: scene.agent.user.session, body })
  return (await answer.json()) as Record<string, unknown>
}

/** Asks for a payment that needs an approval. */
async function ask(): Promise<string> {
  const answer = await scene.buy({ headers: { 'x-session': 'shopping' } })
  expect(answer.status).toBe(202)
  const { state, approvalId } = (await answer.json()) as Record<string, string>
  expect(state).toBe('pending')
  return String(approvalId)
}

/** Carries the approval out as the job does. */
async function carryOut(approvalId: string, life = killedProcess({ calls: Infinity })) {
  const { user } = scene.agent
  const row = await scene.accounts.table.get({
    pk: `user#${user.id}`,
    sk: `approval#${approvalId}`,
  })
  const ctx = {
    table: life.reach(scene.accounts.table),
    queues: life.reach(scene.queues) as never,
    log: createLog({ function: 'approvals' }),
  }
  const payments = {
    ...ctx,
    signer: life.reach(scene.signer),
    chain: { EVM_CHAIN_ID: 8453, EVM_RPC_URL: scene.chain.url },
    capUsd: undefined,
    allowed: [scene.host],
    clock: scene.clock,
  }
  const message = { userId: user.id, approvalId, attempt: Number(row?.['attempts']) + 1 }
  const executors: Executors = {
    'payment.send': (execution) => carryOutPayment(payments, execution),
  }
  // No mail is sent here.
  const unused = { webUrl: '', mailer: undefined as never }
  await attemptApproval({ ...ctx, ...unused, executors }, message).catch(() => {})
}

const usePreset = (preset: Preset) => {
  const { agentId, user } = scene.agent
  return setPolicyOf(scene.accounts.table, { userId: user.id, agentId }, { preset, rules: [] })
}

it.each([
  ['open', '0.009'],
  ['guarded', '0.009'],
  ['guarded', null],
] as const)(
  'with the policy %s and askAboveUsd %s, one approval is enough for a payment, which is made once',
  async (preset, askAboveUsd) => {
    await scene.allow({ askAboveUsd })
    await usePreset(preset)
    const id = await ask()
    expect(await ask()).toBe(id)
    expect(await scene.payments()).toEqual([])
    expect(scene.seller.payments).toEqual([])
    expect(await call('GET', `/${id}`)).toMatchObject({
      action: 'payment.send',
      summary: `Pay 0.01 USD to ${sellerAddress} for GET https://${scene.host}/paid`,
    })
    await call('POST', `/${id}`, { decision: 'approve' })
    await carryOut(id)
    const [payment] = await scene.payments()
    expect(payment).toMatchObject({ approvalId: id, state: 'sent' })
    expect(await call('GET', `/${id}`)).toMatchObject({
      state: 'done',
      result: { status: 200, body: 'the goods', paymentId: payment?.['id'] },
    })
    await carryOut(id)
    expect(scene.seller.sold).toBe(1)
    expect(scene.seen.at(-1)?.headers['idempotency-key']).toBe(id)
    const { items } = await scene.accounts.table.query({
      pk: `payer#${scene.agent.agentId}`,
      beginsWith: 'agent-payment#',
    })
    const bodyHash = createHash('sha256').update('the goods').digest('hex')
    expect(items).toMatchObject([{ answer: { status: 200, bodyHash } }])
    await scene.check()
    expect(await scene.payments()).toMatchObject([{ state: 'settled', approvalId: id }])
  },
)

it('a denied payment is not made', async () => {
  await scene.allow({ askAboveUsd: '0' })
  const id = await ask()
  await call('POST', `/${id}`, { decision: 'deny' })
  await carryOut(id)
  expect(await scene.payments()).toEqual([])
  expect(scene.seller.payments).toEqual([])
})

it('an approval covers the approved price and payee, and the mandate is checked again', async () => {
  await scene.allow({ askAboveUsd: '0' })
  const dearer = await ask()
  await call('POST', `/${dearer}`, { decision: 'approve' })
  scene.seller.price = 10_001n
  await carryOut(dearer)
  expect(await call('GET', `/${dearer}`)).toMatchObject({
    state: 'failed',
    result: { error: 'The host asks for more than was approved' },
  })
  const lowered = await ask()
  await call('POST', `/${lowered}`, { decision: 'approve' })
  await scene.allow({ perDayUsd: '0.01' })
  await carryOut(lowered)
  expect(await call('GET', `/${lowered}`)).toMatchObject({
    state: 'failed',
    result: { error: 'The payment exceeds the mandate’s limit per day' },
  })
  expect(await scene.payments()).toEqual([])
})

it.each(['hour', 'always'])(
  'a remembered approval (%s) is enough for the policy and askAboveUsd, up to its amount',
  async (remember) => {
    await scene.allow({ askAboveUsd: '0' })
    await usePreset('guarded')
    await call('POST', `/${await ask()}`, { decision: 'approve', remember })
    expect((await scene.buy()).status).toBe(200)
    scene.seller.price = 10_001n
    await ask()
    scene.seller.price = 10_000n
    await scene.allow({ askAboveUsd: '0', perDayUsd: '0.015' })
    expect((await scene.buy()).status).toBe(402)
  },
)

it.each([
  ['open', 200],
  ['guarded', 202],
  ['locked', 403],
] as const)('with the policy %s, a payment within the mandate is %i', async (preset, status) => {
  await scene.allow()
  await usePreset(preset)
  const answer = await scene.buy()
  expect(answer.status).toBe(status)
  const text = await answer.text()
  if (preset === 'locked')
    expect(JSON.parse(text)).toEqual({
      error: 'The agent’s policy (locked) denies payment.send',
      code: 'POLICY_DENIED',
      action: 'payment.send',
      rule: 'locked',
    })
  expect(scene.seller.sold).toBe(status === 200 ? 1 : 0)
  expect(await scene.payments()).toHaveLength(scene.seller.sold)
})

it('a payment over the mandate is not asked for', async () => {
  await scene.allow({ askAboveUsd: '0', perPaymentUsd: '0.001' })
  expect((await scene.buy()).status).toBe(402)
})

it('an approved payment whose process dies between the host’s answer and its record is not made again', async () => {
  await scene.allow({ askAboveUsd: '0' })
  const id = await ask()
  await call('POST', `/${id}`, { decision: 'approve' })
  const life = killedProcess({ calls: 0, counts: () => scene.seller.sold > 0 })
  await carryOut(id, life)
  expect([life.isKilled(), scene.seller.sold]).toEqual([true, 1])
  expect(await call('GET', `/${id}`)).toMatchObject({ state: 'approved', result: null })
  await carryOut(id)
  expect(await call('GET', `/${id}`)).toMatchObject({
    state: 'failed',
    result: { error: expect.stringContaining('may have been done') },
  })
  await scene.pass(120)
  expect(await scene.payments()).toMatchObject([{ approvalId: id, state: 'settled' }])
  expect([scene.seller.sold, await scene.used()]).toEqual([1, 10_000])
})

it('an approved payment whose process is killed at any call is made at most once', async () => {
  await scene.allow({ askAboveUsd: '0', perDayUsd: '50' })
  let made = 0
  for (let calls = 0; calls < 40; calls++) {
    const id = await ask()
    await call('POST', `/${id}`, { decision: 'approve' })
    const life = killedProcess({ calls, isLastCarriedOut: calls % 2 === 0 })
    const sold = scene.seller.sold
    await carryOut(id, life)
    await carryOut(id)
    const { state, result } = await call('GET', `/${id}`)
    const count = scene.seller.sold - sold
    expect(count).toBeLessThanOrEqual(1)
    if (state === 'done') expect(count).toBe(1)
    else
      expect(result).toMatchObject({ error: expect.stringMatching(/may have been (?:done|made)/) })
    made += count
    if (!life.isKilled()) break
  }
  expect(made).toBeGreaterThan(0)
  await scene.pass(700)
  await scene.pass(700)
  const states = (await scene.payments('?limit=100')).map(({ state }) => state)
  expect(states.filter((one) => one === 'settled')).toHaveLength(made)
  expect(states.filter((one) => one === 'held' || one === 'sent')).toEqual([])
  expect(await scene.used()).toBe(made * 10_000)
})
