import { beforeEach, describe, expect, it } from 'vitest'
import { turnRows } from '#shared/ai/turns/rows.ts'
import { decideApproval } from '#shared/permits/approvals/decide.ts'
import { park } from '#shared/permits/approvals/park.ts'
import { approvalRows, approvalTurnRows } from '#shared/permits/approvals/rows.ts'
import { loadConfig } from '#shared/platform/config/load.ts'
import { newSeed } from '#shared/platform/ids.ts'
import type { Table } from '#shared/platform/table/port.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { encryptionKey } from '#tests/support/conversations/chat.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { lostQueues, userContext } from '#tests/support/platform/context.ts'
import { Killed, killedProcess } from '#tests/support/platform/killed-process.ts'
import { recorded } from '#tests/support/platform/recorded-queues.ts'
import { settingsOf } from '#tests/support/platform/table.ts'
import { say, sendJson } from '../../agent/gateway/testing/upstream.ts'
import * as turnsJob from './approval-turns.ts'

const on = usePlayedAgent()

beforeEach(() => {
  on.gateway.reply = (response) => say(response, 'I see.')
})

let asked = 0

/** Parks a request of an agent and denies it. @returns the turn that tells the agent */
async function denied({ agent = on.agent, session = 'plans' } = {}) {
  const { table } = on.accounts
  const { approvalId } = await park(
    { table },
    {
      agent,
      effect: { action: 'message.send', target: { to: 'agt_1', action: 'HELLO' } },
      session,
      summary: `Message ${++asked}`,
      request: { json: { asked } },
    },
  )
  const ctx = await userContext(table, on.ada.id)
  await decideApproval(
    { ...ctx, queues: lostQueues },
    { id: approvalId, decision: 'deny', note: 'Not today.' },
  )
  const ref = { userId: on.ada.id, approvalId }
  return { approvalId, row: () => approvalTurnRows.find(table, ref) }
}

type Denied = Awaited<ReturnType<typeof denied>>

/** Delivers the message of the next attempt, with the settings of the job's function. */
async function deliver({ approvalId, row }: Denied, table: Table = on.accounts.table) {
  const { attempts = 0 } = (await row()) ?? {}
  const ctx = await userContext(on.accounts.table, on.ada.id)
  const settings = { WALLET_ENCRYPTION_KEY: encryptionKey, ...settingsOf(on.accounts.table) }
  const { services } = turnsJob.wire(loadConfig(settings))
  const { queues, waiting } = recorded<unknown>()
  await turnsJob.job.handle(
    {
      ...services,
      table,
      queues,
      log: ctx.log,
      requestId: ctx.requestId,
      actor: { type: 'platform', askedBy: 'public' },
      seed: newSeed(),
      receives: 1,
    },
    { userId: on.ada.id, approvalId, attempt: attempts + 1 },
  )
  return waiting
}

const told = (turn: Denied) =>
  on.gateway.calls.filter(({ body }) => body.messages.at(-1)?.content.includes(turn.approvalId))

