import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import type { Agent } from '../../../shared/agents/agent.ts'
import { restartAgent } from '../../../shared/agents/lifecycle/restart.ts'
import { createApp } from '../../../shared/http/app.ts'
import { cloudwatchLogs } from '../../../shared/platform/logs/cloudwatch.ts'
import { eventually } from '../../../tests/support/eventually.ts'
import { type Fleet, startFleet } from '../../../tests/support/fleet.ts'
import { routes } from './index.ts'
import type { LogServices } from './services.ts'

const key = 'the-internal-key'

let fleet: Fleet
let app: { request(path: string, init: RequestInit): Response | Promise<Response> }

beforeAll(async () => {
  fleet = await startFleet()
  app = createApp<LogServices>({
    surface: 'backend',
    name: 'backend-logs',
    routes,
    services: {
      table: fleet.table,
      logs: cloudwatchLogs({ logGroup: 'agents', endpoint: fleet.endpoint }),
      key,
      pace: { settle: 200, longestWait: 50 },
      lastsMs: 600_000,
    },
    settings: { INTERNAL_API_KEY: key, RATE_LIMITS: 'off' },
    table: fleet.table,
  })
})
afterAll(() => fleet.close())
beforeEach(() => fleet.forget())

const ask = async ({ id }: Agent, query = '') =>
  app.request(`/api/logs/${id}/history${query}`, { headers: { authorization: `Bearer ${key}` } })

async function linesOf(agent: Agent, query?: string): Promise<{ at: string; text: string }[]> {
  const { lines } = (await (await ask(agent, query)).json()) as {
    lines: { at: string; text: string }[]
  }
  return lines
}

const textsOf = async (agent: Agent, query?: string) =>
  (await linesOf(agent, query)).map(({ text }) => text)

const running = async () => fleet.untilRunning(await fleet.started())

/** Has the agent's process print something. */
async function print(agent: Agent, text: string): Promise<void> {
  const { address } = await fleet.row(agent)
  await fetch(`http://127.0.0.1:${address?.port}/print?text=${encodeURIComponent(text)}`)
}

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => `line ${from + i}`)

describe('a history', () => {
  it('is the last lines with their times, as many as asked for', async () => {
    const agent = await running()
    await print(agent, `${numbers(1, 150).join('\n')}\n`)
    await eventually(async () => expect((await textsOf(agent)).at(-1)).toBe('line 150'))
    expect(await textsOf(agent, '?limit=100')).toEqual(numbers(51, 150))
    expect(await linesOf(agent, '?limit=2')).toEqual([
      { at: expect.stringMatching(/^\d{4}-.*Z$/), text: 'line 149' },
      { at: expect.stringMatching(/^\d{4}-.*Z$/), text: 'line 150' },
    ])
    expect(await linesOf(agent, '?limit=0')).toEqual([])
    expect(await linesOf(agent, '?limit=999999')).toHaveLength(150)
  })

  it('has what was printed before a restart, also while there is no container yet', async () => {
    const agent = await running()
    await print(agent, 'about to fail\nfailed\n')
    await eventually(async () => expect(await textsOf(agent)).toEqual(['about to fail', 'failed']))
    await restartAgent(fleet.services, await fleet.row(agent), 'restart')
    expect(await textsOf(agent)).toEqual(['about to fail', 'failed'])
    await fleet.untilRunning(agent)
    await print(agent, 'here again\n')
    const all = ['about to fail', 'failed', 'here again']
    await eventually(async () => expect(await textsOf(agent)).toEqual(all))
    expect(await textsOf(agent, '?limit=2')).toEqual(all.slice(1))
    expect(await textsOf(agent, '?limit=1')).toEqual(all.slice(2))
  })

  it.each(['-1', 'ten', '1.5', ''])('with limit=%s is refused', async (limit) => {
    const answer = await ask(await fleet.started(), `?limit=${limit}`)
    expect(answer.status).toBe(400)
    expect(await answer.json()).toEqual({ error: expect.stringContaining('limit') })
  })

  it('of an agent that never ran is empty', async () => {
    const agent = await fleet.started()
    expect(await (await ask(agent)).json()).toEqual({
      agentId: agent.id,
      lines: [],
      streaming: false,
      clients: 0,
    })
  })
})
