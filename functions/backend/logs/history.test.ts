import { describe, expect, it } from 'vitest'
import { restartAgent } from '#shared/agents/fleet/lifecycle/restart.ts'
import { logHistory } from '#shared/agents/logs/schema.ts'
import type { Agent } from '#shared/agents/record/agent.ts'
import { useLogs } from '#tests/support/agents/logs.ts'
import { eventually } from '#tests/support/clock/eventually.ts'

const on = useLogs()

const ask = async ({ id }: Agent, query = '') => on.ask(`/api/logs/${id}/history${query}`)

const linesOf = async (agent: Agent, query?: string) =>
  logHistory.parse(await (await ask(agent, query)).json()).lines

const textsOf = async (agent: Agent, query?: string) =>
  (await linesOf(agent, query)).map(({ text }) => text)

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)

describe('a history', () => {
  it('returns the last lines with their times, up to the requested number', async () => {
    const agent = await on.running()
    await on.print(agent, `${numbers(1, 150).join('\n')}\n`)
    await eventually(async () => expect((await textsOf(agent)).at(-1)).toBe('line 150'))
    expect(await textsOf(agent, '?limit=100')).toEqual(numbers(51, 150))
    expect(await linesOf(agent, '?limit=2')).toEqual([
      { at: expect.stringMatching(/^\d{4}-.*Z$/), text: 'line 149' },
      { at: expect.stringMatching(/^\d{4}-.*Z$/), text: 'line 150' },
    ])
    expect(await linesOf(agent, '?limit=0')).toEqual([])
    expect(await linesOf(agent, '?limit=999999')).toHaveLength(150)
  })

  it('includes lines before a restart, even while no container runs', async () => {
    const agent = await on.running()
    await on.print(agent, 'about to fail\nfailed\n')
    await eventually(async () => expect(await textsOf(agent)).toEqual(['about to fail', 'failed']))
    await restartAgent(on.fleet.services, { agent: await on.fleet.row(agent), reason: 'restart' })
    expect(await textsOf(agent)).toEqual(['about to fail', 'failed'])
    await on.fleet.untilRunning(agent)
    await on.print(agent, 'here again\n')
    const all = ['about to fail', 'failed', 'here again']
    await eventually(async () => expect(await textsOf(agent)).toEqual(all))
    expect(await textsOf(agent, '?limit=2')).toEqual(all.slice(1))
    expect(await textsOf(agent, '?limit=1')).toEqual(all.slice(2))
  })

  it.each(['-1', 'ten', '1.5', ''])('rejects limit=%s', async (limit) => {
    const answer = await ask(await on.fleet.started(), `?limit=${limit}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: expect.stringContaining('limit') })
  })

  it('a history of an agent that never ran is empty', async () => {
    const agent = await on.fleet.started()
    expect(await (await ask(agent)).json()).toEqual({
      agentId: agent.id,
      lines: [],
      streaming: false,
      clients: 0,
    })
  })
})
