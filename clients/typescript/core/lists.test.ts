import { describe, expect, it } from 'vitest'
import { json, startFailingServer } from '../../../tests/support/http/failing-server.ts'
import { Platform } from '../index.ts'

async function asked(replies: Parameters<typeof startFailingServer>) {
  const server = await startFailingServer(...replies)
  const platform = new Platform({ baseUrl: server.url, apiKey: 'sk_test', maxRetries: 0 })
  return { server, platform, [Symbol.asyncDispose]: () => server[Symbol.asyncDispose]() }
}

describe('a list of several pages', () => {
  const page = (ids: string[], next?: string) =>
    json(200, { requests: ids.map((at) => ({ at })) }, next ? { 'x-next-cursor': next } : {})

  it('is read by offset', async () => {
    const messages = (ids: string[]) => json(200, { messages: ids.map((id) => ({ id })), total: 3 })
    await using one = await asked([messages(['1', '2']), messages(['3'])])
    const found: string[] = []
    for await (const { id } of one.platform.agents.messages.list('agt_1')) found.push(id)
    expect(found).toEqual(['1', '2', '3'])
    expect(one.server.seen.map(({ url }) => url.split('?')[1])).toEqual([undefined, 'offset=2'])
  })

  it('is read by the cursor of each page', async () => {
    await using one = await asked([page(['1', '2'], 'a-b'), page(['3'])])
    const found: string[] = []
    for await (const { at } of one.platform.agents.brokerRequests.list('agt_1', { limit: 2 }))
      found.push(at)
    expect(found).toEqual(['1', '2', '3'])
    const queries = one.server.seen.map(({ url }) => url.split('?')[1])
    expect(queries).toEqual(['limit=2', 'limit=2&cursor=a-b'])
  })

  it('returns its first page if it is awaited', async () => {
    await using one = await asked([page(['1'], 'more')])
    expect(await one.platform.agents.brokerRequests.list('agt_1')).toEqual([{ at: '1' }])
    expect(one.server.seen).toHaveLength(1)
  })

  it('fails if a page fails', async () => {
    await using one = await asked([page(['1'], 'more'), json(404, { error: 'gone' })])
    const found: string[] = []
    const all = async () => {
      for await (const { at } of one.platform.agents.brokerRequests.list('agt_1')) found.push(at)
    }
    await expect(all()).rejects.toThrow('gone')
    expect(found).toEqual(['1'])
  })

  it('continues if its body names a next page', async () => {
    const users = (ids: string[], nextCursor: string | null) =>
      json(200, { users: ids.map((id) => ({ id })), nextCursor })
    await using one = await asked([users(['2'], '2'), users([], '1'), users(['1'], null)])
    const found: string[] = []
    for await (const { id } of one.platform.operator.users.list()) found.push(id)
    expect(found).toEqual(['2', '1'])
    const queries = one.server.seen.map(({ url }) => url.split('?')[1])
    expect(queries).toEqual([undefined, 'cursor=2', 'cursor=1'])
  })
})