describe('the turn that tells an agent the outcome of an approval', () => {
  it('is the next one of the session that asked, once, and in the history of its owner', async () => {
    const turn = await denied()
    await deliver(turn)
    await deliver(turn)
    const [call, ...others] = told(turn)
    expect([call?.body, others]).toMatchObject([{ user: 'plans' }, []])
    expect(call?.body.messages.at(-1)?.content).toMatch(
      /Your owner denied this request[\s\S]*Not today\./,
    )
    expect(await turn.row()).toBeUndefined()
    const answer = await on.history(`?agentId=${on.agent.id}&topic=plans`)
    const { messages } = (await answer.json()) as {
      messages: { sender: string; content: string }[]
    }
    expect(messages).toMatchObject([
      { sender: 'user', content: expect.stringContaining(turn.approvalId) },
      { sender: 'agent', content: 'I see.' },
    ])
  })

  it('belongs to the unnamed conversation, if that asked', async () => {
    const turn = await denied({ session: 'default' })
    await deliver(turn)
    expect(told(turn)).toMatchObject([{ body: { user: 'default' } }])
  })

  it('is taken at least once if its process is killed at any call, and then never again', async () => {
    for (let calls = 0; ; calls++) {
      const turn = await denied()
      const process = killedProcess({ calls, isLastCarriedOut: calls % 2 === 0 })
      const isKilled = await deliver(turn, process.reach(on.accounts.table)).then(
        () => false,
        (error: unknown) => {
          if (!(error instanceof Killed)) throw error
          return true
        },
      )
      for (let round = 0; round < 4 && (await turn.row()) !== undefined; round++) {
        await endLostTurns()
        await deliver(turn)
      }
      expect(await turn.row()).toBeUndefined()
      expect([1, 2]).toContain(told(turn).length)
      await deliver(turn)
      expect([1, 2]).toContain(told(turn).length)
      if (!isKilled) break
      expect(calls).toBeLessThan(60)
    }
  })

  describe('to an agent that does not run', () => {
    beforeEach(async () => {
      const subscription = { id: 'sub_1', status: 'active', customerId: null }
      const key = { pk: `user#${on.ada.id}`, sk: 'profile' }
      await on.accounts.table.update(key, { set: { plan: 'network', subscription } })
    })

    const stopReason = (at: string) => ({ code: 'stopped', exitCode: null, text: 'Stopped', at })
    const before = '2026-01-01T00:00:00.000Z'
    const later = '2999-01-01T00:00:00.000Z'

    it.each([
      { title: 'wakes a sleeping one', agent: { asleep: true } },
      { title: 'starts a stopped one whose owner approved the request', state: 'done' },
      { title: 'starts a stopped one if the approved request failed', state: 'failed' },
      { title: 'waits if its owner denied the request', desired: 'stopped' },
      { title: 'waits if the request expired', state: 'expired', desired: 'stopped' },
      {
        title: 'waits if its owner stopped it after the decision',
        state: 'done',
        agent: { stopReason: stopReason(later) },
        desired: 'stopped',
      },
      {
        title: 'waits if an operator stopped it',
        state: 'done',
        agent: { stoppedByOperator: true },
        desired: 'stopped',
      },
      {
        title: 'waits if its repairs were given up',
        state: 'done',
        agent: { status: 'error' },
        desired: 'stopped',
      },
    ] as const)('$title', async ({ state = 'denied', desired = 'running', ...given }) => {
      const { table } = on.accounts
      const agent = await putAgent(table, on.ada.id, {
        subdomain: `away-${newSeed()}`,
        status: 'stopped',
        desired: 'stopped',
        stopReason: stopReason(before),
        ...('agent' in given && given.agent),
      })
      const turn = await denied({ agent })
      const key = approvalRows.key({ userId: on.ada.id, approvalId: turn.approvalId })
      await table.update(key, { set: { state } })
      await deliver(turn)
      expect(told(turn)).toEqual([])
      expect(await turn.row()).toMatchObject({ attempts: 1 })
      const [row] = await table.getMany([{ pk: `user#${on.ada.id}`, sk: `agent#${agent.id}` }])
      expect(row).toMatchObject({ desired })
    })
  })

  it('is tried three times if the agent fails', async () => {
    const turn = await denied()
    on.gateway.reply = (response) => sendJson(response, 500, { error: { message: 'broken' } })
    for (let round = 0; round < 5; round++) await deliver(turn)
    expect(told(turn)).toHaveLength(3)
    expect(await turn.row()).toBeUndefined()
  })
})

/** Lets the heartbeats of turns expire, as if time had passed. */
async function endLostTurns(): Promise<void> {
  const { table } = on.accounts
  const { items } = await table.query({
    pk: `user#${on.ada.id}`,
    beginsWith: turnRows.prefix(),
  })
  for (const { pk, sk, state } of items)
    if (state === 'active') await table.update({ pk, sk }, { set: { aliveUntil: 0 } })
}
