import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Behaviour } from '#tests/support/ai/upstream.ts'
import { asia } from './asia.ts'
import { hosts } from './hosts.ts'
import { localTools } from './local-tools.ts'
import { local } from './local.ts'
import { openai } from './openai.ts'
import { routers } from './routers.ts'
import { chunk, events, json, lastChunk, said, type Sent, type Shape, whole } from './shape.ts'
import { tools } from './tools.ts'

/** Every shape, by the name of its test. */
export const shapes: readonly [string, Shape][] = [
  openai,
  hosts,
  asia,
  routers,
  local,
  tools,
  localTools,
]
  .flat()
  .map((shape) => [`${shape.vendor}: ${shape.how}`, shape])

const pack = { gzip: gzipSync, br: brotliCompressSync }

/** The expected answer in OpenAI's form. */
function standard({ expected }: Shape): Required<Pick<Shape, 'stream' | 'whole'>> {
  const { content = null, calls = [], finish = 'stop' } = expected
  const tool_calls = calls.map(({ name, arguments: given }, index) => ({
    index,
    id: `call_${index}`,
    type: 'function',
    function: { name, arguments: JSON.stringify(given) },
  }))
  const message = { role: 'assistant', content, ...(calls.length > 0 && { tool_calls }) }
  return {
    stream: events(chunk(message), chunk({}, finish), lastChunk, '[DONE]'),
    whole: json(whole(message, finish)),
  }
}

/**
 * A provider that answers in that shape, in packets that split events anywhere. If the shape lacks the requested form,
 * streamed or whole, it answers in OpenAI's. A request with a tool's result gets a plain answer.
 */
export function plays(shape: Shape): Behaviour {
  const { stream = standard(shape).stream, whole: given = standard(shape).whole } = shape
  return async (response, { body }) => {
    const messages = body.messages as { role: string }[]
    const isLater = messages.some(({ role }) => role === 'tool')
    const asked = body.stream === true ? stream : given
    const sent: Sent = isLater ? json(whole({ ...said, content: 'Done.' })) : asked
    const bytes = Buffer.from(sent.body)
    const packed = sent.packed === undefined ? bytes : pack[sent.packed](bytes)
    response.writeHead(200, {
      ...(sent.type !== undefined && { 'content-type': sent.type }),
      ...(sent.packed && { 'content-encoding': sent.packed }),
    })
    for (let at = 0; at < packed.length; at += 250) {
      response.write(packed.subarray(at, at + 250))
      await new Promise(setImmediate)
    }
    response.end()
  }
}
