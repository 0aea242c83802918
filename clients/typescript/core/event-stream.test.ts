import { createParser } from 'eventsource-parser'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { readEvents, type ServerSentEvent } from './event-stream.ts'

const lines = fc.oneof(
  fc.constantFrom('', '', '', 'data', 'data:', 'data: {"a":1}', 'event: delta', 'event:', 'id: 7'),
  fc.constantFrom(
    ': alive',
    'retry: 5',
    'retry: x',
    ' data: no',
    'Data: no',
    'data : no',
    'id: \0',
  ),
  fc.string({ unit: 'grapheme', maxLength: 6 }).map((text) => `data:${text}`),
)
const texts = fc
  .array(fc.tuple(lines, fc.constantFrom('\n', '\r\n', '\r')))
  .map((all) => `\uFEFF${all.map((parts) => parts.join('')).join('')}\n\n`)

/** Returns a response whose bytes arrive in chunks of these lengths, repeated in order. */
function inPieces(text: string, lengths: readonly number[]): Response {
  const bytes = new TextEncoder().encode(text)
  const body = new ReadableStream<Uint8Array>({
    start(out) {
      for (let at = 0, i = 0; at < bytes.length; i++) {
        const length = lengths[i % lengths.length] ?? 1
        out.enqueue(bytes.subarray(at, at + length))
        at += length
      }
      out.close()
    },
  })
  return new Response(body)
}

it('reads the same events as eventsource-parser, at any chunk boundary', async () => {
  const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 })
  await fc.assert(
    fc.asyncProperty(texts, cuts, async (text, lengths) => {
      const expected: ServerSentEvent[] = []
      createParser({ onEvent: (event) => expected.push(event) }).feed(text)
      const found: ServerSentEvent[] = []
      for await (const event of readEvents(inPieces(text, lengths))) found.push(event)
      expect(found).toEqual(expected)
    }),
  )
})
