import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import * as z from 'zod'
import { type MessageQueue, startMessageQueue } from '#tests/support/platform/message-queue.ts'
import { topic } from './topic.ts'

let dir: string
let queue: MessageQueue

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'sqs-'))
  queue = await startMessageQueue('notices', dir)
})
afterAll(async () => {
  await queue.close()
  await rm(dir, { recursive: true, force: true })
})

it('carries every character of a text, also those that SQS rejects', async () => {
  const characters = ['\0', '\u001f', '\ud7ff', '\ue000', '\ufffd', '\ufffe', '\uffff', '😀', '"\\']
  const messages = characters.map((text) => ({ text: `a${text}b`, [`key ${text}`]: 1 }))
  const texts = topic('notices', () => z.unknown())
  await queue.queues.send(texts, messages)
  await queue.queues.sendAll(texts, messages)
  const received = await queue.take()
  expect(received).toHaveLength(1 + messages.length)
  expect(received).toEqual(expect.arrayContaining<unknown>([messages, ...messages]))
})
