import { describe, expect, it } from 'vitest'
import type { Agent } from '#shared/agents/record/agent.ts'
import { storeMessage } from '#shared/conversations/chat/message.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { useLifecycle } from '#tests/support/conversations/agent-lifecycle.ts'

const on = useLifecycle()

describe('messages', () => {
  it('are returned by the page, the newest first, with their total', async () => {
    const talker = await putAgent(on.table, on.ada.id, {
      address: on.agent.address,
      id: newId('agt'),
    })
    for (const [i, sender] of (['user', 'agent', 'user', 'agent', 'user'] as const).entries())
      await keep(talker, sender, i + 1, `message ${i + 1}`)
    const page = async (query: string) =>
      (await on.get(`/api/agents/${talker.id}/messages${query}`)).body
    expect(await page('?limit=2&offset=1')).toEqual({
      messages: [message(talker, 'agent', 4), message(talker, 'user', 3)],
      total: 5,
      limit: 2,
      offset: 1,
      status: 'ok',
    })
    expect(await page('')).toMatchObject({ limit: 50, offset: 0, total: 5 })
    expect((await page('')).messages).toHaveLength(5)
    expect(await page('?limit=5000&offset=99')).toMatchObject({ messages: [], limit: 100 })
  })

  it('are found behind many long ones', async () => {
    const talker = await putAgent(on.table, on.ada.id, { address: on.agent.address })
    const long = 'x'.repeat(100_000)
    for (let i = 1; i <= 25; i++) await keep(talker, 'user', i, `message ${i} ${long}`)
    const query = '?limit=3&offset=20'
    const { body } = await on.get(`/api/agents/${talker.id}/messages${query}`)
    const shown = (body.messages as { content: string }[]).map(({ content }) => content)
    expect(shown.map((content) => content.slice(0, 9))).toEqual([
      'message 5',
      'message 4',
      'message 3',
    ])
  })

  it('fill a page up to the response size, and continue on the next one', async () => {
    const talker = await putAgent(on.table, on.ada.id, { address: on.agent.address })
    // JSON escapes quotes, so this text grows most.
    for (let i = 1; i <= 30; i++) await keep(talker, 'user', i, `${i} ${'"'.repeat(119_000)}`)
    const shown: string[] = []
    while (shown.length < 30) {
      const { body } = await on.get(
        `/api/agents/${talker.id}/messages?limit=100&offset=${shown.length}`,
      )
      const messages = body.messages as { content: string }[]
      expect(messages.length).toBeGreaterThan(0)
      expect(JSON.stringify(JSON.stringify(body)).length).toBeLessThan(6_000_000)
      shown.push(...messages.map(({ content }) => content.split(' ')[0] ?? ''))
    }
    expect(shown).toEqual(Array.from({ length: 30 }, (_, i) => String(30 - i)))
  })

  it.each(['limit=-1', 'limit=x', 'offset=-1', 'offset=1.5'])('reject %s', async (query) => {
    const { status, body } = await on.get(`/api/agents/${on.agent.id}/messages?${query}`)
    expect(status).toBe(400)
    expect(body.error).toContain(query.split('=')[0])
  })
})

function message({ id }: Agent, sender: string, number: number) {
  return {
    id: expect.stringMatching(/^msg_/),
    agentId: id,
    sender,
    content: `message ${number}`,
    timestamp: expect.any(String),
    platform: 'web',
  }
}

/** @param number the position of the message; messages of the same millisecond can be in any order */
async function keep(
  { id }: Agent,
  sender: 'user' | 'agent',
  number: number,
  content: string,
): Promise<void> {
  const about = { agentId: id, topic: undefined, platform: 'web', content }
  const seed = newSeed(Date.now() + number)
  await storeMessage(userStore(on.table, on.ada.id), { message: { ...about, sender }, seed })
}
