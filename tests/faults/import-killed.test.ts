import { randomUUID } from 'node:crypto'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFailed, onTestFinished } from 'vitest'
import { eventually, untilFound } from '../support/clock/eventually.ts'
import { archiveOf, filesIn } from '../support/conversations/archive-scenes.ts'
import { call } from '../support/http/client.ts'
import { startOwnStack } from '../support/stack/stack-process.ts'

/** Longer than the lease of a killed request. */
const heldMs = 120_000

const lines = Array.from({ length: 6000 }, (_, i) =>
  JSON.stringify({
    sender: i % 2 === 0 ? 'user' : 'agent',
    content: `Message ${i}`,
    timestamp: new Date(Date.UTC(2026, 0, 1) + i * 1000).toISOString(),
    platform: 'web',
  }),
)

it('an import whose machine is killed is created once, whole, by its retry or without one', async () => {
  const stack = await startOwnStack()
  onTestFailed(() => void process.stdout.write(stack.now().output()))
  onTestFinished(() => stack[Symbol.asyncDispose]())
  const user = await stack.newSubscriber('network')
  const conversations = `${lines.join('\n')}\n`
  const schedules = [{ name: 'Check', cronSchedule: '0 7 1 1 *', prompt: 'Well?' }]
  const zip = new Uint8Array(
    archiveOf({
      'memory/tea.md': 'green',
      'schedules.json': JSON.stringify(schedules),
      'conversations.jsonl': conversations,
    }),
  )
  const bring = (key: string) =>
    fetch(`${stack.now().web}/api/agents/import`, {
      method: 'POST',
      body: zip,
      headers: { ...user.session, 'content-type': 'application/zip', 'idempotency-key': key },
    })
  const kept = async () =>
    (await readdir(join(stack.dataDir, 'objects'), { recursive: true })).filter((name) =>
      name.endsWith('.json.gz'),
    )
  const agents = async () =>
    (await call(`${stack.now().web}/api/agents`, { headers: user.session })).body.agents as {
      id: string
    }[]

  const keys = [randomUUID(), randomUUID()] as const
  for (const key of keys) {
    const before = await kept().catch(() => [])
    const first = bring(key).catch(() => undefined)
    await untilFound(async () => (await kept().catch(() => [])).length > before.length)
    await stack.now().kill()
    await first
    await stack.startAgain()
  }
  // The client retries the first import, and never retries the second.
  const again = await eventually(async () => {
    const answer = await bring(keys[0])
    expect(answer.status).toBe(201)
    return ((await answer.json()) as { agent: { id: string } }).agent
  }, heldMs)
  const both = await eventually(async () => {
    const found = await agents()
    expect(found).toHaveLength(2)
    return found
  }, 2 * heldMs)
  expect(both.map(({ id }) => id)).toContain(again.id)
  for (const { id } of both) {
    const answer = await fetch(`${stack.now().web}/api/agents/${id}/export`, {
      headers: user.session,
    })
    const files = await filesIn(new Uint8Array(await answer.arrayBuffer()))
    expect(files['memory/tea.md']).toBe('green')
    expect(files['conversations.jsonl']).toBe(conversations)
    expect(JSON.parse(files['schedules.json'] ?? '')).toHaveLength(1)
  }
  const { body } = await call(`${stack.now().web}/api/scheduled-tasks`, { headers: user.session })
  expect(body.count).toBe(2)
})
