import { beforeEach, describe, expect, it, vi } from 'vitest'
import {
  providerNames,
  question,
  useSharedModel,
  withRouting,
} from '#tests/support/ai/shared-model.ts'
import { type Behaviour, cutAfter, delta, fails, says, usage } from '#tests/support/ai/upstream.ts'

const on = useSharedModel()

describe('a provider that failed', () => {
  const after = (seconds: number) => vi.setSystemTime(Date.now() + seconds * 1000)
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date'] })
  })

  it.each<[string, Behaviour]>([
    ['500', fails(500)],
    ['401', fails(401)],
    ['a lost connection', (response) => void response.destroy()],
  ])(
    'a provider that failed with %s is tried last for 30 seconds, and then in its usual place again',
    async (_, fault) => {
      on.plays('router', fault)
      expect(await on.providerOf()).toBe('azure')
      expect(await on.providerOf()).toBe('azure')
      after(29)
      expect(await on.providerOf()).toBe('azure')
      expect(on.asked).toEqual(['router', 'azure', 'azure', 'azure'])
      on.plays('router', says('router', usage(1, 1)))
      after(2)
      expect(await on.providerOf()).toBe('router')
      expect(await on.providerOf()).toBe('router')
    },
  )

  it('is probed by one call, and left out by others in the meantime', async () => {
    on.plays('router', fails(500))
    await on.providerOf()
    on.asked = []
    after(31)
    const { promise: probed, resolve: probe } = Promise.withResolvers<void>()
    on.plays('router', async (response, call) => {
      await probed
      await says('router', usage(1, 1))(response, call)
    })
    const first = on.providerOf()
    await vi.waitFor(() => expect(on.asked).toEqual(['router']))
    expect(await on.providerOf()).toBe('azure')
    probe()
    expect(await first).toBe('router')
    expect(await on.providerOf()).toBe('router')
  })

  it('a provider that failed with Retry-After is left out for that time', async () => {
    on.plays('router', fails(429, 'slow down', { 'retry-after': '3' }))
    await on.providerOf()
    on.asked = []
    after(2)
    await on.providerOf()
    after(2)
    await on.providerOf()
    expect(on.asked).toEqual(['azure', 'router', 'azure'])
  })

  it('a provider that failed in the middle of a stream is left out too', async () => {
    on.plays('router', cutAfter([delta({ content: 'Hel' })]))
    const answer = await on.gateway.chat({ ...question(), stream: true })
    expect(await answer.text()).toContain('AI_INTERRUPTED')
    expect(await on.providerOf()).toBe('azure')
  })

  it('is still tried before another model, and if all others fail', async () => {
    for (const name of providerNames) on.plays(name, fails(500))
    expect((await on.gateway.chat(question())).status).toBe(502)
    on.asked = []
    expect((await on.gateway.chat(question())).status).toBe(502)
    expect(on.asked).toEqual(providerNames)
  })

  it.each([403, 404])('only for this request (%s) is tried first again', async (status) => {
    on.plays('router', fails(status))
    expect(await on.providerOf()).toBe('azure')
    expect(await on.providerOf()).toBe('azure')
    expect(on.asked).toEqual(['router', 'azure', 'router', 'azure'])
  })

  it('comes after other providers of an order', async () => {
    on.plays('groq', fails(500))
    const headers = withRouting({ order: ['groq'] })
    expect(await on.providerOf(headers)).toBe('router')
    expect(await on.providerOf(headers)).toBe('router')
    expect(on.asked).toEqual(['groq', 'router', 'router'])
  })
})
