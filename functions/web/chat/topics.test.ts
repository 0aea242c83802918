import { describe, expect, it } from 'vitest'
import { usePlayedAgent } from '#tests/support/conversations/played-agent.ts'
import { say } from '../../../agent/gateway/testing/upstream.ts'

const on = usePlayedAgent()

describe('topics', () => {
  it('list the conversations with an agent, the latest first', async () => {
    on.gateway.reply = (response) => say(response, 'Fine.')
    await on.send({ topic: 'a # b / \u{1F600}' })
    await on.send({})
    await on.send({ topic: 'a # b / \u{1F600}' })
    const answer = await on.topics(`?agentId=${on.agent.id}`)
    expect(await answer.json()).toEqual({
      topics: [
        { topic: 'a # b / \u{1F600}', lastAt: expect.any(String), messages: 4 },
        { topic: 'default', lastAt: expect.any(String), messages: 2 },
      ],
    })
    expect((await on.topics('')).status).toBe(200)
  })

  it('are listed only for their user', async () => {
    const eve = await on.accounts.signUp('eve-of-topics@b.co')
    expect((await on.topics(`?agentId=${on.agent.id}`, eve.session)).status).toBe(404)
    expect(await (await on.topics('', eve.session)).json()).toEqual({ topics: [] })
    expect((await on.topics('', 'usr_x.nonsense')).status).toBe(401)
    expect((await on.topics('?agentId=')).status).toBe(400)
  })
})
