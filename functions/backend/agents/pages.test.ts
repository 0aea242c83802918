import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApp } from '#shared/http/app.ts'
import { newId } from '#shared/platform/ids.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { startTestTable, type TestTable } from '#tests/support/platform/table.ts'
import { routes as agents } from '../agents.ts'
import { routes as runtime } from '../runtime.ts'

const key = 'internal-key'
const running = { taskArn: 'task/1', taskStatus: 'RUNNING' } as const

let database: TestTable
const mine = newId('usr')
/** The ids of all agents, of mine and of those that have a container, newest first. */
const ids = { all: [] as string[], mine: [] as string[], running: [] as string[] }

beforeAll(async () => {
  database = await startTestTable()
  for (let i = 0; i < 23; i++) {
    const owner = i % 3 === 0 ? mine : newId('usr')
    const { id } = await putAgent(database.table, owner, i % 2 === 0 ? running : {})
    ids.all.unshift(id)
    if (owner === mine) ids.mine.unshift(id)
    if (i % 2 === 0) ids.running.unshift(id)
  }
  // The ids of two agents created in the same millisecond can be in any order.
  for (const some of Object.values(ids)) some.sort().reverse()
  await putAgent(database.table, mine, { deleting: true })
})
afterAll(() => database.close())

async function ask(path: string, user?: string) {
  const settings = { RATE_LIMITS: 'off', INTERNAL_API_KEY: key } as const
  const { table } = database
  const config = { BACKEND_URL: 'http://localhost:4000' }
  const app = createApp({
    surface: 'backend',
    name: 'backend',
    routes: [...agents, ...runtime] as never,
    services: { table, config } as never,
    settings,
    table,
  })
  const headers = { authorization: `Bearer ${key}`, ...(user && { 'x-user-id': user }) }
  const answer = await app.request(path, { headers })
  return { answer, next: answer.headers.get('x-next-cursor') }
}

interface Listed {
  path: string
  idsOf(body: unknown): string[]
}

const agentList: Listed = {
  path: '/api/agents',
  idsOf: (body) => (body as { id: string }[]).map(({ id }) => id),
}

const instanceList: Listed = {
  path: '/api/runtime/instances',
  idsOf: (body) => {
    const { instances, count } = body as { instances: { agentId: string }[]; count: number }
    expect(count).toBe(instances.length)
    return instances.map(({ agentId }) => agentId)
  },
}

async function walk({ path, idsOf }: Listed, limit: number, user?: string): Promise<string[][]> {
  const pages: string[][] = []
  for (let query = `limit=${limit}`; ;) {
    const { answer, next } = await ask(`${path}?${query}`, user)
    expect(answer.status).toBe(200)
    pages.push(idsOf(await answer.json()))
    if (next === null) return pages
    query = `limit=${limit}&cursor=${next}`
  }
}

describe('the lists of every agent', () => {
  it.each([1, 2, 7, 22, 23, 24, 1000])('have pages of %s', async (limit) => {
    for (const [list, whole] of [
      [agentList, ids.all],
      [instanceList, ids.running],
    ] as const) {
      const pages = await walk(list, limit)
      expect(pages.flat()).toEqual(whole)
      expect(pages).toHaveLength(Math.ceil(whole.length / limit))
    }
  })

  it('contain only agents of the user in x-user-id', async () => {
    expect((await walk(agentList, 3, mine)).flat()).toEqual(ids.mine)
    const running = ids.mine.filter((id) => ids.running.includes(id))
    expect((await walk(instanceList, 3, mine)).flat()).toEqual(running)
    // A cursor is a position and grants no access: other users' agents stay hidden.
    const { answer } = await ask(`/api/agents?cursor=${ids.all[0]}`, newId('usr'))
    expect(await answer.json()).toEqual([])
  })

  it('are complete if no page is requested', async () => {
    const { answer, next } = await ask('/api/agents')
    expect([agentList.idsOf(await answer.json()), next]).toEqual([ids.all, null])
  })

  it.each(['limit=-1', 'limit=1.5', 'limit=x', 'cursor=x', 'cursor=', 'cursor=agt_%23'])(
    'reject %s',
    async (query) => {
      for (const { path } of [agentList, instanceList])
        expect((await ask(`${path}?${query}`)).answer.status).toBe(400)
    },
  )
})
