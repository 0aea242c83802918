import type { ServerResponse } from 'node:http'
import { setImmediate as nextTurn, setTimeout as pause } from 'node:timers/promises'
import type { Answer } from './answer.ts'

/**
 * Sends an answer word by word as server-sent events, the usage last, as OpenAI does.
 * @param wordMs how long it thinks before each word
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
    // Each in a packet of its own, as a model that thinks between words sends them.
    await (wordMs > 0 ? pause(wordMs) : nextTurn())
  }
  response.end()
}

/** Resolves once there is room again, or the reader has left. */
function room(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      // Whichever of the two does not come would otherwise stay, one more for every wait.
      response.off('drain', done).off('close', done)
      resolve()
    }
    response.on('drain', done).on('close', done)
  })
}
