import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { useFront } from '../testing/front.ts'

const on = useFront()

describe('memory', () => {
  const longTerm = () => readFile(join(on.dir, 'workspace/MEMORY.md'), 'utf8')
  const put = (key: string, memory: string) =>
    on.ask(`/memory/${key}`, { method: 'PUT', body: JSON.stringify({ memory }) })

  test('is stored where OpenClaw reads it, together with the agent’s own notes', async () => {
    await put('name', 'Ann')
    expect(await longTerm()).toMatch(
      /^<!-- notes: begin.*-->\n## name\nAnn\n<!-- notes: end -->\n$/s,
    )
    await writeFile(join(on.dir, 'workspace/MEMORY.md'), `My own.\n${await longTerm()}And more.\n`)
    await put('2026-01-02', 'a daily note')
    await put('pet', 'Rex')
    const text = await longTerm()
    expect(text).toMatch(/^My own\.\nAnd more\.\n\n<!-- notes: begin/)
    expect(text).toMatch(/## pet\nRex\n## name\nAnn\n/)
    expect(text).not.toContain('daily')
    expect(await (await on.ask('/memory')).json()).toMatchObject({ count: 3 })

    await on.ask('/memory/name', { method: 'DELETE' })
    await on.ask('/memory/pet', { method: 'DELETE' })
    expect((await longTerm()).trim()).toBe('My own.\nAnd more.')
    expect((await on.ask('/memory', { method: 'DELETE' })).status).toBe(200)
    await expect(longTerm()).rejects.toThrow('ENOENT')
  })

  test('is limited to what OpenClaw accepts, the newest first', async () => {
    await put('old', 'o'.repeat(10_000))
    await put('new', 'n'.repeat(10_000))
    const text = await longTerm()
    expect(text.length).toBeLessThan(20_000)
    expect(text).toContain('n'.repeat(10_000))
    expect(text).toContain('o […] (memory/old.md)')
  })
})

test('stores skills where OpenClaw reads them, and hides disabled ones', async () => {
  const document = '---\nname: maps\ndescription: Finds\n---\nGo.'
  const path = join(on.dir, 'workspace/skills/maps/SKILL.md')
  await on.ask('/skills/maps', { method: 'PUT', body: JSON.stringify({ document }) })
  expect(await readFile(path, 'utf8')).toBe(document)
  await on.ask('/skills/maps/disable', { method: 'POST' })
  await expect(readFile(path, 'utf8')).rejects.toThrow('ENOENT')
  await on.ask('/skills/maps/enable', { method: 'POST' })
  expect(await readFile(path, 'utf8')).toBe(document)
})

test('counts messages and the resources of the processes, and does not log OpenClaw’s paths', async () => {
  await (await on.ask('/v1/chat/completions', { method: 'POST', body: '{}' })).text()
  on.answers = (_, response) => void response.writeHead(402).end('{}')
  await (await on.ask('/v1/chat/completions', { method: 'POST', body: '{}' })).text()
  await (await on.ask('/private/path')).text()
  const stats = (await (await on.ask('/stats')).json()) as Record<string, number>
  expect(stats).toMatchObject({ messages: 2, errors: 1, averageResponseMs: expect.any(Number) })
  expect(stats['memoryBytes']).toBeGreaterThan(10_000_000)
  expect(stats['pids']).toBeGreaterThanOrEqual(1)
  expect(on.lines.join('\n')).not.toContain('private')
  expect(on.lines.join('\n')).toContain('/v1/chat/completions')
})
