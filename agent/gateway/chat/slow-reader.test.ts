import { once } from 'node:events'
import { expect, test } from 'vitest'
import { until } from '../testing/gateway.ts'
import { beginStream, endStream, sayChunk } from '../testing/upstream.ts'
import { useAgent } from '../testing/use.ts'

const on = useAgent()

/** More data than all buffers between the AI gateway and a caller can hold. */
const pieces = 2000
const piece = 'x'.repeat(65_536)

test('a stream is read from the model no faster than its reader reads it, and arrives complete', async () => {
  let said = 0
  on.upstream.reply = async (response) => {
    beginStream(response)
    for (; said < pieces; said++) {
      sayChunk(response, piece)
      if (response.writableNeedDrain) await once(response, 'drain')
    }
    endStream(response)
  }
  const messages = [{ role: 'user', content: 'Hi' }]
  const answer = await on.gateway.chat({ messages, stream: true })
  const stands = async () => {
    const before = said
    for (let i = 0; i < 50; i++) await on.gateway.json('/sessions')
    return said === before
  }
  await until(stands, 60_000)
  expect(said).toBeLessThan(pieces)

  let length = 0
  let end = ''
  for await (const chunk of answer.body ?? []) {
    length += chunk.length
    end = Buffer.from(chunk).toString()
  }
  expect(length).toBeGreaterThan(pieces * piece.length)
  expect(end).toContain('data: [DONE]')
})
