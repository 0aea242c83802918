import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Answer } from './answer.ts'

/**
 * Streams a reply word by word as server-sent events, with the usage last, as OpenAI does.
 * @param wordMs the delay before each word
 */
export async function streamAnswer(
  response: ServerResponse,
  base: { id: string; created: number; model: string },
  { text, finishReason, usage }: Answer,
  wordMs: number,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache' })
  const chunk = (fields: object) =>
    `data: ${JSON.stringify({ ...base, object: 'chat.completion.chunk', ...fields })}\n\n`
  const delta = (fields: object, finish: string | null = null) =>
    chunk({ choices: [{ index: 0, delta: fields, finish_reason: finish }] })
  const words = text.match(/\s*\S+\s*$|\s*\S+/g) ?? []
  const events = [
    delta({ role: 'assistant', content: '' }),
    ...words.map((content) => delta({ content })),
    delta({}, finishReason),
    chunk({ choices: [], usage }),
    'data: [DONE]\n\n',
  ]
  for (const event of events) {
    if (response.destroyed) return
    if (!response.write(event)) await room(response)
    // Send each word in its own packet, as a real model does.
    await (wordMs > 0 ? pause(wordMs) : nextTurn())
  }
  response.end()
}

/** Resolves when there is room for more data or the client has left. */
function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      // Only one of the two events comes; without this, the listener of the other would leak.
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
