import type { IncomingMessage } from 'node:http'
import * as z from 'zod'
import { FunctionError } from '#stacks/local/functions/errors.ts'
import type { Sink } from '#stacks/local/functions/instance.ts'

/** The end of the metadata of a streamed response: eight null bytes. */
const delimiter = Buffer.alloc(8)

const head = z.object({
  statusCode: z.int(),
  headers: z.record(z.string(), z.string()),
  cookies: z.array(z.string()),
})

/**
 * Reads a streamed response as it arrives: metadata, delimiter, body. An error after the first byte is in the trailers.
 * https://docs.aws.amazon.com/lambda/latest/dg/runtimes-custom.html#runtimes-custom-response-streaming
 * @throws FunctionError
 */
export async function readStream(request: IncomingMessage, sink: Sink | undefined): Promise<void> {
  const type = request.headers['content-type']
  if (type !== 'application/vnd.awslambda.http-integration-response')
    throw streamError(`the stream has the type ${type}`)
  if (sink === undefined) throw streamError('the function streams without a reader')
  let before: Buffer | undefined = Buffer.alloc(0)
  for await (const chunk of request as AsyncIterable<Buffer>) {
    let body = chunk
    if (before !== undefined) {
      before = Buffer.concat([before, chunk])
      const end = before.indexOf(delimiter)
      if (end < 0) continue
      body = before.subarray(end + delimiter.length)
      sink.head(head.parse(JSON.parse(before.toString('utf8', 0, end))), body.length === 0)
      before = undefined
    }
    if (body.length > 0) await sink.write(body)
  }
  const failure = request.trailers['lambda-runtime-function-error-type']
  if (failure !== undefined || before !== undefined)
    throw streamError(failure ?? 'the stream has no metadata')
}

function streamError(errorType: string): FunctionError {
  return new FunctionError('failed', { errorType, errorMessage: errorType, trace: [] })
}
