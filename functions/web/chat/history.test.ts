import { describe, expect, it } from 'vitest'
import { storeMessage } from '#shared/conversations/chat/message.ts'
import type { ChatMessage } from '#shared/conversations/chat/schema.ts'
import { newId, newSeed } from '#shared/platform/ids.ts'
import { userStore } from '#shared/platform/table/user-store.ts'
import { putAgent } from '#tests/support/agents/agent-rows.ts'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { storeTurn } from '#tests/support/conversations/stored-turns.ts'

const on = usePlayedAgent()

const numbers = (from: number, to: number) =>
  Array.from({ length: to - from + 1 }, (_, i) => String(from + i))

/**
 * Creates an agent of Ada's with messages, `1` the first.
 * @param topicOf names a message's conversation
 */
async function asked(
  count: number,
  { after = '', topicOf }: { after?: string; topicOf?: (n: number) => string | undefined } = {},
) {
  const { table } = on.accounts
  const { id: agentId } = await putAgent(table, on.ada.id, {
    address: on.agent.address,
    id: newId('agt'),
  })
  const store = userStore(table, on.ada.id)
  for (let n = 1; n <= count; n++) {
    const topic = topicOf?.(n)
    const about = { agentId, platform: 'web', ...(topic !== undefined && { topic }) }
    const message = { ...about, sender: 'user' as const, content: `${n}${after}` }
    await storeMessage(store, { message, seed: newSeed(n) })
  }
  return agentId
}

async function page(query: string) {
  const answer = await on.history(query)
  expect(answer.status).toBe(200)
  const { messages, count } = (await answer.json()) as { messages: ChatMessage[]; count: number }
  expect(count).toBe(messages.length)
  return {
    messages,
    said: messages.map(({ content }) => /^\d+/.exec(content)?.[0]),
    next: answer.headers.get('x-next-cursor'),
  }
}

/** Returns all pages, newest first. */
async function pages(query: string) {
  const messages: (string | undefined)[][] = []
  let cursor = ''
  for (;;) {
    const { next, ...one } = await page(`${query}${cursor}`)
    messages.push(one.said)
    if (next === null) return messages
    cursor = `&cursor=${next}`
  }
}

describe('the history of a chat', () => {
  it('continues before its last messages, page by page to the first', async () => {
    const agentId = await asked(25)
    const query = `?agentId=${agentId}&limit=10`
    expect(await pages(query)).toEqual([numbers(16, 25), numbers(6, 15), numbers(1, 5)])
    expect(await pages(`?agentId=${agentId}&limit=25`)).toEqual([numbers(1, 25)])
  })

  it('the history of one conversation skips messages of others, however many there are', async () => {
    const agentId = await asked(2100, { topicOf: (n) => ([1, 2, 2100].includes(n) ? 'a' : 'b') })
    const ofTopic = `?agentId=${agentId}&topic=a&limit=2`
    const found = await pages(ofTopic)
    expect(found.flat().toSorted()).toEqual(['1', '2', '2100'])
    expect(found.length).toBeLessThanOrEqual(3)
    expect(await pages(`?agentId=${agentId}&topic=none&limit=2`)).toEqual([[], []])
  })

  it('returns the model and the tokens of a reply in a conversation, on each page', async () => {
    const agentId = await asked(0)
    const usage = { prompt_tokens: 1, completion_tokens: 2, total_tokens: 3 }
    for (const at of [1, 3])
      await storeTurn(on.accounts.table, on.ada.id, {
        agentId,
        message: 'Well?',
        at,
        answer: { afterMs: 1, model: 'a/b', usage },
      })
    const { next } = await page(`?agentId=${agentId}&topic=default&limit=2`)
    const before = await page(`?agentId=${agentId}&topic=default&limit=2&cursor=${next}`)
    expect(before.messages).toMatchObject([{ sender: 'user' }, { model: 'a/b', usage }])
    expect(before.next).toBeNull()
  })

  it('fills a page up to the response size', async () => {
    // JSON escapes quotes, so this text grows most.
    const agentId = await asked(30, { after: '"'.repeat(119_000) })
    const found = await pages(`?agentId=${agentId}&limit=100`)
    expect(found.length).toBeGreaterThan(1)
    expect(found.toReversed().flat()).toEqual(numbers(1, 30))
    const answer = await on.history(`?agentId=${agentId}&limit=100`)
    expect(JSON.stringify(await answer.text()).length).toBeLessThan(6_000_000)
  })

  it('rejects a foreign cursor, and another user’s agent', async () => {
    const agentId = await asked(3)
    const { next } = await page(`?agentId=${agentId}&limit=1`)
    const query = `?agentId=${agentId}&limit=1&cursor=`
    const other = await asked(3)
    const strange = next?.replace(agentId, other)
    for (const cursor of ['', '%20', 'a.b', '_w', '-', `${agentId}-_w`, 'x'.repeat(1401)])
      expect((await on.history(query + cursor)).status).toBe(400)
    expect((await on.history(`${query}${strange}`)).status).toBe(400)
    const eve = await on.accounts.signUp('eve-of-history@b.co')
    expect((await on.history(query + next, eve.session)).status).toBe(404)
    expect((await on.history(`?cursor=${next}`, eve.session)).status).toBe(404)
    expect((await on.history(query + next, 'usr_x.nonsense')).status).toBe(401)
  })

  it('continues with the same agent, if the request does not name one', async () => {
    const agentId = await asked(3)
    const { next } = await page(`?agentId=${agentId}&limit=2`)
    await asked(3)
    const { messages } = await page(`?limit=2&cursor=${next}`)
    expect(messages).toMatchObject([{ agentId, content: '1' }])
    expect(await page(`?limit=0&cursor=${next}`)).toEqual({ messages: [], said: [], next: null })
  })
})
