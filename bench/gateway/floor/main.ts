/**
 * The floor of every gateway here: a function that forwards the request to the provider and the response back with node:http
 * over kept connections, without reading them. What ours costs beyond it is the gateway.
 */
import { Agent, request } from 'node:http'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { APIGatewayProxyEvent } from 'aws-lambda'

declare const awslambda: {
  streamifyResponse(handler: (event: APIGatewayProxyEvent, out: Writable) => Promise<void>): unknown
  HttpResponseStream: { from(out: Writable, head: object): Writable }
}

const agent = new Agent({ keepAlive: true })
const url = new URL(`${process.env.AI_BASE_URL}/chat/completions`)
const options = { agent, method: 'POST', host: url.hostname, port: url.port, path: url.pathname }

export const handler = awslambda.streamifyResponse(async ({ body }, out) => {
  const text = body ?? ''
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) }
  await new Promise<void>((resolve, reject) => {
    const upstream = request({ ...options, headers }, (answer) => {
      const { statusCode, headers: received } = answer
      const entries = ['content-type', 'content-length'].flatMap((name) =>
        received[name] === undefined ? [] : [[name, received[name]]],
      )
      const head = { statusCode, headers: Object.fromEntries(entries), cookies: [] }
      pipeline(answer, awslambda.HttpResponseStream.from(out, head)).then(resolve, reject)
    })
    upstream.on('error', reject).end(text)
  })
})
