import { readFile } from 'node:fs/promises'
import { expect, test } from 'vitest'
import { Work } from './work.ts'

test('a shutdown waits for the writes of an interrupted answer, even if the machine was suspended', async () => {
  const work = new Work()
  const { controller, done } = work.begin()
  let written = false
  controller.signal.addEventListener('abort', () =>
    setTimeout(async () => {
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1_500)
      await readFile(import.meta.filename)
      written = true
      done()
    }),
  )
  await work.drain(0)
  expect(written).toBe(true)
})

test('a shutdown does not wait for an interrupted answer that never ends', async () => {
  const work = new Work()
  const { controller } = work.begin()
  await work.drain(0)
  expect(controller.signal.aborted).toBe(true)
})
