import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { openEngine, tempDir, until } from '../testing/harness.ts'

const idOf = (arn = '') => arn.split('/').at(-1) ?? ''

/** Runs a shell script to its end and returns its task's id. */
async function finish(engine: Awaited<ReturnType<typeof openEngine>>, script: string) {
  const task = await engine.run({
    taskDefinition: 'sleeper',
    overrides: { containerOverrides: [{ name: 'agent', command: ['/bin/sh', '-c', script] }] },
  })
  await engine.told(task, { lastStatus: 'STOPPED' })
  return idOf(task.taskArn)
}

test('both outputs are stored line by line, with times, also the last line', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const id = await finish(engine, String.raw`printf 'one\r\ntwo\n\nno end'; exit 1`)
  const lines = await engine.readLogs(id)
  expect(lines.map(({ text }) => text)).toEqual(['one', 'two', '', 'no end'])
  for (const { at } of lines) expect(new Date(at).toISOString()).toBe(at)
  const other = await finish(engine, 'echo problem >&2')
  expect(await engine.readLogs(other)).toMatchObject([{ text: 'problem' }])
})

test('a line that arrives in parts is one line with complete characters', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const task = await engine.run()
  await engine.told(task, { healthStatus: 'HEALTHY' })
  await engine.ask(task, `/print?text=${encodeURIComponent('grüß')}`)
  await engine.ask(task, `/print?text=${encodeURIComponent(' dich\n')}`)
  const lines = await until('the line', async () => {
    const found = await engine.readLogs(idOf(task.taskArn))
    return found.length > 0 && found
  })
  expect(lines.map(({ text }) => text)).toEqual(['grüß dich'])
})

test('a huge line is split without loss', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const id = await finish(engine, String.raw`head -c 100000 /dev/zero | tr '\0' x; echo; echo end`)
  const texts = (await engine.readLogs(id)).map(({ text }) => text)
  expect(texts.at(-1)).toBe('end')
  expect(Math.max(...texts.map(({ length }) => length))).toBeLessThanOrEqual(16 * 1024)
  expect(texts.join('')).toBe(`${'x'.repeat(100_000)}end`)
})

test('a flood is rotated, and its end is kept', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  const id = await finish(engine, 'seq 1 1200000')
  const files = await readdir(join(dir.path, 'logs'))
  expect(files).toHaveLength(2)
  for (const file of files) {
    expect((await stat(join(dir.path, 'logs', file))).size).toBeLessThanOrEqual(10 * 1024 * 1024)
  }
  const lines = await engine.readLogs(id, { limit: 300_000 })
  expect(lines).toHaveLength(300_000)
  expect(lines.map(({ text }) => Number(text))).toEqual(
    Array.from({ length: 300_000 }, (_, index) => 900_001 + index),
  )
})

test('a name outside of the folder has no log', async () => {
  await using dir = await tempDir()
  await using engine = await openEngine(dir.path)
  expect(await engine.readLogs('../engine.db')).toEqual([])
  expect(await engine.readLogs('f'.repeat(32))).toEqual([])
})
