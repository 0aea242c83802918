import { once } from 'node:events'
import type { Writable } from 'node:stream'
import { setTimeout as wait } from 'node:timers/promises'
import type { APIGatewayProxyEvent } from 'aws-lambda'

/** Continues a stream of chunks. */
let goOn = () => {}

declare const awslambda: {
  streamifyResponse(
    handler: (event: APIGatewayProxyEvent, response: Writable) => Promise<void>,
  ): unknown
  HttpResponseStream: { from(response: Writable, head: object): Writable }
}

/** A streaming function that does what the last segment of the path says and logs the outcome. */
export const handler = awslambda.streamifyResponse(async (event, response) => {
  const { last = '', query } = parse(event)
  response.once('close', () => say({ closed: last, finished: response.writableFinished }))
  if (last === 'throw-first') throw new Error('before the first byte')
  const out = awslambda.HttpResponseStream.from(response, {
    statusCode: 202,
    headers: {
      'content-type': 'text/event-stream',
      ...(last === 'bad-header' && { 'bad name': 'x' }),
    },
    cookies: ['s=1', 't=2'],
  })
  if (last === 'chunks')
    for (const word of ['one', 'two', 'three']) {
      out.write(`data: ${word}\n\n`)
      await new Promise<void>((resolve) => (goOn = resolve))
    }
  if (last === 'next') goOn()
  if (last === 'bad-header') out.write('never seen')
  if (last === 'throw-later') {
    out.write('some')
    await wait(20)
    throw new Error('in the middle')
  }
  if (last === 'forever')
    for (let i = 0; !out.destroyed; i++) {
      out.write(`data: ${i}\n\n`)
      await wait(10)
    }
  if (last === 'flood') {
    let written = 0
    while (written < query) {
      written += 16_384
      say({ written })
      if (!out.write(Buffer.alloc(16_384, 'x'))) await once(out, 'drain')
    }
  }
  if (last === 'hang') {
    out.write('some')
    await wait(60_000)
  }
  out.end()
})

function parse(event: APIGatewayProxyEvent) {
  return {
    last: event.path.split('/').at(-1),
    query: Number(event.queryStringParameters?.['bytes'] ?? 0),
  }
}

function say(fact: object): void {
  process.stdout.write(`${JSON.stringify(fact)}\n`)
}
