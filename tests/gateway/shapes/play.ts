import { brotliCompressSync, gzipSync } from 'node:zlib'
import type { Behaviour } from '#tests/support/ai/upstream.ts'
import { asia } from './asia.ts'
import { hosts } from './hosts.ts'
import { local } from './local.ts'
import { openai } from './openai.ts'
import { routers } from './routers.ts'
import { json, said, type Sent, type Shape, whole } from './shape.ts'

/** Every shape, by the name of its test. */
export const shapes: readonly [string, Shape][] = [openai, hosts, asia, routers, local]
  .flat()
  .map((shape) => [`${shape.vendor}: ${shape.how}`, shape])

const pack = { gzip: gzipSync, br: brotliCompressSync }

/**
 * A provider that answers in that shape, in packets that split events anywhere. If the shape lacks the requested form,
 * streamed or whole, it answers in the other form. A request with a tool's result gets a plain answer.
 */
export function plays({ stream, whole: given }: Shape): Behaviour {
  return async (response, { body }) => {
    const messages = body.messages as { role: string }[]
    const isLater = messages.some(({ role }) => role === 'tool')
    const streamed = body.stream === true ? (stream ?? given) : (given ?? stream)
    const sent: Sent = isLater ? json(whole({ ...said, content: 'Done.' })) : (streamed as Sent)
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
