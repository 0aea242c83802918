import { describe, expect, it } from 'vitest'
import { newSubscriber, stack } from '../support/stack/platform.ts'

/** Sends a body without a Content-Length, as programs do that stream it. */
async function post(url: string, parts: readonly string[], headers: Record<string, string>) {
  const body = ReadableStream.from(parts.map((part) => new TextEncoder().encode(part)))
  const init = { method: 'POST', body, duplex: 'half' } as const
  return fetch(url, { ...init, headers: { 'content-type': 'application/json', ...headers } })
}

describe('a body without a length', () => {
  it('is read by functions that stream', async () => {
    const { session } = await newSubscriber('solo')
    const task = JSON.stringify({ name: 'n', cronSchedule: '0 0 * * *', prompt: 'p', agentId: 'a' })
    const parts = [task.slice(0, 20), task.slice(20)]
    const answer = await post(`${stack().web}/api/scheduled-tasks`, parts, session)
    expect([answer.status, await answer.json()]).toEqual([404, { error: 'Agent not found' }])
  })

  it('is read by the AI gateway', async () => {
    const headers = { authorization: `Bearer ${stack().internalKey}`, 'x-user-plan': 'solo' }
    const paid = { ...headers, 'x-billing-subscription-id': 'sub_1', 'x-user-id': 'usr_chunks' }
    const parts = ['{"messages":[{"role":"user",', '"content":"Hello"}]}']
    const answer = await post(`${stack().backend}/v1/chat/completions`, parts, paid)
    expect(answer.status).toBe(200)
    expect(await answer.text()).toContain('Hello')
  })

  it.each(['/api/chat', '/api/auth/login'])('is not read above its limit: %s', async (path) => {
    const parts = ['{"a":"', ...Array.from({ length: 12 }, () => 'a'.repeat(100_000)), '"}']
    expect((await post(stack().web + path, parts, {})).status).toBe(413)
  })
})
